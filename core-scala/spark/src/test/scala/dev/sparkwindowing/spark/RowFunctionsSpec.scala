package dev.sparkwindowing.spark

import dev.sparkwindowing.SparkWindowing
import dev.sparkwindowing.assigners.EventTimeSessionWindows
import dev.sparkwindowing.evictors.CountEvictor
import dev.sparkwindowing.functions.{AggregateFunction, ReduceFunction}
import org.apache.spark.sql.functions.col
import org.apache.spark.sql.types.StructType
import org.apache.spark.sql.{DataFrame, Row}
import org.scalatest.funsuite.AnyFunSuite

import java.time.Duration

/** The words that values stand for, and how often the longest came. */
final class LongestWord extends AggregateFunction {
  def accumulatorSchema: StructType = StructType.fromDDL("seen MAP<STRING, INT>")
  def resultSchema: StructType      = StructType.fromDDL("word STRING, n INT")
  def createAccumulator(): Row      = Row(Map.empty[String, Int])

  def add(accumulator: Row, row: Row): Row = merge(accumulator, Row(Map("x" * row.getAs[Int]("value") -> 1)))

  def merge(kept: Row, merged: Row): Row = {
    val (a, b) = (kept.getMap[String, Int](0), merged.getMap[String, Int](0))
    Row(b.foldLeft(a.toMap) { case (all, (word, n)) => all.updated(word, all.getOrElse(word, 0) + n) })
  }

  def getResult(accumulator: Row): Row = {
    val (word, n) = accumulator.getMap[String, Int](0).maxBy(_._1.length)
    if (word.isEmpty) null else Row(word, n)
  }
  override def toString: String = "LongestWord"
}

final class Added extends ReduceFunction {
  def reduce(kept: Row, row: Row): Row = Row(kept(0), kept.getInt(1) + row.getInt(1), row(2))
  override def toString: String        = "Added"
}

/** Functions that a user writes on `Row`. */
class RowFunctionsSpec extends AnyFunSuite with SharedSpark {
  import Event.at

  private def sessions(events: DataFrame) =
    SparkWindowing.keyBy(events, Seq(col("key"))).window(EventTimeSessionWindows.withGap(Duration.ofSeconds(4)))

  private def run(function: DataFrame => DataFrame): Seq[String] = {
    val q = new DrivenQuery(spark, delay = Some("10 seconds"))(function)
    try {
      q.start()
      Seq(at("a", 2, 1000), at("a", 3, 7000), at("a", 3, 4000), at("b", 0, 5000)).foreach { row =>
        assert(q.batch(row) == Nil)
        q.restart()
      }
      WindowText.of(q.watermark(60000))
    } finally q.stop()
  }

  test("an aggregate with a map as accumulator, in sessions that join and over restarts; null puts out no row") {
    assert(run(sessions(_).aggregate(new LongestWord)) == Seq("a [1000, 11000) xxx 2"))
  }

  test("reduce, also behind an evictor") {
    assert(run(sessions(_).reduce(new Added)) == Seq("a [1000, 11000) 8 4000", "b [5000, 9000) 0 5000"))
    val last = run(sessions(_).evictor(CountEvictor.of(1L)).reduce(new Added))
    assert(last == Seq("a [1000, 11000) 3 4000", "b [5000, 9000) 0 5000"))
  }

  test("reduce of a window that was evicted to nothing passes on nothing but nulls") {
    assert(
      run(sessions(_).evictor(CountEvictor.of(0L)).reduce(new Added)) == Seq(
        "a [1000, 11000) null null",
        "b [5000, 9000) null null"
      )
    )
  }

  test("what is written down is the function's text and its schema") {
    val rows = spark.createDataFrame(Seq(at("a", 1, 1000)))
    val text = SparkWindowing.explain(
      SparkWindowing.keyBy(rows, Seq(col("key"))).countWindow(1).aggregate(new LongestWord)
    )
    assert(text.contains("functions: LongestWord\nbuffer: struct<seen:map<string,int>>"), text)
  }
}
