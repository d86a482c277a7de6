package dev.sparkwindowing.triggers

import dev.sparkwindowing.triggers.TriggerResult.{Continue, Fire}
import dev.sparkwindowing.windows.{Millis, Window}

import java.time.Duration

/** Fires at each multiple of the interval in processing time, until processing time has passed the end of the window.
  *
  * For event-time windows the end of the window is compared with processing time too: the trigger stops firing after
  * it, and it does not fire when the watermark closes the window. Use [[AfterWatermark]] for early results of
  * event-time windows. Every multiple that processing time passes fires. If it passes more than a million of one window
  * at once, only the first one fires, so that a query continues after a long outage. Build it with
  * [[ContinuousProcessingTimeTrigger.of]].
  */
final case class ContinuousProcessingTimeTrigger private (interval: Long)
    extends ContinuousTrigger(isEventTime = false) {
  import ContinuousTrigger.Next

  def onElement(element: Any, timestamp: Long, window: Window, ctx: TriggerContext): TriggerResult = {
    resume(window, mayWait = false, ctx)
    Continue
  }

  override private[sparkwindowing] def resume(window: Window, mayWait: Boolean, ctx: TriggerContext): Unit = {
    val now = ctx.currentProcessingTime
    if (!ctx.hasNumber(Next)) setNext(after(now - now % interval, window), ctx)
  }

  def onEventTime(time: Long, window: Window, ctx: TriggerContext): TriggerResult = Continue

  def onProcessingTime(time: Long, window: Window, ctx: TriggerContext): TriggerResult =
    if (ctx.hasNumber(Next) && ctx.number(Next) == time) {
      // The firing at the end is the last one: a further timer would have the same time.
      if (time != window.maxTimestamp) setNext(after(reached(time, window, ctx), window), ctx)
      Fire
    } else Continue

  override private[sparkwindowing] def needsEachElement(allowedLateness: Long): Boolean = false

  override def onMerge(window: Window, ctx: OnMergeContext): Unit =
    // A session that an element ends gets shorter.
    MergedNumbers.least(Next, ctx).foreach(least => setNext(math.min(least, window.maxTimestamp), ctx))
}

object ContinuousProcessingTimeTrigger {

  /** @param interval
    *   processing time from one firing to the next, positive
    * @throws java.lang.IllegalArgumentException
    *   if it is not positive
    */
  def of(interval: Duration): ContinuousProcessingTimeTrigger =
    new ContinuousProcessingTimeTrigger(Millis.positive("ContinuousProcessingTimeTrigger: interval", interval))
}
