package dev.sparkwindowing.spark

import dev.sparkwindowing.assigners.{SlidingEventTimeWindows, TumblingEventTimeWindows}
import dev.sparkwindowing.evictors.CountEvictor
import dev.sparkwindowing.spark.plan.StateChange
import dev.sparkwindowing.triggers._
import dev.sparkwindowing.{KeyedStream, SparkWindowing, WindowedStream}
import org.apache.spark.sql.functions._
import org.apache.spark.sql.streaming.StreamingQueryException
import org.apache.spark.sql.{Column, DataFrame}
import org.scalatest.funsuite.AnyFunSuite

import java.nio.file.Files
import java.time.Duration.{ofMinutes, ofSeconds}
import scala.jdk.CollectionConverters._

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

  /** A query that is stopped, changed and started again. */
  private final class Changing(first: Query) {
    private var now: Query = first
    val driven             = new DrivenQuery(spark)(events => now(events))
    driven.start()

    def to(next: Query): this.type = {
      driven.stop()
      now = next
      driven.start()
      this
    }

    /** The error that stops it in its first micro-batch. */
    def refused(next: Query): String = {
      to(next)
      intercept[StreamingQueryException](driven.watermark(1000)).getCause.getMessage
    }

    def specifications: Seq[String] =
      Files
        .list(driven.checkpoint.resolve("state/0/_window"))
        .iterator
        .asScala
        .map(_.getFileName.toString)
        .filter(_.startsWith("specification"))
        .toSeq
        .sorted
  }

  private def changing(first: Query)(check: Changing => Unit): Unit = {
    val c = new Changing(first)
    try check(c)
    finally c.driven.stop()
  }

  private val plain = query(identity)

  private val refusals: Seq[(String, Query, String)] = Seq(
    (
      "the assigner",
      keyed(_).window(TumblingEventTimeWindows.of(ofSeconds(20))).aggregate(total),
      "assigner: was TumblingEventTimeWindows(10 s), is TumblingEventTimeWindows(20 s)"
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
    ("the lateness", query(_.allowedLateness(ofSeconds(5))), "allowed lateness: was 0 ms, is 5000 ms"),
    ("panes", query(_.withPane()), "panes: was none, is remembered"),
    (
      "the keys",
      events =>
        SparkWindowing.keyBy(events, Seq(col("key"), col("value"))).window(tumbling).aggregate(count(lit(1)).as("n")),
      "keys: was string, is string, int"
    ),
    (
      "the functions",
      query(identity, max("value").as("total")),
      "functions: was sum(`value#0`), is max(`value#0`); buffer: was struct<0_sum:bigint>, is struct<0_max:int>"
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
    def isSafe(was: Trigger[Any], is: Trigger[Any]) = StateChange.isSafe("trigger", was.toString, is.toString)
    val timed: Seq[Long => Trigger[Any]]            = Seq(
      seconds => AfterWatermark.of(early = ofSeconds(seconds), late = ofSeconds(60)),
      seconds => ContinuousEventTimeTrigger.of(ofSeconds(seconds)),
      seconds => ContinuousProcessingTimeTrigger.of(ofSeconds(seconds)),
      seconds => PurgingTrigger.of(ContinuousEventTimeTrigger.of(ofSeconds(seconds)))
    )
    timed.foreach { trigger =>
      assert(isSafe(trigger(50), trigger(120)), trigger(50))
      assert(!isSafe(trigger(120), trigger(50)), trigger(50))
    }
    assert(!isSafe(timed(1)(50), timed(2)(50)))
    assert(!isSafe(timed(1)(50), timed(3)(50)))
    assert(!isSafe(AfterWatermark.of(early = ofSeconds(5)), timed.head(50)))
    assert(!isSafe(CountTrigger.of(3), CountTrigger.of(4)))
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
      assert(error.contains("kept rows: was of 1 to 64 columns, is of 65 to 128 columns"), error)
      c.to(keeping(10))
      assert(WindowText.of(c.driven.watermark(10000)) == Seq("a [0, 10000) [1 2]"))
    }
  }

  test("what is safe is refused with the line to type, what is not is refused even where safe changes are allowed") {
    changing(plain) { c =>
      c.driven.batch(at("a", 1, 1000))
      val safe = c.refused(query(_.allowedLateness(ofSeconds(5))))
      assert(safe.contains("allow that for one start with .allow_state_change()"), safe)
      val both = c.refused(query(_.allowedLateness(ofSeconds(5)).trigger(CountTrigger.of(3)).allowStateChange()))
      assert(both.contains("Changed: trigger: was EventTimeTrigger, is CountTrigger(3). Changed too, which"), both)
      assert(both.contains("would allow: allowed lateness: was 0 ms, is 5000 ms"), both)
      assert(c.specifications == Seq("specification"))
    }
  }

  test("a shorter lateness is refused even where safe changes are allowed") {
    changing(query(_.allowedLateness(ofSeconds(5)))) { c =>
      c.driven.batch(at("a", 1, 1000))
      val error = c.refused(query(_.allowedLateness(ofSeconds(4)).allowStateChange()))
      assert(error.contains("Changed: allowed lateness: was 5000 ms, is 4000 ms"), error)
      assert(!error.contains("allow_state_change"), error)
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
      assert(shorter.contains("trigger: was AfterWatermark(early = 30 s), is AfterWatermark(early = 20 s)"), shorter)
      c.to(query(w => every(60)(w).allowStateChange()))
      c.driven.clock.advance(ofMinutes(2).toMillis)
      assert(WindowText.of(c.driven.batch(at("b", 2, 2000))) == Seq("a [0, 10000) 1"))
      assert(WindowText.of(c.driven.watermark(10000)) == Seq("a [0, 10000) 1", "b [0, 10000) 2"))
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
      assert(c.refused(longer).contains("allowed lateness: was 0 ms, is 5000 ms"))
      c.to(plain)
      assert(c.driven.settle() == Nil)
      assert(c.specifications == Seq("specification"))
      c.driven.batch(at("a", 1, 11000))
      c.to(allowed)
      assert(WindowText.of(c.driven.watermark(20000)) == Seq("a [10000, 20000) 1"))
      assert(c.refused(plain).contains("allowed lateness: was 5000 ms, is 0 ms"))
      c.to(longer)
      assert(WindowText.of(c.driven.batch(at("a", 2, 12000))) == Seq("a [10000, 20000) 3"))
    }
  }
}
