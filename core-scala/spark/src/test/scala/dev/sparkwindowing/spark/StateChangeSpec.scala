package dev.sparkwindowing.spark

import dev.sparkwindowing.assigners.{EventTimeSessionWindows, SlidingEventTimeWindows, TumblingEventTimeWindows}
import dev.sparkwindowing.columns.RowParts
import dev.sparkwindowing.declaration.PartSpec
import dev.sparkwindowing.evictors.CountEvictor
import dev.sparkwindowing.interop.ClassParts
import dev.sparkwindowing.spark.checkpoint.Changes
import dev.sparkwindowing.spark.plan.{StateLimits, WatermarkTiming}
import dev.sparkwindowing.spark.relocated.RelocatedInTests.memoryStream
import dev.sparkwindowing.triggers.{
  AfterWatermark,
  AnyTrigger,
  ContinuousEventTimeTrigger,
  ContinuousProcessingTimeTrigger,
  CountTrigger,
  EventTimeTrigger,
  NeverTrigger,
  OnceTrigger,
  ProcessingTimeoutTrigger,
  PurgingTrigger,
  Trigger,
  TriggerContext,
  TriggerMemory,
  TriggerResult
}
import dev.sparkwindowing.windows.Window
import dev.sparkwindowing.{KeyedStream, SparkWindowing, WindowedStream}
import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.functions._
import org.apache.spark.sql.streaming.{StreamingQueryException, Trigger => StreamTrigger}
import org.apache.spark.sql.{Column, DataFrame, Encoders}
import org.scalatest.funsuite.AnyFunSuite

import java.nio.file.Files
import java.time.Duration.{ofMinutes, ofSeconds}

/** A query that was changed and starts on its old checkpoint: what is refused, what is allowed, and what it does then.
  */
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
      "the trigger, to one with memory",
      query(_.trigger(CountTrigger.of(3))),
      "trigger: was EventTimeTrigger, is CountTrigger(3)"
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

  test("longer intervals are safe for triggers that remember their next firing, nothing shorter and nothing else") {
    def of(trigger: Trigger[Any])                   = PartSpec("window operator", Seq("trigger" -> trigger.spec))
    def isSafe(was: Trigger[Any], is: Trigger[Any]) = Changes.between(of(was), of(is)).unsafe.isEmpty
    val timed: Seq[Long => Trigger[Any]]            = Seq(
      seconds => AfterWatermark.of(early = ofSeconds(seconds), late = ofSeconds(60)),
      seconds => ContinuousEventTimeTrigger.of(ofSeconds(seconds)),
      seconds => ContinuousProcessingTimeTrigger.of(ofSeconds(seconds)),
      seconds => PurgingTrigger.of(ContinuousEventTimeTrigger.of(ofSeconds(seconds))),
      seconds => AnyTrigger.of(CountTrigger.of(3), OnceTrigger.of(ContinuousEventTimeTrigger.of(ofSeconds(seconds))))
    )
    timed.foreach { trigger =>
      assert(isSafe(trigger(50), trigger(120)), trigger(50))
      assert(!isSafe(trigger(120), trigger(50)), trigger(50))
    }
    assert(!isSafe(timed(1)(50), timed(2)(50)))
    assert(!isSafe(timed(1)(50), timed(3)(50)))
    assert(!isSafe(AfterWatermark.of(early = ofSeconds(5)), timed.head(50)))
    assert(Seq(2L, 4L).forall(n => isSafe(CountTrigger.of(3), CountTrigger.of(n))))
    assert(!isSafe(CountTrigger.of(3), CountTrigger.of(4, atLeast = 9)))
    assert(!isSafe(CountTrigger.of(3, atLeast = 9), CountTrigger.of(4, atLeast = 9)))
    def timeout(seconds: Long) = ProcessingTimeoutTrigger.of(EventTimeTrigger.create(), ofSeconds(seconds))
    assert(!isSafe(timeout(50), timeout(120)))
    // Of triggers without memory any can follow any, but not inside one that remembers their timers.
    assert(isSafe(EventTimeTrigger.create(), PurgingTrigger.of(NeverTrigger.create())))
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
      val both = c.refused(query(_.allowedLateness(ofSeconds(5)).trigger(CountTrigger.of(3)).allowStateChange()))
      assert(both.contains("Changed: trigger: was EventTimeTrigger, is CountTrigger(3). Changed too, which"), both)
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

  test("longer early and late intervals") {
    def every(seconds: Long)(w: WindowedStream) = w.trigger(AfterWatermark.of(early = ofSeconds(seconds)))
    changing(query(every(30))) { c =>
      c.driven.batch(at("a", 1, 1000))
      val shorter = c.refused(query(w => every(20)(w).allowStateChange()))
      assert(shorter.contains("trigger.early: was 30 s, is 20 s"), shorter)
      c.to(query(w => every(60)(w).allowStateChange()))
      c.driven.clock.advance(ofMinutes(2).toMillis)
      assert(WindowText.of(c.driven.batch(at("b", 2, 2000))) == Seq("a [0, 10000) 1"))
      assert(WindowText.of(c.driven.watermark(10000)) == Seq("a [0, 10000) 1", "b [0, 10000) 2"))
    }
  }

  // Goes on from the first query to the second, which is refused until the change is allowed.
  private def following(first: Query, second: (WindowedStream => WindowedStream) => Query)(before: Event*)(
      check: DrivenQuery => Unit
  ): Unit =
    changing(first) { c =>
      c.driven.batch(before: _*)
      assert(c.refused(second(identity)).contains("allow that for one start with .allowStateChange()"))
      c.to(second(_.allowStateChange()))
      check(c.driven)
    }

  private def sessions(seconds: Long)(of: WindowedStream => WindowedStream): Query = events =>
    of(keyed(events).window(EventTimeSessionWindows.withGap(ofSeconds(seconds)))).aggregate(total)

  test("a longer gap: open sessions end as they would have, unless an element of the new gap touches them") {
    following(sessions(5)(identity), sessions(9))(at("a", 1, 1000), at("b", 2, 2000)) { q =>
      q.batch(at("a", 4, 5500))
      assert(WindowText.of(q.watermark(14500)) == Seq("a [1000, 14500) 5", "b [2000, 7000) 2"))
    }
  }

  test("a shorter gap: the same") {
    following(sessions(9)(identity), sessions(2))(at("a", 1, 1000), at("b", 2, 2000)) { q =>
      val first = q.batch(at("a", 4, 9500), at("a", 8, 13000), at("b", 16, 11500))
      assert(
        WindowText.of(first ++ q.watermark(20000)) ==
          Seq("a [1000, 11500) 5", "a [13000, 15000) 8", "b [11500, 13500) 16", "b [2000, 11000) 2")
      )
    }
  }

  test("another count: what was counted counts") {
    following(query(_.trigger(CountTrigger.of(2))), of => query(w => of(w.trigger(CountTrigger.of(3)))))(
      at("a", 1, 1000)
    ) { q =>
      assert(q.batch(at("a", 2, 1000)) == Nil)
      assert(WindowText.of(q.batch(at("a", 4, 1000))) == Seq("a [0, 10000) 7"))
    }
    following(query(_.trigger(CountTrigger.of(9))), of => query(w => of(w.trigger(CountTrigger.of(2)))))(
      (1 to 5).map(at("a", _, 1000)): _*
    )(q => assert(WindowText.of(q.batch(at("a", 6, 1000))) == Seq("a [0, 10000) 21")))
  }

  test("firings are numbered from the change on, or no more") {
    val late = (w: WindowedStream) => w.trigger(CountTrigger.of(1))
    following(query(late), of => query(w => of(late(w).withPane())))(at("a", 1, 1000)) { q =>
      assert(WindowText.of(q.batch(at("a", 2, 1000))) == Seq("a [0, 10000) (early 0 false 1000000 []) 3"))
      assert(WindowText.of(q.batch(at("a", 4, 1000))) == Seq("a [0, 10000) (early 1 false 1000000 []) 7"))
    }
    following(query(w => late(w).withPane()), of => query(w => of(late(w))))(at("a", 1, 1000)) { q =>
      assert(WindowText.of(q.batch(at("a", 2, 1000))) == Seq("a [0, 10000) 3"))
    }
  }

  test("other functions over rows that are kept, but not over other columns of them") {
    def last(columns: Column*)(of: WindowedStream => WindowedStream) =
      query(w => of(w.evictor(CountEvictor.of(2))), columns: _*)
    changing(last(total)(identity)) { c =>
      c.driven.batch(at("a", 1, 1000), at("a", 2, 1000), at("a", 4, 1000))
      c.to(last(max("value").as("most"), total)(_.allowStateChange()))
      assert(c.refused(last(total, max("ts"))(_.allowStateChange())).contains("kept rows: was struct<value:int>"))
      c.to(last(max("value").as("most"), total)(_.allowStateChange()))
      assert(WindowText.of(c.driven.watermark(10000)) == Seq("a [0, 10000) 4 6"))
    }
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

/** Fires for every `n`-th row of a window. */
final class EveryNth(n: Int) extends Trigger[org.apache.spark.sql.Row] {
  import org.apache.spark.sql.Row
  override def memory: TriggerMemory = TriggerMemory.number("rows")

  def onElement(row: Row, timestamp: Long, window: Window, ctx: TriggerContext): TriggerResult = {
    ctx.setNumber(0, ctx.number(0) + 1)
    if (ctx.number(0) % n == 0) TriggerResult.Fire else TriggerResult.Continue
  }
  def onEventTime(time: Long, window: Window, ctx: TriggerContext): TriggerResult      = TriggerResult.Continue
  def onProcessingTime(time: Long, window: Window, ctx: TriggerContext): TriggerResult = TriggerResult.Continue
  def clear(window: Window, ctx: TriggerContext): Unit                                 = ctx.clearNumber(0)
}
