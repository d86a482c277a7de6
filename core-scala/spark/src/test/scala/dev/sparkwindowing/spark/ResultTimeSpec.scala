package dev.sparkwindowing.spark

import dev.sparkwindowing.SparkWindowing
import dev.sparkwindowing.assigners.{TumblingEventTimeWindows, TumblingProcessingTimeWindows}
import dev.sparkwindowing.functions.{Collector, KeyedProcessFunction}
import org.apache.spark.sql.functions._
import org.apache.spark.sql.types.{StructType, TimestampType}
import org.apache.spark.sql.{AnalysisException, DataFrame, Row}
import org.scalatest.funsuite.AnyFunSuite

import java.time.Duration
import scala.util.Random

/** Puts out each element, and says so again at an event-time timer `value` seconds later. */
final class Echo extends KeyedProcessFunction[Row, Row, Row] {
  import KeyedProcessFunction._

  def processElement(row: Row, ctx: Context[Row], out: Collector[Row]): Unit = {
    out.collect(Row("element"))
    ctx.timestamp.foreach(t => ctx.timerService.registerEventTimeTimer(t + row.getAs[Int]("value") * 1000L))
  }

  override def onTimer(time: Long, ctx: OnTimerContext[Row], out: Collector[Row]): Unit = out.collect(Row("timer"))
}

/** The event time that results carry, for what stands behind them. */
class ResultTimeSpec extends AnyFunSuite with SharedSpark {
  import Event.at

  private val tenSeconds = TumblingEventTimeWindows.of(Duration.ofSeconds(10))

  private def static: DataFrame =
    spark.createDataFrame(Seq(at("a", 1, 1000), at("a", 2, 2000), at("a", 3, 12000)))

  private def counts(rows: DataFrame): DataFrame =
    SparkWindowing.keyBy(rows, Seq(col("key")), Some(col("ts"))).countWindow(2).aggregate(sum("value").as("value"))

  private def onStream(test: DataFrame => Unit): Unit = test(new DrivenQuery(spark)(identity).events)

  for (
    (kind, source) <- Seq[(String, (DataFrame => Unit) => Unit)](
      "a stream"           -> onStream,
      "a static DataFrame" -> (_(static))
    )
  )
    test(s"results of the global window on $kind have no event time, which is said where one is needed") {
      source { rows =>
        val results = counts(rows)
        assert(results.schema("window").metadata.json == "{}")
        val again = SparkWindowing.keyBy(results, Seq(col("key")))
        Seq(
          intercept[IllegalArgumentException](again.window(tenSeconds)),
          intercept[IllegalArgumentException](
            SparkWindowing.keyBy(results, Seq(col("key")), Some(col("window"))).window(tenSeconds)
          )
        ).foreach { e =>
          assert(e.getMessage.contains("results of the global window (count windows), which has no end"), e)
          assert(e.getMessage.contains("TumblingProcessingTimeWindows"), e)
        }
        val e = intercept[AnalysisException](results.groupBy(window(col("window"), "1 minute")).count())
        assert(e.getMessage.toLowerCase.contains("window column"), e)
        again.countWindow(3).aggregate(sum("value").as("value")) // the way out
      }
    }

  test("withWatermark on results of the global window says what to do, which is not to take it away") {
    val q = new DrivenQuery(spark)(events =>
      SparkWindowing
        .keyBy(counts(events).withColumn("at", current_timestamp()).withWatermark("at", "1 second"), Seq(col("key")))
        .window(tenSeconds)
        .aggregate(count(lit(1)).as("n"))
    )
    try {
      q.start()
      val e = intercept[Exception](q.batch(at("a", 1, 1000)))
      assert(e.getMessage.contains("results of the global window (count windows)"), e)
    } finally q.stop()
  }

  test("windows of the clock take results of the global window") {
    val q = new DrivenQuery(spark)(events =>
      SparkWindowing
        .keyBy(counts(events), Seq(col("key")))
        .window(TumblingProcessingTimeWindows.of(Duration.ofSeconds(10)))
        .aggregate(sum("value").as("value"))
    )
    try {
      q.start()
      q.batch(at("a", 1, 1000), at("a", 2, 2000), at("a", 3, 3000), at("a", 4, 4000))
      q.clock.advance(10001)
      assert(WindowText.of(q.settle()) == Seq("a [1000000, 1010000) 10"))
    } finally q.stop()
  }

  private val what = StructType.fromDDL("what string")

  private def echo(events: DataFrame): DataFrame = SparkWindowing.keyBy(events, Seq(col("key"))).process(new Echo, what)

  private def oursOver(results: DataFrame): DataFrame =
    SparkWindowing.keyBy(results, Seq(col("key"), col("what"))).window(tenSeconds).aggregate(count(lit(1)).as("n"))

  private def sparkOver(results: DataFrame): DataFrame = results
    .groupBy(col("key"), col("what"), window(col("event_time"), "10 seconds"))
    .count()
    .select("key", "what", "window", "count")

  for ((name, over) <- Seq[(String, DataFrame => DataFrame)]("ours" -> oursOver, "Spark's" -> sparkOver))
    test(s"$name behind process: every element and every timer is in the window of its event time") {
      val random  = new Random(8)
      val batches = (0 until 3).map { b =>
        Seq.fill(6)(at(s"k${random.nextInt(3)}", random.nextInt(25), b * 7000L + random.nextInt(9000)))
      }
      val q = new DrivenQuery(spark, delay = Some("9 seconds"))(events => over(echo(events)))
      try {
        q.start()
        val fired = batches.flatMap { rows =>
          val got = q.batch(rows: _*)
          if (random.nextBoolean()) q.restart()
          got
        } ++ Seq(40000L, 200000L).flatMap(q.watermark)
        val times = batches.flatten.flatMap { e =>
          Seq((e.key, "element", e.ts.getTime), (e.key, "timer", e.ts.getTime + e.value * 1000L))
        }
        // A timer that is set twice is one.
        val once   = times.filter(_._2 == "element") ++ times.filter(_._2 == "timer").distinct
        val wanted = once.groupBy { case (k, w, t) => (k, w, t / 10000 * 10000) }.map { case ((k, w, start), all) =>
          s"$k $w [$start, ${start + 10000}) ${all.size}"
        }
        assert(WindowText.of(fired) == wanted.toSeq.sorted)
      } finally q.stop()
    }

  test("on a static DataFrame a window behind process takes its event time too") {
    assert(
      WindowText.of(oursOver(echoStatic).collect().toSeq) ==
        Seq("a element [0, 10000) 2", "a element [10000, 20000) 1", "a timer [0, 10000) 2", "a timer [10000, 20000) 1")
    )
  }

  private def echoStatic = SparkWindowing.keyBy(static, Seq(col("key")), Some(col("ts"))).process(new Echo, what)

  test("without event time there is no such column, and on a stream without watermark a window says where it belongs") {
    assert(SparkWindowing.keyBy(static, Seq(col("key"))).process(new Echo, what).columns.toSeq == Seq("key", "what"))
    val bare = new DrivenQuery(spark, delay = None)(identity).events
    for (time <- Seq(None, Some(col("ts")))) {
      val results = SparkWindowing.keyBy(bare, Seq(col("key")), time).process(new Echo, what)
      val e       = intercept[IllegalArgumentException](oursOver(results))
      assert(e.getMessage.contains("put it on the input of process"), e)
    }
    assert(echoStatic.schema("event_time").dataType == TimestampType)
  }

  test("a column event_time of the function's own is refused by name") {
    val e = intercept[IllegalArgumentException](
      SparkWindowing
        .keyBy(static, Seq(col("key")), Some(col("ts")))
        .process(new Echo, StructType.fromDDL("event_time timestamp"))
    )
    assert(e.getMessage.contains("two columns 'event_time': the event time of the result and a result"), e)
  }
}
