package dev.sparkwindowing.operator

import dev.sparkwindowing.assigners.TumblingEventTimeWindows
import dev.sparkwindowing.contents.ElementList
import dev.sparkwindowing.testing.{Kept, MemoryCell, Outputs, Shown}
import dev.sparkwindowing.triggers.TriggerResult.{Continue, Fire}
import dev.sparkwindowing.triggers.{Trigger, TriggerContext, TriggerResult}
import dev.sparkwindowing.windows.Window
import org.scalatest.funsuite.AnyFunSuite

import java.time.Duration.ofMillis

/** Timing of panes under a user's trigger, which sets the timer at the end also for late elements. */
class PaneTimingSpec extends AnyFunSuite {

  private object AtEnd extends Trigger[String] {
    def onElement(element: String, timestamp: Long, window: Window, ctx: TriggerContext): TriggerResult = {
      ctx.registerEventTimeTimer(window.maxTimestamp)
      Continue
    }
    def onEventTime(time: Long, window: Window, ctx: TriggerContext): TriggerResult =
      if (time == window.maxTimestamp) Fire else Continue
    def onProcessingTime(time: Long, window: Window, ctx: TriggerContext): TriggerResult = Continue
    def clear(window: Window, ctx: TriggerContext): Unit = ctx.deleteEventTimeTimer(window.maxTimestamp)
  }

  private val spec = OperatorRules[String, ElementList[String]](
    TumblingEventTimeWindows.of(ofMillis(10)),
    AtEnd,
    20L,
    Kept.AsList.contents
  ).withPanes

  test("the timer of an end that the watermark has passed before is late, also in another micro-batch") {
    for (rowsFirst <- Seq(true, false)) {
      val out   = new Outputs(Kept.AsList, Shown(panes = true, collapsed = false))
      val step  = new Step[String](new WindowOperator(spec, out), _ => 1L, rowsFirst)
      val cell  = new MemoryCell
      val other = new MemoryCell
      def batch(watermark: Long, rows: String*): (Seq[String], Seq[String]) = {
        def of(cell: MemoryCell, rows: Seq[String]): Seq[String] = {
          out.key = "a"
          cell.previousWatermark = cell.watermark
          cell.watermark = watermark
          step.run(rows.iterator, cell)
          out.take().fires
        }
        of(cell, rows) -> of(other, Nil)
      }
      assert(batch(5, "1")._1 == Nil)
      assert(batch(12)._1 == Seq("a [0, 10) 1 @ on_time 0"))
      assert(batch(12, "2")._1 == Nil)
      assert(batch(13)._1 == Seq("a [0, 10) 1 2 @ late 1"))
    }
  }

  test("a window of late elements only has no firing on time") {
    val out      = new Outputs(Kept.AsList, Shown(panes = true, collapsed = false))
    val operator = new WindowOperator(spec, out)
    operator.open(null)
    operator.advanceWatermark(12)
    operator.processElement("1", 1)
    operator.advanceWatermark(15)
    assert(out.take().fires == Seq(" [0, 10) 1 @ late 0"))
  }
}
