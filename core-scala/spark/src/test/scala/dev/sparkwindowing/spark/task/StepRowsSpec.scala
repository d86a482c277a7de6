package dev.sparkwindowing.spark.task

import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.expressions.GenericInternalRow
import org.scalatest.funsuite.AnyFunSuite

/** Rows of a step that all come in one buffer. */
class StepRowsSpec extends AnyFunSuite {
  private val rows   = new StepRows
  private val buffer = new GenericInternalRow(1)

  private def of(value: Int): InternalRow = {
    buffer.update(0, value)
    buffer
  }

  private def add(value: Int): Unit = {
    rows.keepLast()
    rows.add(of(value))
  }

  private def read: Seq[Int] = rows.iterator.map(_.getInt(0)).toList

  private def begun(): Unit = {
    rows.clear()
    assert(read == Nil && rows.firings == 0)
  }

  test("rows in order, those of iterators among them") {
    begun()
    Seq(1, 2).foreach(add)
    rows.pull(Iterator(3, 4).map(of))
    rows.pull(Iterator.empty)
    Seq(5, 6).foreach(add)
    rows.pull(Iterator(7).map(of))
    assert(read == (1 to 7))
  }

  test("rows of an iterator are made when they are read") {
    begun()
    var made = 0
    rows.pull(Iterator.range(0, 10).map { i =>
      made += 1
      of(i)
    })
    val all = rows.iterator
    assert(made == 0)
    assert(all.next().getInt(0) == 0 && all.next().getInt(0) == 1 && made == 2)
  }

  test("rows of firings that others repeat are dropped") {
    begun()
    def firing(values: Int*): Unit = {
      rows.beginFiring()
      values.foreach(add)
      rows.endFiring()
    }
    firing(1, 2)
    add(0)
    firing()
    rows.beginFiring()
    rows.pull(Iterator(3, 4).map(of))
    rows.endFiring()
    firing(5)
    assert(rows.firings == 4)
    rows.drop(0)
    rows.drop(1)
    assert(read == Seq(0, 3, 4, 5))
    rows.drop(2)
    firing(6)
    assert(read == Seq(0, 5, 6))
  }
}
