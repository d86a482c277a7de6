package dev.sparkwindowing.triggers

import dev.sparkwindowing.declaration.{Forgettable, PartSpec, Spec}
import dev.sparkwindowing.functions.TimeDomain
import dev.sparkwindowing.triggers.TriggerResult.{Continue, Fire}
import dev.sparkwindowing.windows.Window

/** Fires when the watermark passes the end of the window, then for each late element within the allowed lateness. */
final case class EventTimeTrigger private () extends Trigger[Any] {

  def onElement(element: Any, timestamp: Long, window: Window, ctx: TriggerContext): TriggerResult =
    if (window.maxTimestamp <= ctx.currentWatermark) Fire
    else {
      ctx.registerEventTimeTimer(window.maxTimestamp)
      Continue
    }

  def onEventTime(time: Long, window: Window, ctx: TriggerContext): TriggerResult =
    if (time == window.maxTimestamp) Fire else Continue

  def onProcessingTime(time: Long, window: Window, ctx: TriggerContext): TriggerResult = Continue

  // A late element fires.
  override private[sparkwindowing] def needsEachElement(allowedLateness: Long): Boolean = allowedLateness > 0

  override def setsTimers(clock: TimeDomain): Boolean = clock == TimeDomain.EventTime

  override def canMerge: Boolean = true

  override def onMerge(window: Window, ctx: OnMergeContext): Unit = resume(window, mayWait = false, ctx)

  // A window that has ended already fires at its next element.
  override private[sparkwindowing] def resume(window: Window, mayWait: Boolean, ctx: TriggerContext): Unit =
    if (mayWait || window.maxTimestamp > ctx.currentWatermark) ctx.registerEventTimeTimer(window.maxTimestamp)

  def clear(window: Window, ctx: TriggerContext): Unit = ctx.deleteEventTimeTimer(window.maxTimestamp)

  override def spec: Spec = PartSpec("EventTimeTrigger", forgettable = Some(Forgettable(0)))
}

object EventTimeTrigger {
  def create(): EventTimeTrigger = new EventTimeTrigger()
}
