package dev.sparkwindowing.spark.task

import dev.sparkwindowing.spark.SharedSpark
import org.apache.spark.TaskContext
import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.expressions.UnsafeProjection
import org.apache.spark.sql.types.{LongType, StringType, StructType}
import org.apache.spark.unsafe.types.UTF8String
import org.scalatest.funsuite.AnyFunSuite

import scala.util.Random

/** Rows of a key in order of their numbers, few of them in memory and many by Spark's own sort. */
class NumberedRowsSpec extends AnyFunSuite with SharedSpark {
  import NumberedRowsSpec._

  // In a task, as a row that is one buffer again and again; with the bytes that were spilled.
  private def sorted(few: Int, small: Long, numbers: Seq[Long]*): (Seq[Seq[(String, Long)]], Long) =
    spark.sparkContext
      .parallelize(Seq(numbers), 1)
      .map { keys =>
        val row  = UnsafeProjection.create(schema)
        val rows = new NumberedRows(schema, few, small)
        val out  = keys.map { all =>
          val input: Iterator[InternalRow] =
            all.iterator.map(n => row(InternalRow(UTF8String.fromString(s"row $n"), n)))
          rows.of(input).map(r => (r.getUTF8String(0).toString, r.getLong(1))).toList
        }
        (out, TaskContext.get().taskMetrics().memoryBytesSpilled)
      }
      .collect()
      .head

  private def inOrder(numbers: Seq[Long]) = numbers.sorted.map(n => (s"row $n", n))

  test("keys with fewer rows than are held, as many, and more") {
    val random = new Random(1)
    val keys   = Seq(1, 2, 9, 10, 11, 12, 1, 500, 3).map(size => random.shuffle((0L until size.toLong).map(_ << 33)))
    assert(sorted(few = 10, Long.MaxValue, keys: _*)._1 == keys.map(inOrder))
  }

  test("rows of one key that take more memory than a task may have are spilled") {
    val conf    = "spark.shuffle.spill.numElementsForceSpillThreshold"
    val numbers = new Random(2).shuffle((0L until 2000L).toList)
    // Read by the sort from the configuration of the JVM.
    org.apache.spark.SparkEnv.get.conf.set(conf, "300")
    try
      for ((few, small, spills) <- Seq((10, Long.MaxValue, true), (10000, 1000L, true), (10000, 1L << 20, false))) {
        val (rows, spilled) = sorted(few, small, numbers)
        assert(rows == Seq(inOrder(numbers)))
        assert(spilled > 0 == spills, s"$few rows, $small bytes")
      }
    finally org.apache.spark.SparkEnv.get.conf.remove(conf)
  }
}

object NumberedRowsSpec {
  private val schema = new StructType().add("text", StringType).add("number", LongType)
}
