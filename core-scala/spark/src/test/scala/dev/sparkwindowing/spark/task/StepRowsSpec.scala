package dev.sparkwindowing.spark.task

import dev.sparkwindowing.spark.SharedSpark
import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.expressions.UnsafeProjection
import org.apache.spark.sql.types.{IntegerType, StructType}
import org.scalatest.funsuite.AnyFunSuite

/** Rows that all come in one buffer: all in memory, and with few bytes of them in memory. */
class StepRowsSpec extends AnyFunSuite with SharedSpark {
  import StepRowsSpec._

  private def everyWay(name: String)(run: Rows => Seq[Seq[Int]])(expected: Seq[Int]*): Unit = {
    test(name)(assert(run(new Rows(Long.MaxValue)) == expected))
    for (small <- Seq(0L, 20L, 50L)) test(s"$name, $small bytes in memory") {
      val got = spark.sparkContext.parallelize(Seq(small), 1).map(small => run(new Rows(small))).collect().head
      assert(got == expected)
    }
  }

  everyWay("rows in order, those of iterators among them") { rows =>
    rows.add(1, 2)
    rows.pull(3, 4)
    rows.pull()
    rows.add(5, 6, 7)
    rows.pull(8)
    val first = rows.take()
    rows.add(9)
    Seq(first, rows.take(), rows.take())
  }(1 to 8, Seq(9), Nil)

  everyWay("rows are taken while others come") { rows =>
    rows.add(1, 2)
    val first = rows.take(most = 1)
    rows.add(3)
    rows.pull(4, 5)
    val more = rows.take(most = 3)
    rows.add(6, 7, 8)
    Seq(first, more, rows.take())
  }(Seq(1), Seq(2, 3, 4), 5 to 8)

  everyWay("what is cleared is not taken") { rows =>
    rows.add(1, 2, 3)
    rows.pull(4)
    rows.all.clear()
    rows.add(5, 6)
    Seq(rows.take())
  }(Seq(5, 6))

  everyWay("rows of firings that others repeat are dropped") { rows =>
    rows.firing(rows.add(1, 2))
    rows.add(0)
    rows.firing(())
    rows.firing(())
    rows.firing(rows.pull(3, 4))
    rows.firing(rows.add(5))
    assert(rows.all.firings == 5)
    rows.all.dropFiring(0)
    rows.all.dropFiring(1)
    rows.firing(rows.add(6, 7, 8))
    rows.all.dropFiring(3)
    rows.add(9)
    Seq(rows.take())
  }(Seq(0, 5, 6, 7, 8, 9))

  test("rows of an iterator are made when they are taken, but at once in a firing, which may be dropped") {
    val rows = new Rows(Long.MaxValue)
    rows.pull(0 to 9: _*)
    assert(rows.made == 0)
    assert(rows.take(most = 2) == Seq(0, 1) && rows.made == 2)
    rows.all.clear()
    rows.firing(rows.pull(0 to 9: _*))
    assert(rows.made == 12)
  }
}

object StepRowsSpec {
  private val schema = new StructType().add("value", IntegerType)

  private final class Rows(small: Long) {
    val all                 = new StepRows(schema, small)
    private[this] val toRow = UnsafeProjection.create(schema)
    var made                = 0

    private def of(value: Int): InternalRow = {
      made += 1
      toRow(InternalRow(value))
    }

    def add(values: Int*): Unit = values.foreach { value =>
      all.keepLast()
      all.add(of(value))
    }

    def pull(values: Int*): Unit = all.pull(values.iterator.map(of))

    def firing(work: => Unit): Unit = {
      all.beginFiring()
      work
      all.endFiring()
    }

    def take(most: Int = 100): Seq[Int] = {
      var values = Seq.empty[Int]
      while (values.size < most && all.hasNext) values :+= all.next().getInt(0)
      values
    }
  }
}
