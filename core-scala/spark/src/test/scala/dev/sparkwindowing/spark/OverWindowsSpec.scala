package dev.sparkwindowing.spark

import dev.sparkwindowing.SparkWindowing
import dev.sparkwindowing.assigners.{OverEventTimeWindows, TumblingEventTimeWindows}
import dev.sparkwindowing.columns.ColumnAggregateFunction
import dev.sparkwindowing.evictors.CountEvictor
import dev.sparkwindowing.functions.{Collector, ProcessWindowFunction}
import dev.sparkwindowing.triggers.CountTrigger
import org.apache.spark.sql.expressions.Window
import org.apache.spark.sql.functions._
import org.apache.spark.sql.types.{LongType, StructType}
import org.apache.spark.sql.{Column, DataFrame, Row}
import org.scalatest.funsuite.AnyFunSuite

import java.time.Duration
import scala.util.Random

/** Over windows on static DataFrames, against Spark's window functions, and on streams. */
class OverWindowsSpec extends AnyFunSuite with SharedSpark {
  import Event.at

  private val tenSeconds = OverEventTimeWindows.preceding(Duration.ofSeconds(10))
  private val lastThree  = OverEventTimeWindows.precedingRows(3)

  // Merged by timestamp, and of all elements.
  private val merged: Seq[Column] =
    Seq(
      count(lit(1)).as("n"),
      sum("value").as("total"),
      max("value").as("most"),
      avg("value").as("mean"),
      approx_count_distinct("value").as("different"),
      expr("percentile(value, 0.5)").as("median")
    )
  private val listed: Seq[Column] = merged :+ sort_array(collect_list("value")).as("values")

  private def rows(seed: Int, distinctTimes: Boolean): Seq[Event] = {
    val random = new Random(seed)
    val times  = random.shuffle((0 until 400).toList)
    (0 until 300).map { i =>
      at(
        s"k${random.nextInt(5)}",
        random.nextInt(100),
        if (distinctTimes) times(i) * 700L else random.nextInt(120) * 1000L
      )
    }
  }

  private def over(events: DataFrame, windows: OverEventTimeWindows, aggregates: Seq[Column]): DataFrame =
    SparkWindowing.keyBy(events, Seq(col("key")), Some(col("ts"))).window(windows).withRow().aggregate(aggregates: _*)

  private def flat(result: DataFrame): Seq[String] = {
    val aggregates = result.columns.toSeq.dropWhile(_ != "row").drop(1).map(col)
    result
      .select(Seq(col("key"), col("row.ts"), col("row.value")) ++ aggregates: _*)
      .collect()
      .map(_.toString)
      .toSeq
      .sorted
  }

  private def bySpark(events: DataFrame, bounds: org.apache.spark.sql.expressions.WindowSpec): Seq[String] = events
    .select(
      col("key"),
      col("ts"),
      col("value"),
      count(lit(1)).over(bounds),
      sum("value").over(bounds),
      max("value").over(bounds),
      avg("value").over(bounds),
      approx_count_distinct("value").over(bounds),
      expr("percentile(value, 0.5)").over(bounds),
      sort_array(collect_list("value").over(bounds))
    )
    .collect()
    .map(_.toString)
    .toSeq
    .sorted

  private def byKey = Window.partitionBy("key").orderBy(col("ts").cast("long"))

  for (seed <- 1 to 3) {
    test(s"a length on a static DataFrame is Spark's rangeBetween, seed $seed") {
      val events   = spark.createDataFrame(rows(seed, distinctTimes = false)).drop("tick")
      val expected = bySpark(events, byKey.rangeBetween(-10, 0))
      assert(flat(over(events, tenSeconds, listed)) == expected)
      def without(lines: Seq[String]) =
        lines.map(_.replaceAll(",ArraySeq\\(.*", "]").replaceAll(",WrappedArray\\(.*", "]")).sorted
      assert(flat(over(events, tenSeconds, merged)) == without(expected))
    }

    test(s"a number of rows on a static DataFrame is Spark's rowsBetween, seed $seed") {
      val events  = spark.createDataFrame(rows(seed, distinctTimes = true)).drop("tick")
      val ordered = Window.partitionBy("key").orderBy("ts")
      assert(flat(over(events, lastThree, listed)) == bySpark(events, ordered.rowsBetween(-2, 0)))
    }
  }

  for (
    (name, windows, aggregates) <- Seq(
      ("a length, merged", tenSeconds, merged),
      ("a length, all elements", tenSeconds, listed),
      ("rows, merged", lastThree, merged),
      ("rows, all elements", lastThree, listed)
    )
  ) test(s"a stream of many micro-batches, restarted in between, gives the results of the batch: $name") {
    // Rows up to nine seconds back; the watermark waits ten.
    val random = new Random(7)
    val all    = (1 to 8).map { batch =>
      Seq.fill(15)(at(s"k${random.nextInt(3)}", random.nextInt(50), batch * 9000L - 100L * random.nextInt(90)))
    }
    val static   = spark.createDataFrame(all.flatten).drop("tick")
    val expected = flat(over(static, windows, aggregates))
    val query    = new DrivenQuery(spark, delay = Some("10 seconds"))(over(_, windows, aggregates))
    try {
      query.start()
      val got = all.zipWithIndex.flatMap { case (rows, i) =>
        if (i % 2 == 1) query.restart()
        query.batch(rows: _*)
      } ++ query.watermark(1000000)
      assert(
        flat(
          spark.createDataFrame(java.util.Arrays.asList(got: _*), over(static, windows, aggregates).schema)
        ) == expected
      )
      assert(windows.countsRows || query.watermark(2000000).isEmpty && query.metric("openWindows") == 0)
    } finally query.stop()
  }

  private def running(build: DataFrame => DataFrame)(test: DrivenQuery => Unit): Unit = {
    val query = new DrivenQuery(spark)(build)
    try test(query.start())
    finally query.stop()
  }

  private def keyed(events: DataFrame) = SparkWindowing.keyBy(events, Seq(col("key")))

  test("late rows within the lateness fire again, later ones go to the side output, with panes") {
    running { events =>
      SparkWindowing.allOutputs(
        keyed(events)
          .window(tenSeconds)
          .allowedLateness(Duration.ofSeconds(5))
          .sideOutputLateData("late")
          .withPane()
          .withRow()
          .aggregate(count(lit(1)).as("n"))
      )
    } { q =>
      def lines(rows: Seq[Row]) = rows.map { r =>
        if (r.getString(0) == "late") s"late ${WindowText.of(Seq(r.getStruct(2)))}"
        else {
          val main = r.getStruct(1)
          s"${main.getStruct(3).getInt(1)}: ${main.getLong(4)} ${main.getStruct(2).getString(0)} ${main.getStruct(2).getLong(1)}"
        }
      }
      assert(lines(q.batch(at("a", 1, 2000), at("a", 2, 9000))) == Seq("1: 1 on_time 0"))
      assert(lines(q.watermark(10000)) == Seq("2: 2 on_time 0"))
      assert(lines(q.batch(at("a", 3, 5000))) == Seq("3: 2 late 0", "2: 3 late 1"))
      q.restart()
      assert(
        lines(q.batch(at("a", 4, 9000), at("a", 5, 4000))) ==
          Seq("2: 4 late 2", "4: 4 late 0", "late List(a 5 4000 5999 [-6000, 4001) late)")
      )
    }
  }

  test("a process function gets the elements in order of event time") {
    val function = new ProcessWindowFunction[Row, Row, Row] {
      def process(k: Row, c: ProcessWindowFunction.Context, elements: Iterable[Row], out: Collector[Row]): Unit =
        out.collect(Row(elements.map(_.getAs[Int]("value").toLong).reduce(_ * 100 + _)))
    }
    val schema = new StructType().add("all", LongType)
    val events = spark.createDataFrame(Seq(at("a", 3, 3000), at("a", 1, 1000), at("a", 2, 2000))).drop("tick")
    def values(windows: OverEventTimeWindows) = SparkWindowing
      .keyBy(events, Seq(col("key")), Some(col("ts")))
      .window(windows)
      .process(function, schema)
      .collect()
      .map(_.getLong(2))
      .toSeq
    assert(values(tenSeconds) == Seq(1, 102, 10203))
    assert(values(OverEventTimeWindows.precedingRows(2)) == Seq(1, 102, 203))
  }

  test("windows of rows have no state of their own, as late rows change their bounds") {
    val function = new ProcessWindowFunction[Row, Row, Row] {
      def process(k: Row, c: ProcessWindowFunction.Context, elements: Iterable[Row], out: Collector[Row]): Unit = {
        c.windowState
        out.collect(Row(elements.size.toLong))
      }
    }
    val schema = new StructType().add("n", LongType)
    val stream = SparkWindowing.keyBy(
      spark.createDataFrame(Seq(at("a", 3, 3000))).drop("tick"),
      Seq(col("key")),
      Some(col("ts"))
    )
    assert(stream.window(tenSeconds).process(function, schema).count() == 1)
    val e = intercept[Exception](stream.window(lastThree).process(function, schema).collect())
    assert(e.getMessage.contains("windows that merge or count rows have no state of their own"), e)
  }

  test("a window behind an over window takes the time of the element") {
    val events  = spark.createDataFrame(Seq(at("a", 3, 9999), at("a", 1, 10000), at("a", 2, 10001))).drop("tick")
    val counts  = SparkWindowing.keyBy(events, Seq(col("key")), Some(col("ts"))).window(tenSeconds)
    val chained = SparkWindowing
      .keyBy(counts.aggregate(count(lit(1)).as("n")), Seq(col("key")))
      .window(TumblingEventTimeWindows.of(Duration.ofSeconds(10)))
      .aggregate(sum("n").as("total"))
    assert(WindowText.of(chained.collect().toSeq) == Seq("a [0, 10000) 1", "a [10000, 20000) 5"))
  }

  test("a null result of an aggregate makes the firing silent, of elements as of merged ones") {
    val rows = spark.createDataFrame(Seq(at("a", 1, 1000), at("a", 4, 2000), at("a", 9, 30000))).drop("tick")
    for (mergeable <- Seq(true, false)) {
      val large = ColumnAggregateFunction.of(
        struct(lit(0).as("n")),
        struct((col("acc.n") + col("row.value")).as("n")),
        struct((col("a.n") + col("b.n")).as("n")),
        when(col("acc.n") > 3, col("acc.n")),
        mergeable
      )
      val windows = SparkWindowing.keyBy(rows, Seq(col("key")), Some(col("ts"))).window(tenSeconds)
      assert(windows.aggregate(large).collect().map(_.getInt(2)).toSeq.sorted == Seq(5, 9), s"mergeable: $mergeable")
    }
  }

  test("the state, a row for each timestamp") {
    val query = new DrivenQuery(spark, delay = Some("1 minute"))(events =>
      keyed(events).window(tenSeconds).aggregate(count(lit(1)).as("n"), sum("value").as("total"))
    )
    try {
      query.start().batch(at("a", 1, 2000), at("a", 2, 2000), at("a", 4, 13000))
      assert(
        StateText.of(query, spark) == Seq(
          """a timestamp [2000, 2001) elements 2 contents {"0_count":2,"1_sum":3} event 2000""",
          """a timestamp [13000, 13001) elements 1 contents {"0_count":1,"1_sum":4} event 13000"""
        )
      )
      query.start().watermark(74000)
      // Both have fired; the first is in no later window.
      assert(
        StateText.of(query, spark) ==
          Seq("""a timestamp [13000, 13001) elements 1 contents {"0_count":1,"1_sum":4} event 23000""")
      )
    } finally query.stop()
  }

  test("a changed over window is refused on its checkpoint, also a longer lateness") {
    def declared(windows: OverEventTimeWindows, lateness: Int, row: Boolean)(events: DataFrame) = {
      val stream = keyed(events).window(windows).allowedLateness(Duration.ofSeconds(lateness.toLong)).allowStateChange()
      (if (row) stream.withRow() else stream).aggregate(count(lit(1)).as("n"))
    }
    for (
      (changed, path) <- Seq[(DataFrame => DataFrame, String)](
        declared(OverEventTimeWindows.preceding(Duration.ofSeconds(11)), 5, row = false) _ -> "length",
        declared(lastThree, 5, row = false) _                                              -> "assigner",
        declared(tenSeconds, 6, row = false) _                                             -> "allowed lateness",
        declared(tenSeconds, 5, row = true) _                                              -> "kept"
      )
    ) {
      var build: DataFrame => DataFrame = declared(tenSeconds, 5, row = false)
      val query                         = new DrivenQuery(spark)(events => build(events))
      try {
        query.start().batch(at("a", 1, 2000))
        query.stop()
        build = changed
        val e        = intercept[Exception](query.start().batch(at("a", 1, 3000)))
        val messages = Iterator.iterate[Throwable](e)(_.getCause).takeWhile(_ != null).map(_.getMessage).mkString("; ")
        assert(messages.contains("the query was changed") && messages.contains(path), messages)
      } finally query.stop()
    }
  }

  test("how rows come to the operator, and what is kept") {
    val events = spark.createDataFrame(Seq(at("a", 1, 1000))).drop("tick")
    val text   = SparkWindowing.explain(over(events, tenSeconds, merged))
    assert(text.contains("assigner: OverEventTimeWindows.preceding(10 s)"), text)
    assert(text.contains("kept: an aggregate for each event time, and the elements"), text)
    assert(text.contains("path: row by row, since each row has a window of its own, which ends with it"), text)
    assert(SparkWindowing.explain(over(events, lastThree, merged)).contains("kept: elements"))
  }

  test("refused by name: triggers, evictors, a row of other windows, a table with a row for each window") {
    val events                                       = spark.createDataFrame(Seq(at("a", 1, 1000))).drop("tick")
    val stream                                       = SparkWindowing.keyBy(events, Seq(col("key")), Some(col("ts")))
    def refused(text: String)(declare: => Any): Unit = {
      val e = intercept[RuntimeException](declare)
      assert(e.getMessage.contains(text), e)
    }
    refused("CountTrigger(2) cannot be used with OverEventTimeWindows")(
      stream.window(tenSeconds).trigger(CountTrigger.of(2))
    )
    refused("CountEvictor(2) cannot be used with OverEventTimeWindows")(
      stream.window(lastThree).evictor(CountEvictor.of(2))
    )
    refused("withRow")(stream.timeWindow(Duration.ofSeconds(1)).withRow())
    refused("rows of equal event time")(
      SparkWindowing.windowColumns(stream.window(tenSeconds).withPane().aggregate(merged: _*))
    )
    refused("two columns 'row'")(stream.window(tenSeconds).withRow().aggregate(count(lit(1)).as("row")))
  }
}
