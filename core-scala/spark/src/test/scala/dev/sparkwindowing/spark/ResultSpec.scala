package dev.sparkwindowing.spark

import dev.sparkwindowing.SparkWindowing
import dev.sparkwindowing.assigners.GlobalWindows
import dev.sparkwindowing.triggers.{
  AnyTrigger,
  ContinuousEventTimeTrigger,
  CountTrigger,
  EndOfStreamTrigger,
  PurgingTrigger
}
import org.apache.spark.sql.functions._
import org.scalatest.funsuite.AnyFunSuite

import java.time.Duration

/** A result is a DataFrame like any other: joined, united, put behind other operators. */
class ResultSpec extends AnyFunSuite with SharedSpark {
  import Event.at

  private val rows = Seq(at("a", 1, 1000), at("a", 2, 2000), at("b", 3, 12000), Event("a", 9, null))

  private lazy val result = SparkWindowing
    .keyBy(spark.createDataFrame(rows), Seq(col("key")), Some(col("ts")))
    .timeWindow(Duration.ofSeconds(10))
    .sideOutputLateData("late")
    .aggregate(count(lit(1)).as("n"))

  test("a result joined with itself") {
    val pairs = result.as("x").join(result.as("y"), col("x.key") === col("y.key")).select("x.key", "x.n", "y.n")
    assert(WindowText.of(pairs.collect().toSeq) == Seq("a 2 2", "b 1 1"))
  }

  test("a result joined with its late rows") {
    val late = SparkWindowing.sideOutput(result, "late")
    val rows = result.join(late, "key").select("key", "n", "value", "late_reason")
    assert(WindowText.of(rows.collect().toSeq) == Seq("a 2 9 no event time"))
  }

  test("a result united with itself") {
    assert(WindowText.of(result.union(result).select("key", "n").collect().toSeq) == Seq("a 2", "a 2", "b 1", "b 1"))
  }

  test("window_time and window take the column `window` as they take Spark's own") {
    val times = result.select(col("key"), window_time(col("window")).as("t"), window(col("window"), "1 minute").as("w"))
    assert(WindowText.of(times.collect().toSeq) == Seq("a 9999 [0, 60000)", "b 19999 [0, 60000)"))
  }

  test("withWatermark on the result of a stream is refused, with what to do") {
    val q = new DrivenQuery(spark)(events =>
      SparkWindowing
        .keyBy(events, Seq(col("key")))
        .timeWindow(Duration.ofSeconds(10))
        .aggregate(max("ts").as("last"))
        .withWatermark("last", "1 second")
    )
    try {
      q.start()
      val error = intercept[Exception](q.batch(at("a", 1, 1000)))
      assert(error.getMessage.contains("Take withWatermark away"), error.getMessage)
    } finally q.stop()
  }

  test("the end of a stream as trigger is refused on a stream, also inside another") {
    val q = new DrivenQuery(spark)(events =>
      SparkWindowing
        .keyBy(events, Seq(col("key")))
        .window(GlobalWindows.create())
        .trigger(AnyTrigger.of[Any](CountTrigger.of(9), PurgingTrigger.of[Any](EndOfStreamTrigger.create())))
        .aggregate(count(lit(1)).as("n"))
    )
    try {
      q.start()
      val error = intercept[Exception](q.batch(at("a", 1, 1000)))
      assert(error.getMessage.contains("a stream never ends"), error.getMessage)
    } finally q.stop()
  }

  test("intervals of event time on the global window of a static DataFrame are refused: they would have no end") {
    val endless = SparkWindowing
      .keyBy(spark.createDataFrame(rows), Seq(col("key")), Some(col("ts")))
      .window(GlobalWindows.create())
      .trigger(ContinuousEventTimeTrigger.of(Duration.ofSeconds(1)))
      .aggregate(count(lit(1)).as("n"))
    val error = intercept[IllegalArgumentException](endless.collect())
    assert(error.getMessage.contains("would fire without end"), error.getMessage)
  }
}
