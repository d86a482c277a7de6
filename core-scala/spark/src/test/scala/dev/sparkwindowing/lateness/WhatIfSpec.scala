package dev.sparkwindowing.lateness

import dev.sparkwindowing.assigners.{EventTimeSessionWindows, SlidingEventTimeWindows, TumblingEventTimeWindows}
import dev.sparkwindowing.spark.{DrivenQuery, Event, SharedSpark}
import dev.sparkwindowing.triggers.{AfterWatermark, CountTrigger, FiringInterval}
import dev.sparkwindowing.watermarks.WatermarkStrategy
import dev.sparkwindowing.{SparkWindowing, WhatIf, WindowedStream}
import org.apache.spark.sql.functions._
import org.apache.spark.sql.{DataFrame, Row}
import org.scalatest.funsuite.AnyFunSuite
import org.scalatest.tags.Slow

import java.time.Duration
import java.time.Duration.{ofMillis, ofSeconds}
import scala.util.Random

/** Replays of a declaration: they give what a query gives that has the rows in the same micro-batches. */
@Slow
class WhatIfSpec extends AnyFunSuite with SharedSpark {
  import Event.at
  import spark.implicits._

  private val Every = 5000L

  // Rows of micro-batches, some of which have none.
  private def arrivals(seed: Int): Seq[(Long, Event)] = {
    val chance = new Random(seed)
    Seq.fill(300) {
      val batch  = 3 + chance.nextInt(30).toLong
      val behind = math.pow(10, chance.nextDouble() * 5).toLong
      val event  = at(s"k${chance.nextInt(4)}", chance.nextInt(9), math.max(1, batch * Every + 4000 - behind))
      batch -> (if (chance.nextInt(50) == 0) Event(event.key, event.value, null) else event)
    }
  }

  private def table(rows: Seq[(Long, Event)]): DataFrame =
    rows
      .sortBy(_._1)
      .map { case (batch, e) => (e.key, e.value, e.ts, batch) }
      .toDF("key", "value", "ts", "batch")
      .withColumn("came", timestamp_millis(col("batch") * Every + 3))

  private val tumbling = TumblingEventTimeWindows.of(ofSeconds(10))
  private val cases    = Seq[(String, DataFrame => WindowedStream)](
    "tumbling"                          -> (windows(_).window(tumbling)),
    "tumbling, with a lateness"         -> (windows(_).window(tumbling).allowedLateness(ofSeconds(20))),
    "sliding, in slices"                -> (windows(_).window(SlidingEventTimeWindows.of(ofSeconds(12), ofSeconds(5)))),
    "sessions"                          -> (windows(_).window(EventTimeSessionWindows.withGap(ofSeconds(3)))),
    "early by micro-batch, late by row" -> (rows =>
      windows(rows)
        .window(tumbling)
        .allowedLateness(ofSeconds(30))
        .trigger(AfterWatermark.of(FiringInterval.MicroBatch, FiringInterval.by(CountTrigger.of(1))))
    )
  )

  private def windows(rows: DataFrame) = SparkWindowing.keyBy(rows, Seq(col("key")), Some(col("ts")))

  // Output of a query in each micro-batch: key, window, firing; and the number of late rows.
  private def streamed(rows: Seq[(Long, Event)], delay: Duration)(
      declared: DataFrame => WindowedStream
  ): (Seq[(Long, Row)], Long) = {
    val q = new DrivenQuery(spark, delay = Some(s"${delay.toMillis} milliseconds"))(events =>
      declared(events).withPane().aggregate(sum("value").as("s")).select("key", "window.*", "pane.number")
    )
    try {
      q.start()
      val out =
        rows.groupBy(_._1).toSeq.sortBy(_._1).flatMap { case (batch, of) => q.batch(of.map(_._2): _*).map(batch -> _) }
      val late = q.running.recentProgress.flatMap(_.stateOperators.headOption).map(_.customMetrics)
      (out, late.flatMap(m => Option(m.get("numLateRecordsDropped"))).map(_.longValue).sum)
    } finally q.stop()
  }

  for (((name, declared), seed) <- cases.zipWithIndex) {
    val delay = if (seed % 2 == 0) ofSeconds(7) else ofMillis(0)
    test(s"as a query on the same micro-batches: $name, a delay of $delay") {
      val rows            = arrivals(seed)
      val (fired, late)   = streamed(rows, delay)(declared)
      val result          = declared(table(rows)).aggregate(sum("value").as("s"))
      val Seq(of, byTime) = Seq(col("batch"), col("came")).map(WhatIf.of(result, _, ofMillis(Every), Seq(delay)).head)
      val firings         = fired.groupBy(_._2.toSeq.take(3)).values.map(_.map(_._1)).toSeq
      assert((of.rows, of.untimed, of.lost) == ((300, rows.count(_._2.ts == null), late)))
      assert(of.copy(first = None, last = None) == byTime.copy(first = None, last = None))
      assert(
        (of.windows, of.revised, of.revisions) ==
          ((firings.size, firings.count(_.size > 1), firings.map(_.size - 1).sum))
      )
      def waits(batch: Seq[Long] => Long) = {
        val all = fired
          .groupBy(_._2.toSeq.take(3))
          .toSeq
          .map { case (window, at) =>
            (batch(at.map(_._1)) + 1) * Every - window(2).asInstanceOf[java.sql.Timestamp].getTime
          }
          .sorted
        Some(Outcome.Waits(all(math.ceil(all.size * 0.5).toInt - 1), all(math.ceil(all.size * 0.99).toInt - 1)))
      }
      assert(of.first.isEmpty && byTime.first == waits(_.min) && byTime.last == waits(_.max))
      assert(of.stateBytes > 0)
    }
  }

  test("as a query with a watermark by partition, of which one lags and one begins later") {
    val rows = arrivals(5)
      .map {
        case (batch, e) if e.key == "k1" && e.ts != null =>
          batch -> at(e.key, e.value, math.max(1, e.ts.getTime - 40000))
        case other => other
      }
      .filter { case (batch, e) => e.key != "k2" || batch > 15 }
    val strategy = WatermarkStrategy.forBoundedOutOfOrderness(ofSeconds(2))
    val q        = new DrivenQuery(spark, delay = None)(events => {
      val timed = SparkWindowing.assignTimestampsAndWatermarks(events, strategy, "ts", perPartition = col("key"))
      SparkWindowing.keyBy(timed, Seq(col("key"))).window(tumbling).aggregate(count(lit(1)).as("n"))
    }).start()
    try {
      val fired = rows.groupBy(_._1).toSeq.sortBy(_._1).map { case (_, of) => q.batch(of.map(_._2): _*).size }
      val late  =
        q.running.recentProgress.flatMap(_.stateOperators).map(_.customMetrics.get("numLateRecordsDropped").longValue)
      val result      = windows(table(rows)).window(tumbling).aggregate(count(lit(1)).as("n"))
      val Seq(by, of) =
        Seq(col("key"), null).map(WhatIf.of(result, col("batch"), ofMillis(Every), Seq(ofSeconds(2)), _).head)
      assert((by.windows, by.lost) == ((fired.sum.toLong, late.sum)))
      assert(by.lost > 0 && of.lost > by.lost)
    } finally q.stop()
  }

  test("a longer delay loses fewer rows, holds more state, and gives results later") {
    val result   = windows(table(arrivals(77))).window(tumbling).aggregate(count(lit(1)).as("n"))
    val delays   = Seq(0L, 2L, 10L, 60L).map(ofSeconds(_))
    val outcomes = WhatIf.of(result, col("came"), ofMillis(Every), delays)
    assert(outcomes.map(_.delay) == delays.map(_.toMillis))
    assert(outcomes.map(_.lost) == outcomes.map(_.lost).sorted.reverse && outcomes.head.lost > outcomes.last.lost)
    assert(outcomes.map(_.stateBytes) == outcomes.map(_.stateBytes).sorted)
    assert(outcomes.flatMap(_.first).map(_.p50) == outcomes.flatMap(_.first).map(_.p50).sorted)
  }

  test("a trigger by the clock fires at the times of arrival") {
    val rows  = Seq(0L -> at("a", 1, 1000), 1L -> at("a", 2, 6000), 9L -> at("a", 4, 9000), 10L -> at("b", 1, 20000))
    val early =
      windows(table(rows)).window(tumbling).trigger(AfterWatermark.of(early = FiringInterval.every(ofSeconds(6))))
    val result = early.aggregate(sum("value").as("s"))
    val of     = WhatIf.of(result, col("came"), ofMillis(Every), Seq(ofMillis(0))).head
    assert((of.windows, of.revised) == ((1, 1)))
    assert((of.first.get.p50, of.last.get.p50) == ((0L, 45000L)))
    val said =
      intercept[UnsupportedOperationException](WhatIf.of(result, col("batch"), ofMillis(Every), Seq(ofMillis(0))))
    assert(said.getMessage.contains("fires by processing time, and arrived has numbers of micro-batches"))
  }

  test("refused by name") {
    val rows                             = table(arrivals(1))
    val plain                            = windows(rows).window(tumbling).aggregate(count(lit(1)).as("n"))
    def says(text: String)(call: => Any) = {
      val error = intercept[RuntimeException](call)
      assert(error.getMessage.contains(text), error)
    }
    def ask(result: DataFrame, delay: Duration = ofSeconds(1)) =
      WhatIf.of(result, col("came"), ofMillis(Every), Seq(delay))
    says("delay must not be negative, got -1 s")(ask(plain, ofSeconds(-1)))
    says("arrived must be a TIMESTAMP, or the number of a micro-batch, got STRING")(
      WhatIf.of(plain, col("key"), ofMillis(Every), Nil)
    )
    says("every")(WhatIf.of(plain, col("came"), ofMillis(0), Nil))
    says("what_if takes the result of one window exactly as")(ask(plain.where("n > 1")))
    says("those of several names")(ask(windows(rows).windows("a" -> tumbling).aggregate(count(lit(1)).as("n"))))
    says("windows that end by event time")(ask(windows(rows).countWindow(2).aggregate(count(lit(1)).as("n"))))
    val stream = new DrivenQuery(spark)(identity).events
    says("takes the rows of a static DataFrame, and got a stream")(
      ask(windows(stream).window(tumbling).aggregate(count(lit(1)).as("n")))
    )
  }
}
