package dev.sparkwindowing.spark

import dev.sparkwindowing.SparkWindowing
import dev.sparkwindowing.assigners.{EventTimeSessionWindows, GlobalWindows, MergingWindowAssigner}
import dev.sparkwindowing.columns.RowParts
import dev.sparkwindowing.contents.ElementList
import dev.sparkwindowing.evictors.{Evictor, EvictorContext}
import dev.sparkwindowing.interop.{ClassFunction, ClassParts}
import dev.sparkwindowing.triggers.TriggerResult.{Continue, Fire}
import dev.sparkwindowing.triggers.{
  EventTimeTrigger,
  OnceTrigger,
  PurgingTrigger,
  Trigger,
  TriggerContext,
  TriggerResult
}
import dev.sparkwindowing.windows.{Window, WindowCollector}
import org.apache.spark.sql.Row
import org.apache.spark.sql.functions._
import org.scalatest.funsuite.AnyFunSuite

/** Puts rows with an odd value into no window, the others into one that starts at them and lasts their value in
  * seconds.
  */
final class AsLongAsItSays extends MergingWindowAssigner[Row] {
  def assignWindows(row: Row, timestamp: Long, processingTime: Long, windows: WindowCollector): Unit = {
    val seconds = row.getAs[Int]("value")
    if (seconds % 2 == 0) windows.add(timestamp, timestamp + seconds * 1000)
  }
  def defaultTrigger: Trigger[Any] = EventTimeTrigger.create()
  def isEventTime: Boolean         = true
  override def toString: String    = "AsLongAsItSays"
}

/** Fires `after` milliseconds of event time and of processing time after each row with that value. */
final class BothClocks(value: Int, after: Long) extends Trigger[Row] {
  def onElement(row: Row, timestamp: Long, window: Window, ctx: TriggerContext): TriggerResult = {
    if (row.getAs[Int]("value") == value) {
      ctx.registerEventTimeTimer(timestamp + after)
      ctx.registerProcessingTimeTimer(ctx.currentProcessingTime + after)
    }
    Continue
  }
  def onEventTime(time: Long, window: Window, ctx: TriggerContext): TriggerResult      = Fire
  def onProcessingTime(time: Long, window: Window, ctx: TriggerContext): TriggerResult = Fire
  def clear(window: Window, ctx: TriggerContext): Unit                                 = ()
  override def toString: String                                                        = s"BothClocks($value, $after)"
}

/** Takes out rows of a value. */
final class Without(value: Int) extends Evictor[Row] {
  def evictBefore(rows: ElementList[Row], window: Window, ctx: EvictorContext): Unit =
    rows.removeIf(i => rows(i).getAs[Int]("value") == value)
  def evictAfter(rows: ElementList[Row], window: Window, ctx: EvictorContext): Unit = ()
  override def toString: String                                                     = s"Without($value)"
}

/** Fires for every row, and has no text of its own. */
final class EveryRow extends Trigger[Row] {
  def onElement(row: Row, timestamp: Long, window: Window, ctx: TriggerContext): TriggerResult = Fire
  def onEventTime(time: Long, window: Window, ctx: TriggerContext): TriggerResult              = Continue
  def onProcessingTime(time: Long, window: Window, ctx: TriggerContext): TriggerResult         = Continue
  def clear(window: Window, ctx: TriggerContext): Unit                                         = ()
}

/** Parts that a user writes on rows of the input. */
class UserPartsSpec extends AnyFunSuite with SharedSpark {
  import Event.at

  private val values = collect_list("value").as("values")

  test("sessions with limits are no parts on Row, where their limits would be lost") {
    val sessions = EventTimeSessionWindows.withGap(java.time.Duration.ofSeconds(5))
    val error    = intercept[IllegalArgumentException] {
      RowParts.assigner(sessions.withMaxLength(java.time.Duration.ofSeconds(9)))
    }
    assert(error.getMessage.contains("pass it to window itself"), error.getMessage)
  }

  test("an assigner whose windows merge, and which gives some rows no window") {
    val q = new DrivenQuery(spark)(
      SparkWindowing
        .keyBy(_, Seq(col("key")))
        .window(RowParts.assigner(new AsLongAsItSays))
        .aggregate(values)
    )
    try {
      q.start()
      q.batch(at("a", 4, 1000), at("a", 3, 1500))
      q.restart()
      assert(WindowText.of(q.batch(at("a", 2, 4000), at("a", 6, 20000))) == Seq("a [1000, 6000) [4 2]"))
      assert(WindowText.of(q.watermark(30000)) == Seq("a [20000, 26000) [6]"))
    } finally q.stop()
  }

  test("a trigger with timers of its own in both clocks, also inside a built-in one, and an evictor") {
    val q = new DrivenQuery(spark)(
      SparkWindowing
        .keyBy(_, Seq(col("key")))
        .window(GlobalWindows.create())
        .trigger(OnceTrigger.of(RowParts.trigger(new BothClocks(7, 5000))))
        .evictor(RowParts.evictor(new Without(3)))
        .aggregate(values)
    )
    try {
      q.start()
      assert(q.batch(at("a", 1, 1000), at("a", 3, 1000), at("b", 7, 1000), at("a", 7, 2000)) == Nil)
      assert(WindowText.of(q.watermark(6001)) == Seq("b null [7]"))
      q.clock.advance(5001)
      assert(WindowText.of(q.settle()) == Seq("a null [1 7]"))
      assert(q.watermark(60000) == Nil)
    } finally q.stop()
  }

  test("a part without a text of its own is the same part after a restart, also inside a built-in one") {
    val q = new DrivenQuery(spark)(
      SparkWindowing
        .keyBy(_, Seq(col("key")))
        .window(GlobalWindows.create())
        .trigger(PurgingTrigger.of(RowParts.trigger(new EveryRow)))
        .aggregate(values)
    )
    try {
      q.start()
      assert(WindowText.of(q.batch(at("a", 1, 1000))) == Seq("a null [1]"))
      q.restart()
      assert(WindowText.of(q.batch(at("a", 2, 2000))) == Seq("a null [2]"))
    } finally q.stop()
  }

  test("parts by the name of their class; what is none is refused") {
    def make(name: String, args: Object*) =
      ClassParts.make(s"dev.sparkwindowing.spark.$name", java.util.Arrays.asList(args: _*))
    assert(
      make("BothClocks", Integer.valueOf(7), Integer.valueOf(5)).toString == "dev.sparkwindowing.spark.BothClocks(7, 5)"
    )
    assert(make("Without", Integer.valueOf(3)).toString == "dev.sparkwindowing.spark.Without(3)")
    assert(ClassFunction.className(make("LongestWord")) == "dev.sparkwindowing.spark.LongestWord")
    assert(make("AsLongAsItSays").isInstanceOf[MergingWindowAssigner[_]])
    def refused(name: String, args: Object*) = intercept[IllegalArgumentException](make(name, args: _*)).getMessage
    assert(refused("Nothing").contains("spark.jars"))
    assert(refused("Without").contains("no public constructor with 0 arguments"))
    assert(refused("UserPartsSpec").contains("is no WindowAssigner, Trigger, Evictor, AggregateFunction"))
  }

  test("nothing of a class that is no part runs, not even its static initialiser") {
    val error =
      intercept[IllegalArgumentException](ClassParts.make("dev.sparkwindowing.spark.Loud", java.util.Arrays.asList()))
    assert(error.getMessage.startsWith("dev.sparkwindowing.spark.Loud is no WindowAssigner"))
    assert(System.getProperty("loud") == null)
    Class.forName("dev.sparkwindowing.spark.Loud")
    assert(System.getProperty("loud") == "ran", "it would have been heard")
  }
}
