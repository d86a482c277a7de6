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

/** Gives rows that do not fit from one of its methods. */
final class Misfit(method: String, wrong: Row) extends AggregateFunction {
  private def row(at: String, right: Row)  = if (at == method) wrong else right
  def accumulatorSchema: StructType        = StructType.fromDDL("seen INT, sum INT")
  def resultSchema: StructType             = StructType.fromDDL("sum INT")
  def createAccumulator(): Row             = row("createAccumulator", Row(0, 0))
  def add(accumulator: Row, row: Row): Row = this.row("add", Row(1, row.getAs[Int]("value")))
  def merge(kept: Row, merged: Row): Row   = row("merge", kept)
  def getResult(accumulator: Row): Row     = row("getResult", Row(accumulator.getInt(1)))
  override def toString: String            = s"Misfit($method)"
}

/** Forgets a column. */
final class Shortened extends ReduceFunction {
  def reduce(kept: Row, row: Row): Row = Row(kept(0), kept(1))
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

  private def counted(events: DataFrame) = SparkWindowing.keyBy(events, Seq(col("key"))).countWindow(2)

  private def failure(function: DataFrame => DataFrame): String = {
    val events = spark.createDataFrame(Seq(at("a", 2, 1000), at("a", 3, 2000))).drop("tick")
    val result = function(events)
    Iterator
      .iterate[Throwable](intercept[Exception](result.collect()))(_.getCause)
      .takeWhile(_ != null)
      .map(e => s"${e.getMessage}")
      .find(_.startsWith(getClass.getPackageName))
      .getOrElse(fail(s"no error names the function"))
  }

  test("a row that does not fit its schema is refused, by function and method") {
    def of(method: String, wrong: Row) =
      failure(counted(_).aggregate(new Misfit(method, wrong))).stripPrefix("dev.sparkwindowing.spark.Misfit.")
    val kept = "must give a row of 2 columns, struct<seen:int,sum:int>, got"
    assert(of("createAccumulator", Row(0)) == s"createAccumulator $kept one of 1: [0]")
    assert(of("add", Row(1, 2, 3)) == s"add $kept one of 3: [1,2,3]")
    assert(of("add", null) == s"add $kept null")
    assert(of("getResult", Row(1, 2)) == "getResult must give a row of 1 columns, struct<sum:int>, got one of 2: [1,2]")
    assert(
      failure(
        counted(_).reduce(new Shortened)
      ) == "dev.sparkwindowing.spark.Shortened.reduce must give a row of 3 columns, " +
        "struct<key:string,value:int,ts:timestamp>, got one of 2: [a,2]"
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
