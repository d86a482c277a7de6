package dev.sparkwindowing.triggers

import dev.sparkwindowing.triggers.TriggerResult.{Continue, Fire}
import dev.sparkwindowing.windows.{Millis, Window}

import java.time.Duration

/** Fires at each multiple of the interval in event time and at the end of the window, then for each late element.
  *
  * The first multiple is the one after the window's first element. Every multiple that the watermark passes fires. If
  * the watermark passes more than a million of one window at once, only the first one fires, unless it is the final
  * watermark. A session that grows still fires at its old end and continues from there. Build it with
  * [[ContinuousEventTimeTrigger.of]].
  */
final case class ContinuousEventTimeTrigger private (interval: Long) extends ContinuousTrigger(isEventTime = true) {
  import ContinuousTrigger.Next

  def onElement(element: Any, timestamp: Long, window: Window, ctx: TriggerContext): TriggerResult =
    if (window.maxTimestamp <= ctx.currentWatermark) Fire
    else {
      ctx.registerEventTimeTimer(window.maxTimestamp)
      // Rounded towards zero, as in Flink.
      if (!ctx.hasNumber(Next)) setNext(after(timestamp - timestamp % interval, window), ctx)
      Continue
    }

  def onEventTime(time: Long, window: Window, ctx: TriggerContext): TriggerResult =
    if (time == window.maxTimestamp) Fire
    else if (ctx.hasNumber(Next) && ctx.number(Next) == time) {
      val from = if (ctx.currentWatermark == Long.MaxValue) time else reached(time, window, ctx)
      setNext(after(from, window), ctx)
      Fire
    } else Continue

  def onProcessingTime(time: Long, window: Window, ctx: TriggerContext): TriggerResult = Continue

  override def onMerge(window: Window, ctx: OnMergeContext): Unit =
    MergedNumbers.least(Next, ctx).foreach { least =>
      // A session that an element ends gets shorter; nothing comes after its end.
      val next = math.min(least, window.maxTimestamp)
      if (next == least || next > ctx.currentWatermark) setNext(next, ctx)
    }

  // The multiples begin with the next element, since the times of those before are not known.
  override private[sparkwindowing] def resume(window: Window, mayWait: Boolean, ctx: TriggerContext): Unit =
    if (mayWait || window.maxTimestamp > ctx.currentWatermark) ctx.registerEventTimeTimer(window.maxTimestamp)

  override def firesToEndOfTime: Boolean = true
}

object ContinuousEventTimeTrigger {

  /** @param interval
    *   event time from one firing to the next, positive
    * @throws java.lang.IllegalArgumentException
    *   if it is not positive
    */
  def of(interval: Duration): ContinuousEventTimeTrigger =
    new ContinuousEventTimeTrigger(Millis.positive("ContinuousEventTimeTrigger: interval", interval))
}
