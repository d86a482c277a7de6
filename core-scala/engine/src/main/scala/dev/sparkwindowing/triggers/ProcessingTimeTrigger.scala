package dev.sparkwindowing.triggers

import dev.sparkwindowing.declaration.{Forgettable, PartSpec, Spec}
import dev.sparkwindowing.functions.TimeDomain
import dev.sparkwindowing.triggers.TriggerResult.{Continue, Fire}
import dev.sparkwindowing.windows.Window

/** Fires when processing time passes the end of the window. Every processing-time timer of the window fires. */
final case class ProcessingTimeTrigger private () extends Trigger[Any] {

  def onElement(element: Any, timestamp: Long, window: Window, ctx: TriggerContext): TriggerResult = {
    ctx.registerProcessingTimeTimer(window.maxTimestamp)
    Continue
  }

  def onEventTime(time: Long, window: Window, ctx: TriggerContext): TriggerResult = Continue

  def onProcessingTime(time: Long, window: Window, ctx: TriggerContext): TriggerResult = Fire

  override def setsTimers(clock: TimeDomain): Boolean = clock == TimeDomain.ProcessingTime

  override def canMerge: Boolean = true

  override def onMerge(window: Window, ctx: OnMergeContext): Unit = resume(window, mayWait = false, ctx)

  override private[sparkwindowing] def resume(window: Window, mayWait: Boolean, ctx: TriggerContext): Unit =
    if (mayWait || window.maxTimestamp > ctx.currentProcessingTime) ctx.registerProcessingTimeTimer(window.maxTimestamp)

  def clear(window: Window, ctx: TriggerContext): Unit = ctx.deleteProcessingTimeTimer(window.maxTimestamp)

  override def spec: Spec = PartSpec("ProcessingTimeTrigger", forgettable = Some(Forgettable(0, mayWait = true)))
}

object ProcessingTimeTrigger {
  def create(): ProcessingTimeTrigger = new ProcessingTimeTrigger()
}
