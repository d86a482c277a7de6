package dev.sparkwindowing.spark

import dev.sparkwindowing.SparkWindowing
import dev.sparkwindowing.assigners.TumblingEventTimeWindows
import dev.sparkwindowing.spark.advice.Face
import dev.sparkwindowing.spark.plan.{RealTimeCheck, RealTimeMode, SessionSettings, WindowNode}
import dev.sparkwindowing.spark.relocated.RelocatedInTests.memoryStream
import org.apache.spark.sql.functions._
import org.apache.spark.sql.streaming.{OutputMode, Trigger}
import org.apache.spark.sql.{DataFrame, Encoders, SparkSession, SparkWindowingBridge}
import org.scalatest.funsuite.AnyFunSuite

import java.time.Duration

/** Queries that are refused when they start, before any micro-batch. */
class StartSpec extends AnyFunSuite with SharedSpark {
  import Event.at
  import StartSpec._

  private def events: DataFrame = memoryStream(Encoders.product[Event], spark).toDF().withWatermark("ts", "0 seconds")

  private def ours(rows: DataFrame, time: Option[String] = None): DataFrame = SparkWindowing
    .keyBy(rows, Seq(col("key")), time.map(col))
    .window(TumblingEventTimeWindows.of(Duration.ofSeconds(60)))
    .aggregate(sum("value").as("value"))

  private def aggregated(rows: DataFrame): DataFrame =
    rows.groupBy(col("key"), window(col("ts"), "10 seconds")).agg(sum("value").as("value"))

  private def starting(on: SparkSession, mode: OutputMode)(build: DataFrame => DataFrame): String = {
    val q = new DrivenQuery(on, mode)(build)
    try intercept[IllegalArgumentException](q.start()).getMessage
    finally q.stop()
  }

  private def setting(settings: (String, String)*): SparkSession = {
    val own = spark.newSession()
    settings.foreach { case (key, value) => own.conf.set(key, value) }
    own
  }

  for (mode <- Seq(OutputMode.Update(), OutputMode.Complete())) {
    test(s"an aggregation in front, $mode: refused with what to type, with and without Spark's check of correctness") {
      val unchecked = setting("spark.sql.streaming.statefulOperator.checkCorrectness.enabled" -> "false")
      for (session <- Seq(spark, unchecked)) {
        val error = starting(session, mode)(e => ours(aggregated(e)))
        assert(
          error.contains(
            "an aggregation (groupBy, SELECT DISTINCT) in front of a window in output mode update or complete"
          )
        )
        assert(error.contains("writeStream.outputMode(\"append\")"))
      }
    }

    test(s"an aggregation in front, $mode, with Spark's check turned off: the first micro-batch is refused") {
      val q = new DrivenQuery(setting("spark.sql.streaming.unsupportedOperationCheck" -> "false"), mode)(e =>
        ours(aggregated(e))
      )
      try {
        q.start()
        assert(
          intercept[Exception](q.batch(at("a", 1, 1000))).getMessage
            .contains("an aggregation (groupBy, SELECT DISTINCT)")
        )
      } finally q.stop()
    }
  }

  test("an operator with event-time timeout in front is refused by name") {
    val operator = StatefulOperators.all.find(_.name == "flatMapGroupsWithState, event-time timeout").get
    val error = starting(spark, OutputMode.Append())(e => ours(operator.build(e, e).withWatermark("ts", "0 seconds")))
    assert(error.contains("flatMapGroupsWithState with event-time timeout in front of a window"))
  }

  test(
    "an operator with event-time timeout in front, with Spark's check turned off: the first micro-batch is refused"
  ) {
    val operator = StatefulOperators.all.find(_.name == "flatMapGroupsWithState, event-time timeout").get
    val q        = new DrivenQuery(setting("spark.sql.streaming.unsupportedOperationCheck" -> "false"))(e =>
      ours(operator.build(e, e).withWatermark("ts", "0 seconds"))
    )
    try {
      q.start()
      val error = intercept[Exception](q.batch(at("a", 1, 1000))).getMessage
      assert(error.contains("flatMapGroupsWithState with event-time timeout in front of a window"), error)
    } finally q.stop()
  }

  for (setting <- SessionSettings.All) {
    val other = if (setting.allowed == "true") "false" else "avro"

    test(s"${setting.key} = $other is refused by name") {
      val error = starting(this.setting(setting.key -> other), OutputMode.Append())(ours(_))
      assert(error.contains(s"need ${setting.key} to be ${setting.allowed}, got '$other'"))
      assert(error.contains(s"""spark.conf.set("${setting.key}", "${setting.allowed}")"""))
    }

    test(s"${setting.key} = $other, with Spark's check turned off: the first micro-batch is refused") {
      val session = this.setting(setting.key -> other, "spark.sql.streaming.unsupportedOperationCheck" -> "false")
      val q       = new DrivenQuery(session)(ours(_))
      try {
        q.start()
        assert(intercept[Exception](q.batch(at("a", 1, 1000))).getMessage.contains(s"need ${setting.key}"))
      } finally q.stop()
    }
  }

  test("a window is stateful on a stream only: a stream joined with a static result has no state") {
    val stream                                  = events
    val fixed                                   = ours(spark.createDataFrame(Seq(at("a", 1, 1000))), Some("ts"))
    def states(result: DataFrame): Seq[Boolean] =
      SparkWindowingBridge.analyzedPlan(result).collect { case node: WindowNode => node.isStateful }
    assert(states(ours(stream)) == Seq(true))
    assert(states(fixed) == Seq(false))
    assert(states(stream.join(fixed, "key")) == Seq(false))
    assert(states(ours(stream).join(fixed, "key")).toSet == Set(true, false))
  }

  test("windows on a stream are refused under the real-time trigger, static ones are not") {
    val fixed                   = ours(spark.createDataFrame(Seq(at("a", 1, 1000))), Some("ts"))
    def plan(result: DataFrame) = SparkWindowingBridge.analyzedPlan(result)
    def refused(trigger: Any)   = intercept[IllegalArgumentException](RealTimeCheck.refuse(trigger, plan(ours(events))))
    val error                   = refused(RealTimeTrigger(300000)).getMessage
    assert(error.contains("do not run in real-time mode, got RealTimeTrigger(300000) by Trigger.RealTime(..)"))
    assert(error.contains(".trigger(Trigger.ProcessingTime(\"1 second\"))"))
    val declared = Face.Python.use(plan(ours(events)))
    val python = intercept[IllegalArgumentException](RealTimeCheck.refuse(RealTimeTrigger(300000), declared)).getMessage
    assert(
      python.contains("Type .trigger(processingTime=\"1 second\") in its place, or on Spark 4.3 spark.conf"),
      python
    )
    // Where the session allows them, this Spark is too old.
    val own = spark.newSession()
    own.conf.set(RealTimeMode.Setting, "true")
    val old = SparkWindowingBridge.within(own)(
      intercept[UnsupportedOperationException](
        RealTimeCheck.refuse(RealTimeTrigger(300000), plan(ours(events)))
      )
    )
    assert(old.getMessage.contains("need Spark 4.3 or later, and this is "), old)
    RealTimeCheck.refuse(RealTimeTrigger(300000), plan(events.join(fixed, "key")))
    RealTimeCheck.refuse(Trigger.ProcessingTime("1 second"), plan(ours(events)))
    RealTimeCheck.refuse(null, plan(ours(events)))
  }
}

object StartSpec {

  // By the name of Spark's, which is not there on all versions.
  final case class RealTimeTrigger(batchDurationMs: Long)
}
