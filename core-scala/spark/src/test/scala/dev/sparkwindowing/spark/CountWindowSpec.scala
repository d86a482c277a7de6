package dev.sparkwindowing.spark

import dev.sparkwindowing.SparkWindowing
import org.apache.spark.sql.functions._
import org.scalatest.funsuite.AnyFunSuite

/** Windows of rows, one after the other and overlapping. */
class CountWindowSpec extends AnyFunSuite with SharedSpark {

  private def keyed = {
    import spark.implicits._
    val rows = Seq(1, 2, 3, 4, 5, 6, 7).map(n => ("a", n, n.toLong)).toDF("key", "value", "at")
    SparkWindowing.keyBy(rows.withColumn("ts", timestamp_millis(col("at"))), Seq(col("key")), Some(col("ts")))
  }

  private val values = collect_list("value").as("values")

  test("mistake 20: windows of n rows after every s fire at the first s, before n are there") {
    val fired = keyed.countWindow(4, 2).aggregate(values).collect().map(_.getSeq[Int](2).toSeq).toSeq
    assert(fired == Seq(Seq(1, 2), Seq(1, 2, 3, 4), Seq(3, 4, 5, 6)))
  }

  test("only full windows: the same firings, from the first one with n rows on") {
    def fired(size: Long, slide: Long) =
      keyed.countWindow(size, slide, onlyFull = true).aggregate(values).collect().map(_.getSeq[Int](2).toSeq).toSeq
    assert(fired(4, 2) == Seq(Seq(1, 2, 3, 4), Seq(3, 4, 5, 6)))
    assert(fired(3, 2) == Seq(Seq(2, 3, 4), Seq(4, 5, 6)))
    assert(fired(2, 3) == Seq(Seq(2, 3), Seq(5, 6)))
    assert(fired(8, 1) == Nil)
  }

  test("windows of n rows one after the other; the rest does not fire") {
    val fired = keyed.countWindow(3).aggregate(values).collect().map(_.getSeq[Int](2).toSeq).toSeq
    assert(fired == Seq(Seq(1, 2, 3), Seq(4, 5, 6)))
  }
}
