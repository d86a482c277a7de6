package dev.sparkwindowing.spark

import dev.sparkwindowing.assigners.{EventTimeSessionWindows, SlidingEventTimeWindows, TumblingEventTimeWindows}
import dev.sparkwindowing.columns.AggregateTrigger
import dev.sparkwindowing.evictors.CountEvictor
import dev.sparkwindowing.spark.links.OperatorSetting
import dev.sparkwindowing.triggers.{AnyTrigger, EventTimeTrigger, PurgingTrigger, Trigger}
import dev.sparkwindowing.{SparkWindowing, WindowedStream}
import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.functions._
import org.apache.spark.sql.types.StructType
import org.apache.spark.sql.{DataFrame, Row}
import org.scalatest.funsuite.AnyFunSuite

import java.time.Duration.ofSeconds
import scala.util.Random

/** A trigger with a condition over the results of the window so far, on streams and static DataFrames. */
class AggregateTriggerSpec extends AnyFunSuite with SharedSpark {
  import Event.at

  private val tumbling = TumblingEventTimeWindows.of(ofSeconds(10))
  private val spent    = sum("value").as("spent")

  private def windows(rows: DataFrame): WindowedStream =
    SparkWindowing.keyBy(rows, Seq(col("key")), Some(col("ts"))).window(tumbling)

  private def above(limit: Int, every: Boolean = true, at: String = "row"): Trigger[InternalRow] =
    AggregateTrigger.of(col("spent") > limit, every, at)

  private def rows(events: Event*): DataFrame = spark.createDataFrame(events).drop("tick")

  private def onStream(delay: Int)(build: DataFrame => DataFrame)(timeLine: DrivenQuery => Unit): Unit = {
    val q = new DrivenQuery(spark, delay = Some(s"$delay seconds"))(build)
    try timeLine(q.start())
    finally q.stop()
  }

  // Firings by a plain loop over the rows of each key and window, in order of arrival.
  private def model(events: Seq[Event], every: Boolean, purging: Boolean): Seq[String] =
    events
      .groupBy(e => (e.key, Math.floorDiv(e.ts.getTime, 10000L) * 10000))
      .toSeq
      .flatMap { case ((key, start), own) =>
        var (total, held) = (0, false)
        own.flatMap { e =>
          if (total == Int.MinValue) held = held && !every
          total = (if (total == Int.MinValue) 0 else total) + e.value
          val fires = total > 10 && !held
          held = if (every || !held) total > 10 else held
          val line = s"$key [$start, ${start + 10000}) $total"
          if (fires && purging) total = Int.MinValue
          if (fires) Some(line) else None
        }
      }
      .sorted

  for {
    (name, of) <- StateStores.all.take(2) :+ ("the portable" -> Map.empty[String, String])
    every      <- Seq(true, false)
  } test(s"a plain loop over the rows, with restarts, every = $every, $name") {
    val own = StateStores.session(spark, of)
    if (name == "the portable") own.conf.set(OperatorSetting.Name, OperatorSetting.Portable)
    val random  = new Random(7)
    val purging = name == "RocksDB"
    val events  =
      Seq.fill(60)(at(s"k${random.nextInt(2)}", random.nextInt(16) - 6, 1000 + random.nextInt(30000).toLong))
    val trigger = if (purging) PurgingTrigger.of(above(10, every)) else above(10, every)
    val q       = new DrivenQuery(own, delay = Some("100 seconds"))(windows(_).trigger(trigger).aggregate(spent))
    try {
      q.start()
      val got = events.grouped(12).toSeq.zipWithIndex.flatMap { case (batch, i) =>
        if (i == 2) q.restart()
        q.batch(batch: _*)
      }
      assert(got.nonEmpty && WindowText.of(got) == model(events, every, purging))
      val last = rows(events.sortBy(_.ts.getTime): _*)
      assert(
        WindowText.of(windows(last).trigger(trigger).aggregate(spent).collect().toSeq) ==
          model(events.sortBy(_.ts.getTime), every, purging)
      )
    } finally q.stop()
  }

  test("at the end of a micro-batch its rows are aggregated before the exchange, and the condition is computed once") {
    val micro = above(10, at = "micro-batch")
    onStream(delay = 0)(windows(_).trigger(micro).aggregate(spent)) { q =>
      assert(q.batch(at("a", 20, 1000), at("a", -15, 1000)).isEmpty)
      assert(WindowText.of(q.batch(at("a", 3, 1000), at("a", 4, 1000))) == Seq("a [0, 10000) 12"))
      assert(q.restart().batch(at("a", 1, 1000)).isEmpty)
      assert(q.batch(at("a", -9, 1000)).isEmpty)
      assert(WindowText.of(q.batch(at("a", 9, 2000))) == Seq("a [0, 10000) 13"))
      assert(q.watermark(30000).isEmpty)
    }
    val static = windows(rows(at("a", 20, 1000), at("a", -15, 2000), at("b", 11, 1000))).trigger(micro).aggregate(spent)
    assert(WindowText.of(static.collect().toSeq) == Seq("b [0, 10000) 11"))
    assert(SparkWindowing.explain(static).contains("path: aggregated by windows before the exchange"))
    val sliding = SparkWindowing
      .keyBy(rows(), Seq(col("key")), Some(col("ts")))
      .window(SlidingEventTimeWindows.of(ofSeconds(20), ofSeconds(10)))
    assert(SparkWindowing.explain(sliding.trigger(micro).aggregate(spent)).contains("kept: windows"))
    val byRow = SparkWindowing.explain(sliding.trigger(above(10)).aggregate(spent))
    assert(
      byRow.contains(
        "path: row by row, since AggregateTrigger((spent > CAST(10 AS BIGINT)), every = true) is told of each element"
      )
    )
  }

  test("sessions that merge, late rows, results of several aggregates, and an end") {
    def sessions(trigger: Trigger[InternalRow])(events: DataFrame) = SparkWindowing
      .keyBy(events, Seq(col("key")))
      .window(EventTimeSessionWindows.withGap(ofSeconds(5)))
      .trigger(trigger)
      .allowedLateness(ofSeconds(60))
      .aggregate(count(lit(1)).as("n"), avg("value").as("mean"))
    val trigger = AnyTrigger.of(
      AggregateTrigger.of(col("n") >= 3 && col("mean") > 5, every = true),
      EventTimeTrigger.create()
    )
    onStream(delay = 10)(sessions(trigger)) { q =>
      assert(q.batch(at("a", 6, 1000), at("a", 6, 11000)).isEmpty)
      assert(WindowText.of(q.batch(at("a", 9, 6000))) == Seq("a [1000, 16000) 3 7.0"))
      assert(WindowText.of(q.watermark(30000)) == Seq("a [1000, 16000) 3 7.0"))
      assert(WindowText.of(q.batch(at("a", -9, 2000))) == Seq("a [1000, 16000) 4 3.0"))
    }
  }

  test("results of a reduce, of a user's aggregate, and of what a function gets; null is false") {
    val events  = rows(at("a", 6, 1000), at("a", 6, 2000), at("b", 3, 1000))
    val reduced = windows(events).trigger(AggregateTrigger.of(col("value") > 10)).sum("value")
    assert(reduced.select("key", "value").collect().toSeq == Seq(Row("a", 12)))
    val longest = windows(events).trigger(AggregateTrigger.of(length(col("word")) > 5)).aggregate(new LongestWord)
    assert(WindowText.of(longest.collect().toSeq) == Seq("a [0, 10000) xxxxxx 1"))
    val called = windows(events).trigger(above(10)).aggregate(Seq(spent), new Counted, StructType.fromDDL("n INT"))
    assert(WindowText.of(called.collect().toSeq) == Seq("a [0, 10000) 1"))
    assert(windows(events).trigger(AggregateTrigger.of(col("spent") > lit(null))).aggregate(spent).collect().isEmpty)
  }

  test("another condition goes on with the windows of the old one") {
    def query(limit: Int)(of: WindowedStream => WindowedStream)(events: DataFrame) =
      of(windows(events).trigger(above(limit))).aggregate(spent)
    Changing(spark)(query(10)(identity)) { c =>
      assert(WindowText.of(c.driven.batch(at("a", 12, 1000))) == Seq("a [0, 10000) 12"))
      assert(
        c.refused(query(20)(identity))
          .contains("trigger.when: was (spent > CAST(10 AS BIGINT)), is (spent > CAST(20 AS BIGINT))")
      )
      c.to(query(20)(_.allowStateChange()))
      assert(c.driven.batch(at("a", 1, 1000)).isEmpty)
      assert(WindowText.of(c.driven.batch(at("a", 9, 1000))) == Seq("a [0, 10000) 22"))
    }
  }

  test("refused by name: evictors, functions of all rows, joins, other columns and types") {
    val events                                     = rows(at("a", 1, 1000))
    def refusal(call: => Any, said: String*): Unit = {
      val message = intercept[Exception](call).getMessage
      said.foreach(s => assert(message.contains(s), message))
    }
    val stream = windows(events).trigger(above(10))
    refusal(stream.evictor(CountEvictor.of(1)), "cannot be used with CountEvictor(1)", "take .evictor() away")
    refusal(stream.process(new Counted, StructType.fromDDL("n INT")), "a window has no results before it fires")
    refusal(stream.aggregate(sum("value").as("other")), "when of AggregateTrigger", "spent", "other")
    refusal(
      windows(events).trigger(AggregateTrigger.of(col("spent"))).aggregate(spent),
      "takes a boolean column, got when = spent of type BIGINT"
    )
    refusal(AggregateTrigger.of(col("spent") > 1, at = "second"), """at must be "row" or "micro-batch", got "second"""")
    val keyed  = SparkWindowing.keyBy(events, Seq(col("key")), Some(col("ts")))
    val joined = SparkWindowing.join(keyed, keyed).window(tumbling)
    refusal(joined.trigger(above(10)).inner(), "a window has no results before it fires")
  }
}
