package dev.sparkwindowing.spark

import dev.sparkwindowing.assigners.{SlidingEventTimeWindows, TumblingEventTimeWindows}
import dev.sparkwindowing.columns.RowParts
import dev.sparkwindowing.declaration.PartSpec
import dev.sparkwindowing.evictors.CountEvictor
import dev.sparkwindowing.interop.ClassParts
import dev.sparkwindowing.spark.checkpoint.Changes
import dev.sparkwindowing.spark.plan.{StateLimits, StateStoreRules, WatermarkTiming}
import dev.sparkwindowing.spark.relocated.RelocatedInTests.memoryStream
import dev.sparkwindowing.triggers.{
  AfterWatermark,
  AnyTrigger,
  ContinuousEventTimeTrigger,
  CountTrigger,
  EventTimeTrigger,
  NeverTrigger,
  OnceTrigger,
  ProcessingTimeoutTrigger,
  PurgingTrigger,
  Trigger
}
import dev.sparkwindowing.{KeyedStream, SparkWindowing, WindowedStream}
import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.functions._
import org.apache.spark.sql.streaming.{StreamingQueryException, Trigger => StreamTrigger}
import org.apache.spark.sql.{Column, DataFrame, Encoders}
import org.scalatest.funsuite.AnyFunSuite
import org.scalatest.tags.Slow

import java.nio.file.Files
import java.time.Duration.{ofMinutes, ofSeconds}

/** A query that was changed and starts on its old checkpoint: what is refused, what is allowed, and what it does then.
  */
@Slow
class StateChangeSpec extends AnyFunSuite with SharedSpark {
  import Event.at

  private type Query = DataFrame => DataFrame

  private val key      = Seq(col("key"))
  private val tumbling = TumblingEventTimeWindows.of(ofSeconds(10))
  private val total    = sum("value").as("total")

  private def keyed(events: DataFrame): KeyedStream = SparkWindowing.keyBy(events, key)
  private def windows(events: DataFrame)            = keyed(events).window(tumbling)
  private def query(of: WindowedStream => WindowedStream, aggregates: Column*): Query = events =>
    of(windows(events)).aggregate((if (aggregates.isEmpty) Seq(total) else aggregates): _*)

  // The state says when its timers are, which a change moves.
  private lazy val session = {
    val own = spark.newSession()
    own.conf.set(StateLimits.SavedSetting, "1")
    own
  }

  private def changing(first: Query)(check: Changing => Unit): Unit = Changing(session)(first)(check)

  private val plain = query(identity)

  private val refusals: Seq[(String, Query, String)] = Seq(
    (
      "the assigner",
      keyed(_).window(TumblingEventTimeWindows.of(ofSeconds(20))).aggregate(total),
      "assigner.size: was 10 s, is 20 s"
    ),
    (
      "the assigner's kind",
      keyed(_).window(SlidingEventTimeWindows.of(ofSeconds(10), ofSeconds(5))).aggregate(total),
      "assigner: was TumblingEventTimeWindows(10 s), is SlidingEventTimeWindows(10 s, 5 s)"
    ),
    (
      "the trigger, to one with values",
      query(_.trigger(OnceTrigger.of(CountTrigger.of(3)))),
      "trigger: was EventTimeTrigger, is OnceTrigger(CountTrigger(3))"
    ),
    ("the evictor", query(_.evictor(CountEvictor.of(2))), "evictor: was none, is CountEvictor(2)"),
    ("the lateness", query(_.allowedLateness(ofSeconds(5))), "allowed lateness: was 0 ms, is 5 s"),
    ("panes", query(_.withPane()), "panes: was false, is true"),
    (
      "the keys",
      events =>
        SparkWindowing.keyBy(events, Seq(col("key"), col("value"))).window(tumbling).aggregate(count(lit(1)).as("n")),
      "keys.2: was not there, is value int"
    ),
    (
      "the functions",
      query(identity, max("value").as("total")),
      "functions.1: was sum(`value#0`), is max(`value#0`); buffer: was struct<0_sum:bigint>, is struct<0_max:int>"
    )
  )

  for ((what, changed, message) <- refusals)
    test(s"a change of $what is refused by name, and the state is untouched") {
      changing(plain) { c =>
        c.driven.batch(at("a", 1, 1000))
        val error = c.refused(changed)
        assert(error.contains(message), error)
        assert(error.contains("The state is untouched"), error)
        c.to(plain)
        assert(WindowText.of(c.driven.watermark(10000)) == Seq("a [0, 10000) 1"))
      }
    }

  test(
    "longer intervals and other counts are safe where a trigger is not forgettable, nothing shorter and nothing else"
  ) {
    def of(trigger: Trigger[Any])                   = PartSpec("window operator", Seq("trigger" -> trigger.spec))
    def isSafe(was: Trigger[Any], is: Trigger[Any]) = Changes.between(of(was), of(is)).unsafe.isEmpty
    val timed: Seq[Long => Trigger[Any]]            = Seq(
      seconds => OnceTrigger.of(ContinuousEventTimeTrigger.of(ofSeconds(seconds))),
      seconds => AnyTrigger.of(CountTrigger.of(3), OnceTrigger.of(ContinuousEventTimeTrigger.of(ofSeconds(seconds))))
    )
    timed.foreach { trigger =>
      assert(isSafe(trigger(50), trigger(120)), trigger(50))
      assert(!isSafe(trigger(120), trigger(50)), trigger(50))
      assert(!isSafe(trigger(50), EventTimeTrigger.create()), trigger(50))
      assert(!isSafe(EventTimeTrigger.create(), trigger(50)), trigger(50))
    }
    assert(!isSafe(AfterWatermark.of(early = ofSeconds(5)), timed.head(50)))
    assert(!isSafe(CountTrigger.of(3), CountTrigger.of(4, atLeast = 9)))
    assert(!isSafe(CountTrigger.of(3, atLeast = 9), CountTrigger.of(4, atLeast = 9)))
    def timeout(seconds: Long) = ProcessingTimeoutTrigger.of(EventTimeTrigger.create(), ofSeconds(seconds))
    assert(!isSafe(timeout(50), timeout(120)))
    assert(!isSafe(AnyTrigger.of(EventTimeTrigger.create()), AnyTrigger.of(NeverTrigger.create())))
    // The one restarts its parts, the other does not.
    val counts                 = Seq(CountTrigger.of(2), CountTrigger.of(3))
    def any(restarts: Boolean) = AnyTrigger.of(restarts, counts: _*)
    assert(isSafe(any(restarts = true), AnyTrigger.of(counts: _*)))
    assert(!isSafe(any(restarts = false), any(restarts = true)))
    assert(!isSafe(any(restarts = true), any(restarts = false)))
  }

  test("further columns of kept rows are refused where they would move the others, and else taken") {
    def keeping(further: Int): Query = { events =>
      val wide = events.select(col("*") +: (1 to further).map(i => lit(i).as(s"c$i")): _*)
      keyed(wide)
        .window(tumbling)
        .evictor(CountEvictor.of(9))
        .sideOutputLateData("late")
        .aggregate(collect_list("value"))
    }
    changing(keeping(0)) { c =>
      c.driven.batch(at("a", 1, 1000))
      c.to(keeping(10))
      c.driven.batch(at("a", 2, 2000))
      val error = c.refused(keeping(70))
      assert(error.contains("columns of kept rows: was 64, is 128 (Spark lays rows out by so many columns)"), error)
      c.to(keeping(10))
      assert(WindowText.of(c.driven.watermark(10000)) == Seq("a [0, 10000) [1 2]"))
    }
  }

  test("what is safe is refused with the line to type, what is not is refused even where safe changes are allowed") {
    changing(plain) { c =>
      c.driven.batch(at("a", 1, 1000))
      val safe = c.refused(query(_.allowedLateness(ofSeconds(5))))
      assert(safe.contains("allow that for one start with .allowStateChange()"), safe)
      val both = c.refused(query(_.allowedLateness(ofSeconds(5)).evictor(CountEvictor.of(3)).allowStateChange()))
      assert(both.contains("Changed: evictor: was none, is CountEvictor(3); "), both)
      assert(both.contains(". Changed too, which"), both)
      assert(both.contains("would allow: allowed lateness: was 0 ms, is 5 s"), both)
      assert(c.specifications == Seq("specification"))
    }
  }

  test("a shorter lateness is refused even where safe changes are allowed") {
    changing(query(_.allowedLateness(ofSeconds(5)))) { c =>
      c.driven.batch(at("a", 1, 1000))
      val error = c.refused(query(_.allowedLateness(ofSeconds(4)).allowStateChange()))
      assert(error.contains("Changed: allowed lateness: was 5 s, is 4 s"), error)
      assert(!error.contains("allowStateChange"), error)
    }
  }

  test("a longer lateness: open windows take late rows now, those that were cleaned up begin anew") {
    changing(plain) { c =>
      assert(WindowText.of(c.driven.batch(at("a", 1, 1000), at("b", 1, 12000))) == Seq("a [0, 10000) 1"))
      c.to(query(_.allowedLateness(ofSeconds(5)).allowStateChange()))
      assert(WindowText.of(c.driven.watermark(20000)) == Seq("b [10000, 20000) 1"))
      c.to(query(_.allowedLateness(ofSeconds(5))))
      assert(WindowText.of(c.driven.batch(at("b", 2, 13000))) == Seq("b [10000, 20000) 3"))
      assert(c.driven.watermark(25000) == Nil)
      assert(c.driven.batch(at("b", 4, 14000)) == Nil)
      assert(c.driven.metric("numLateRecordsDropped") == 1)
      assert(c.driven.metric("openWindows") == 0)
    }
  }

  test("a trigger without memory for another: all open windows of all keys fire by the new one") {
    changing(query(_.trigger(NeverTrigger.create()).allowedLateness(ofSeconds(60)))) { c =>
      c.driven.batch((1 to 50).map(i => at(s"k$i", i, 1000)): _*)
      assert(c.driven.watermark(5000) == Nil)
      c.to(query(_.trigger(EventTimeTrigger.create()).allowedLateness(ofSeconds(60)).allowStateChange()))
      c.driven.batch(at("k1", 100, 2000)) // a key with a row in the micro-batch of the change
      assert(
        WindowText.of(c.driven.watermark(10000)).toSet ==
          ((2 to 50).map(i => s"k$i [0, 10000) $i") :+ "k1 [0, 10000) 101").toSet
      )
    }
  }

  test("a trigger with which rows are aggregated before the exchange, in place of one that saw each row") {
    changing(query(_.trigger(NeverTrigger.create()))) { c =>
      c.driven.batch(at("a", 1, 1000), at("b", 2, 12000))
      c.to(query(_.allowStateChange()))
      assert(WindowText.of(c.driven.batch(at("b", 3, 13000), at("c", 4, 14000))) == Nil)
      assert(
        WindowText.of(c.driven.watermark(20000)) == Seq("b [10000, 20000) 5", "c [10000, 20000) 4"),
        "a was cleaned up by the watermark of 12 s"
      )
    }
  }

  test("a shorter interval is refused where what a trigger remembers cannot be forgotten") {
    def once(seconds: Long)(w: WindowedStream) =
      w.trigger(OnceTrigger.of(ContinuousEventTimeTrigger.of(ofSeconds(seconds))))
    changing(query(once(3))) { c =>
      c.driven.batch(at("a", 1, 1000))
      val shorter = c.refused(query(w => once(2)(w).allowStateChange()))
      assert(shorter.contains("trigger.inner.interval: was 3 s, is 2 s"), shorter)
    }
  }

  test("late rows that wait for the clock fire once when another trigger comes") {
    def late(w: WindowedStream) = w.allowedLateness(ofSeconds(60)).trigger(AfterWatermark.of(late = ofSeconds(90)))
    changing(query(late)) { c =>
      assert(WindowText.of(c.driven.batch(at("a", 1, 1000))) == Nil)
      assert(WindowText.of(c.driven.watermark(10000)) == Seq("a [0, 10000) 1"))
      assert(WindowText.of(c.driven.batch(at("a", 2, 2000))) == Nil)
      c.to(query(_.allowedLateness(ofSeconds(60)).allowStateChange()))
      assert(WindowText.of(c.driven.watermark(11000)) == Seq("a [0, 10000) 3"))
      assert(WindowText.of(c.driven.watermark(12000)) == Nil)
      assert(WindowText.of(c.driven.batch(at("a", 3, 3000))) == Seq("a [0, 10000) 6"))
    }
  }

  test("longer early and late intervals: the next firing comes when it was due") {
    def every(early: Long, late: Long)(w: WindowedStream) =
      w.trigger(AfterWatermark.of(early = ofSeconds(early), late = ofSeconds(late)))
    changing(query(every(30, 90))) { c =>
      c.driven.batch(at("a", 1, 1000))
      c.to(query(w => every(60, 120)(w).allowStateChange()))
      c.driven.clock.advance(ofSeconds(30).toMillis)
      assert(WindowText.of(c.driven.batch(at("b", 2, 2000))) == Seq("a [0, 10000) 1"))
      assert(WindowText.of(c.driven.watermark(10000)) == Seq("a [0, 10000) 1", "b [0, 10000) 2"))
    }
    def early(seconds: Long)(w: WindowedStream) = w.trigger(AfterWatermark.of(early = ofSeconds(seconds)))
    changing(query(early(30))) { c =>
      c.driven.batch(at("a", 1, 1000))
      c.to(query(w => early(60)(w).allowStateChange()))
      c.driven.clock.advance(ofSeconds(30).toMillis)
      assert(WindowText.of(c.driven.batch(at("b", 2, 2000))) == Seq("a [0, 10000) 1"))
    }
  }

  private val inPages = {
    val own = spark.newSession()
    own.conf.set(StateStoreRules.WindowsSetting, "100")
    own.conf.set(StateStoreRules.PageSetting, "40")
    own
  }

  for ((how, on) <- Seq("" -> session, ", windows in pages" -> inPages))
    test(s"early firings for a query that had none, then at another interval, then none$how") {
      def every(seconds: Long)(w: WindowedStream) = w.trigger(AfterWatermark.of(early = ofSeconds(seconds)))
      val many                                    = (1 to 30).map(i => at("a", i, i * 10000L))
      val c                                       = new Changing(on, delay = Some("1000 seconds"))(plain)
      try {
        c.driven.batch(many: _*)
        c.to(query(every(60)(_).allowStateChange()))
        assert(c.driven.batch(at("b", 9, 400000)) == Nil)
        c.driven.clock.advance(ofMinutes(1).toMillis)
        val early = WindowText.of(c.driven.settle())
        assert(early.size == 31 && early.contains("a [300000, 310000) 30"), early)
        c.to(query(every(7)(_).allowStateChange()))
        c.driven.batch(at("a", 100, 300000))
        c.driven.clock.advance(ofSeconds(7).toMillis)
        assert(WindowText.of(c.driven.settle()).contains("a [300000, 310000) 130"))
        c.to(query(_.allowStateChange()))
        val (first, last) = ("a [10000, 20000) 1", "a [300000, 310000) 30")
        assert(WindowText.of(c.driven.watermark(1020000)) == Seq(first))
        val rest = WindowText.of(c.driven.watermark(2000000)).toSet
        assert(rest == early.toSet - first - last + "a [300000, 310000) 130")
      } finally { val _ = c.driven.stop() }
    }

  test("it is for one start: until a micro-batch is done it must be said again, and the old query may come back") {
    val longer  = query(_.allowedLateness(ofSeconds(5)))
    val allowed = query(_.allowedLateness(ofSeconds(5)).allowStateChange())
    val failing = (events: DataFrame) => allowed(events).withColumn("total", raise_error(col("total").cast("string")))
    changing(plain) { c =>
      c.driven.batch(at("a", 1, 1000))
      c.driven.watermark(10000)
      c.to(failing)
      intercept[StreamingQueryException](c.driven.batch(at("a", 2, 9000)))
      assert(c.specifications.size == 2, c.specifications)
      assert(c.refused(longer).contains("allowed lateness: was 0 ms, is 5 s"))
      c.to(plain)
      assert(c.driven.settle() == Nil)
      assert(c.specifications == Seq("specification"))
      c.driven.batch(at("a", 1, 11000))
      c.to(allowed)
      assert(WindowText.of(c.driven.watermark(20000)) == Seq("a [10000, 20000) 1"))
      assert(c.refused(plain).contains("allowed lateness: was 5 s, is 0 ms"))
      c.to(longer)
      assert(WindowText.of(c.driven.batch(at("a", 2, 12000))) == Seq("a [10000, 20000) 3"))
    }
  }

  test("a window that has fired in the micro-batch of its last rows does not fire again under another trigger") {
    def lateness(of: WindowedStream => WindowedStream) = query(w => of(w.allowedLateness(ofSeconds(5))))
    val slow                                           = spark.newSession()
    slow.conf.set("spark.sql.streaming.noDataMicroBatches.enabled", "false")
    val c = new Changing(slow)(lateness(identity))
    try {
      c.driven.batch(at("a", 1, 1000))
      assert(WindowText.of(c.driven.batch(at("b", 2, 12500))) == Seq("a [0, 10000) 1"))
      c.to(lateness(_.trigger(PurgingTrigger.of(EventTimeTrigger.create())).allowStateChange()))
      assert(c.driven.batch(at("b", 3, 12600)) == Nil)
      assert(WindowText.of(c.driven.batch(at("a", 4, 2000))) == Seq("a [0, 10000) 5"))
    } finally c.driven.stop()
  }

  test("timers that come due with the first micro-batch of the change fire in it, also of a key without rows") {
    val late = query(_.allowedLateness(ofSeconds(1)).sideOutputLateData("late"))
    val more = query(_.allowedLateness(ofSeconds(2)).sideOutputLateData("late").allowStateChange())
    val slow = spark.newSession()
    slow.conf.set("spark.sql.streaming.noDataMicroBatches.enabled", "false")
    slow.conf.set(WatermarkTiming.Setting, "false")
    val c = new Changing(slow)(late)
    try {
      c.driven.batch(at("a", 1, 1000))
      // It proves a watermark that only the next micro-batch knows.
      assert(c.driven.batch(at("b", 2, 12500)) == Nil)
      c.to(more)
      assert(WindowText.of(c.driven.batch(at("b", 3, 12600))) == Seq("a [0, 10000) 1"))
      assert(c.driven.metric("openWindows") == 1, "the window [0, 10000) was cleaned up at 11999")
    } finally c.driven.stop()
  }

  test("other keys of the same type are refused") {
    def by(column: Column): Query =
      SparkWindowing.keyBy(_, Seq(column)).window(tumbling).aggregate(count(lit(1)).as("n"))
    changing(by(col("key"))) { c =>
      c.driven.batch(at("a", 1, 1000))
      val other = c.refused(by(concat(col("key"), lit("x")).as("key")))
      assert(other.contains("keys.1: was key string, is concat(key, 'x') string"), other)
    }
  }

  test("other arguments of parts that a user wrote are refused, with the values") {
    def parts(trigger: Trigger[org.apache.spark.sql.Row]): Query = query(_.trigger(RowParts.trigger(trigger)))
    def named(n: Int): Query                                     = { events =>
      val part = ClassParts.make(classOf[EveryNth].getName, java.util.Arrays.asList(Integer.valueOf(n)))
      windows(events).trigger(PurgingTrigger.of(part.asInstanceOf[Trigger[InternalRow]])).aggregate(total)
    }
    changing(parts(new EveryNth(3))) { c =>
      c.driven.batch(at("a", 1, 1000))
      val error = c.refused(parts(new EveryNth(5)))
      assert(error.contains("trigger.n: was 3, is 5"), error)
      c.to(parts(new EveryNth(3)))
      assert(c.driven.batch(at("a", 1, 1000)) == Nil)
    }
    changing(named(3)) { c =>
      c.driven.batch(at("a", 1, 1000))
      val error = c.refused(named(5))
      assert(error.contains("trigger.inner.1: was 3, is 5"), error)
    }
  }

  test("a changed query is refused in every run, also in one without new rows") {
    val checkpoint                            = Files.createTempDirectory("checkpoint").toString
    val source                                = memoryStream(Encoders.product[Event], spark)
    def run(size: Long, values: Event*): Unit = {
      if (values.nonEmpty) source.addData(values)
      val result = SparkWindowing
        .keyBy(source.toDF().withWatermark("ts", "0 seconds"), key)
        .window(TumblingEventTimeWindows.of(ofSeconds(size)))
        .aggregate(total)
      result.writeStream
        .format("noop")
        .option("checkpointLocation", checkpoint)
        .trigger(StreamTrigger.AvailableNow())
        .start()
        .awaitTermination()
    }
    run(10, at("a", 1, 1000))
    run(10)
    val error = intercept[StreamingQueryException](run(20)).getCause.getMessage
    assert(error.contains("assigner.size: was 10 s, is 20 s"), error)
    run(10, at("a", 1, 2000))
  }
}
