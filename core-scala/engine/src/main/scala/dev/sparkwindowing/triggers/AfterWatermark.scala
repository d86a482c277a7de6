package dev.sparkwindowing.triggers

import dev.sparkwindowing.declaration.{PartSpec, Spec}
import dev.sparkwindowing.triggers.TriggerResult.{Continue, Fire}
import dev.sparkwindowing.windows.{Millis, Window}

import java.time.Duration

/** Fires when the watermark passes the end of the window. It can also fire early, at intervals of processing time while
  * there are new elements, and late, for each late element or at intervals of processing time. It suits dashboards.
  *
  * No element is lost: pending elements fire at the end of the window or at its clean-up. A window without new elements
  * sets no timer. Build it with [[AfterWatermark.of]].
  *
  * @param early
  *   milliseconds between early firings, 0 for none
  * @param late
  *   milliseconds between late firings, 0 for one firing per late element
  */
final case class AfterWatermark private (early: Long, late: Long) extends Trigger[Any] {
  import AfterWatermark.{ProcessingTimer, Pending}

  override def memory: TriggerMemory = TriggerMemory.number("pending") ++ TriggerMemory.time("processing_timer")

  def onElement(element: Any, timestamp: Long, window: Window, ctx: TriggerContext): TriggerResult = {
    val isLate = window.maxTimestamp <= ctx.currentWatermark
    if (!isLate) ctx.registerEventTimeTimer(window.maxTimestamp)
    if (isLate && late == 0) {
      ctx.clearNumber(Pending)
      Fire
    } else {
      ctx.setNumber(Pending, 1)
      startTimer(if (isLate) late else early, ctx)
      Continue
    }
  }

  private def startTimer(interval: Long, ctx: TriggerContext): Unit =
    if (interval > 0 && !ctx.hasNumber(ProcessingTimer)) {
      val next = Math.floorDiv(ctx.currentProcessingTime, interval) * interval + interval
      ctx.setNumber(ProcessingTimer, next)
      ctx.registerProcessingTimeTimer(next)
    }

  def onEventTime(time: Long, window: Window, ctx: TriggerContext): TriggerResult =
    if (time == window.maxTimestamp) {
      stopTimer(ctx)
      ctx.clearNumber(Pending)
      Fire
    } else firePending(ctx) // the clean-up of the window

  def onProcessingTime(time: Long, window: Window, ctx: TriggerContext): TriggerResult =
    if (ctx.hasNumber(ProcessingTimer) && ctx.number(ProcessingTimer) == time) {
      ctx.clearNumber(ProcessingTimer)
      firePending(ctx)
    } else Continue

  private def firePending(ctx: TriggerContext): TriggerResult =
    if (ctx.hasNumber(Pending)) {
      ctx.clearNumber(Pending)
      Fire
    } else Continue

  override def canMerge: Boolean = true

  override def onMerge(window: Window, ctx: OnMergeContext): Unit = {
    if (Merged.any(Pending, ctx)) ctx.setNumber(Pending, 1)
    Merged.least(ProcessingTimer, ctx).foreach { time =>
      ctx.setNumber(ProcessingTimer, time)
      ctx.registerProcessingTimeTimer(time)
    }
    if (window.maxTimestamp > ctx.currentWatermark) ctx.registerEventTimeTimer(window.maxTimestamp)
  }

  def clear(window: Window, ctx: TriggerContext): Unit = {
    stopTimer(ctx)
    ctx.clearNumber(Pending)
    ctx.deleteEventTimeTimer(window.maxTimestamp)
  }

  private def stopTimer(ctx: TriggerContext): Unit = if (ctx.hasNumber(ProcessingTimer)) {
    ctx.deleteProcessingTimeTimer(ctx.number(ProcessingTimer))
    ctx.clearNumber(ProcessingTimer)
  }

  override def spec: Spec = PartSpec("AfterWatermark")
    .option("early", Spec.Duration(early)(mayGrow = true), Spec.millis(0))
    .option("late", Spec.Duration(late)(mayGrow = true), Spec.millis(0))
}

object AfterWatermark {

  /** Set while elements have arrived since the last firing. */
  private val Pending = 0

  /** Time of the registered processing-time timer; there is at most one. */
  private val ProcessingTimer = 1

  /** @param early
    *   processing time between firings before the end of the window, at multiples of the interval; null for none
    * @param late
    *   processing time between firings for late elements, at multiples of the interval; null for one firing per element
    * @throws java.lang.IllegalArgumentException
    *   if one is not positive
    */
  def of(early: Duration = null, late: Duration = null): AfterWatermark = {
    def millis(name: String, interval: Duration): Long =
      if (interval == null) 0L else Millis.positive(s"AfterWatermark: $name", interval)
    new AfterWatermark(millis("early", early), millis("late", late))
  }
}
