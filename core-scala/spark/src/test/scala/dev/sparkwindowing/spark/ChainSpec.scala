package dev.sparkwindowing.spark

import dev.sparkwindowing.SparkWindowing
import dev.sparkwindowing.assigners.{
  OverEventTimeWindows,
  ProcessingTimeSessionWindows,
  TumblingEventTimeWindows,
  TumblingProcessingTimeWindows
}
import dev.sparkwindowing.spark.plan.WatermarkTiming
import dev.sparkwindowing.triggers.ProcessingTimeTrigger
import org.apache.spark.sql.functions._
import org.apache.spark.sql.streaming.Trigger
import org.apache.spark.sql.{DataFrame, Row, SparkSession}
import org.scalatest.funsuite.AnyFunSuite

import java.time.Duration

/** Windows after and before other stateful operators, and processing-time timers. */
class ChainSpec extends AnyFunSuite with SharedSpark {
  import Event.at

  private def seconds(n: Long) = TumblingEventTimeWindows.of(Duration.ofSeconds(n))

  private def ours(events: DataFrame): DataFrame =
    SparkWindowing.keyBy(events, Seq(col("key"))).window(seconds(10)).aggregate(count(lit(1)).as("n"))

  private def spark10(events: DataFrame): DataFrame =
    events.groupBy(col("key"), window(col("ts"), "10 seconds")).agg(count(lit(1)).as("n"))

  private def oursOver(results: DataFrame): DataFrame =
    SparkWindowing.keyBy(results, Seq(col("key"))).window(seconds(60)).aggregate(sum("n").as("rows"))

  private def sparkOver(results: DataFrame): DataFrame =
    results.groupBy(col("key"), window(col("window"), "60 seconds")).agg(sum("n").as("rows"))

  // Six windows of ten seconds with one row each; the watermark rises in the given steps.
  private def total(build: DataFrame => DataFrame, steps: Seq[Long], on: SparkSession = spark): Seq[String] = {
    val q = new DrivenQuery(on)(build)
    try {
      q.start()
      q.batch(at("a", 1, 1000))
      val first = (1 to 5).map(i => q.batch(at("a", 1, i * 10000L + 1000)))
      WindowText.of((first ++ steps.map(q.watermark)).flatten)
    } finally q.stop()
  }

  for {
    ((pace, steps), (name, build)) <- Cases.each(2)(for {
      pace  <- Seq("a steady watermark" -> Seq(60000L, 60001L, 61000L, 70000L), "a jump" -> Seq(600000L))
      chain <- Seq[(String, DataFrame => DataFrame)](
        "ours over ours"    -> (e => oursOver(ours(e))),
        "ours over Spark's" -> (e => oursOver(spark10(e))),
        "Spark's over ours" -> (e => sparkOver(ours(e)))
      )
    } yield pace -> chain)
  } test(s"$name, $pace: no row is lost") {
    assert(total(build, steps) == Seq("a [0, 60000) 6"))

    // Without micro-batches of no data a result waits for the next row: three more for two operators and the filter.
    val withData = spark.newSession()
    withData.conf.set("spark.sql.streaming.noDataMicroBatches.enabled", "false")
    assert(total(build, steps ++ Seq.fill(3)(steps.last), withData) == Seq("a [0, 60000) 6"))
  }

  // Sums of 20 seconds up to each row that accept rows up to 15 seconds late, counted in windows of 30 seconds.
  private def overCounted(lateness: Long)(events: DataFrame): DataFrame = {
    val sums = SparkWindowing
      .keyBy(events, Seq(col("key")))
      .window(OverEventTimeWindows.preceding(Duration.ofSeconds(20)))
      .allowedLateness(Duration.ofSeconds(15))
      .aggregate(sum("value").as("n"))
    SparkWindowing.allOutputs(
      SparkWindowing
        .keyBy(sums, Seq(col("key")))
        .window(seconds(30))
        .allowedLateness(Duration.ofSeconds(lateness))
        .sideOutputLateData("late")
        .aggregate(count(lit(1)).as("rows"))
    )
  }

  for {
    lateness                      <- Seq(0L, 15L)
    (pace, betweenRows, restarts) <- Seq(
      ("rows in every micro-batch", false, false),
      ("micro-batches without rows", true, false),
      ("a run for each micro-batch with rows", true, true)
    )
  } test(s"a late firing over windows of lateness $lateness s, with $pace: counted, or in the late output") {
    val own = spark.newSession()
    own.conf.set("spark.sql.streaming.noDataMicroBatches.enabled", betweenRows.toString)
    val q = new DrivenQuery(own, trigger = if (restarts) Trigger.AvailableNow() else Trigger.ProcessingTime(0))(
      overCounted(lateness)
    )
    def of(rows: Event*): Seq[Row] = if (restarts) q.add(rows: _*).start().settle() else q.batch(rows: _*)
    try {
      if (!restarts) q.start()
      val batches = Seq(Seq(at("a", 1, 1000), at("a", 2, 35000)), Seq(at("a", 4, 25000), at("a", 8, 40000)))
      val outputs = (batches ++ Seq.fill(3)(Seq(at("a", 0, 1000000)))).flatMap(of(_: _*))
      def counts(from: Long): Seq[Long] = outputs
        .filter(r => r.getString(0) == "main" && r.getStruct(1).getStruct(1).getTimestamp(0).getTime == from)
        .map(r => r.getStruct(1).getLong(2))
      val late = outputs.filter(_.getString(0) == "late")
      // The sum at 25 s comes behind the watermark, 35 s: in a micro-batch behind the first one the window is over.
      val (firings, lateRows) = (betweenRows, lateness) match {
        case (true, 0) => (Seq(1), 1)
        case (true, _) => (Seq(1, 2), 0)
        case _         => (Seq(2), 0)
      }
      assert(counts(0) == firings)
      assert(late.size == lateRows)
      assert(counts(30000) == Seq(2))
    } finally q.stop()
  }

  for ((name, before) <- Seq[(String, DataFrame => DataFrame)]("ours" -> ours, "Spark's" -> spark10))
    test(s"a processing-time session that has ended is over before the next row of the operator before, $name") {
      // A processing-time timer waits for a row, so that both come in one micro-batch. Windows before it fire by the
      // watermark of the micro-batch before, as Spark's do.
      val withData = spark.newSession()
      withData.conf.set(WatermarkTiming.Setting, "false")
      withData.conf.set("spark.sql.streaming.noDataMicroBatches.enabled", "false")
      val q = new DrivenQuery(withData)(events =>
        SparkWindowing
          .keyBy(before(events), Seq(col("key")))
          .window(ProcessingTimeSessionWindows.withGap(Duration.ofSeconds(10)))
          .aggregate(sum("n").as("rows"))
      )
      try {
        q.start()
        q.batch(at("a", 1, 1000))
        q.watermark(10000)
        assert(q.batch(at("a", 1, 11000), at("a", 1, 12000)) == Nil)
        assert(q.watermark(20000) == Nil)
        q.clock.advance(10000)
        assert(WindowText.of(q.watermark(20001)) == Seq("a [1000000, 1010000) 1"))
        q.clock.advance(10001)
        assert(WindowText.of(q.watermark(20002)) == Seq("a [1010000, 1020000) 2"))
      } finally q.stop()
    }

  test("a timer of the clock fires on an idle input, without a watermark") {
    val q = new DrivenQuery(spark, delay = None)(events =>
      SparkWindowing
        .keyBy(events, Seq(col("key")))
        .window(TumblingProcessingTimeWindows.of(Duration.ofSeconds(10)))
        .trigger(ProcessingTimeTrigger.create())
        .aggregate(count(lit(1)).as("n"))
    )
    try {
      q.start()
      assert(q.batch(at("a", 1, 0), at("a", 2, 0)) == Nil)
      q.clock.advance(9999)
      assert(q.settle() == Nil)
      q.clock.advance(2)
      assert(WindowText.of(q.settle()) == Seq("a [1000000, 1010000) 2"))
    } finally q.stop()
  }

  test("a changed query is refused on the old checkpoint, and what changed is named") {
    var size = 10L
    val q    = new DrivenQuery(spark)(e =>
      SparkWindowing.keyBy(e, Seq(col("key"))).window(seconds(size)).aggregate(count(lit(1)).as("n"))
    )
    try {
      q.start()
      q.batch(at("a", 1, 1000))
      q.stop()
      size = 20
      q.start()
      val error = intercept[Exception](q.batch(at("a", 1, 2000)))
      assert(
        error.getMessage.contains("assigner.size: was 10 s, is 20 s")
      )
      q.stop()
      size = 10
      q.start()
      assert(WindowText.of(q.watermark(10000)) == Seq("a [0, 10000) 2"))
    } finally q.stop()
  }
}
