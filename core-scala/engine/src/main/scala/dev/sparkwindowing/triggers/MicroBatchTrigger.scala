package dev.sparkwindowing.triggers

import dev.sparkwindowing.declaration.{Forgettable, PartSpec, Spec}
import dev.sparkwindowing.functions.TimeDomain
import dev.sparkwindowing.triggers.TriggerResult.{Continue, Fire}
import dev.sparkwindowing.windows.Window

/** Fires every window that got elements in a micro-batch, once, after the elements of the micro-batch.
  *
  * It is Spark's update mode with allowed lateness and panes. The end of the window fires only elements that no
  * micro-batch has fired: those of a static DataFrame, which has no micro-batches.
  */
final case class MicroBatchTrigger private () extends Trigger[Any] {
  import MicroBatchTrigger.Pending

  override def memory: TriggerMemory = TriggerMemory.number("pending")

  def onElement(element: Any, timestamp: Long, window: Window, ctx: TriggerContext): TriggerResult = {
    ctx.setNumber(Pending, 1)
    if (window.maxTimestamp > ctx.currentWatermark) ctx.registerEventTimeTimer(window.maxTimestamp)
    Continue
  }

  def onEventTime(time: Long, window: Window, ctx: TriggerContext): TriggerResult =
    onMicroBatch(window, ctx)

  def onProcessingTime(time: Long, window: Window, ctx: TriggerContext): TriggerResult = Continue

  override def firesByMicroBatch: Boolean = true

  override def onMicroBatch(window: Window, ctx: TriggerContext): TriggerResult =
    if (ctx.hasNumber(Pending)) {
      ctx.clearNumber(Pending)
      Fire
    } else Continue

  override private[sparkwindowing] def needsEachElement(allowedLateness: Long): Boolean = false

  override def setsTimers(clock: TimeDomain): Boolean = clock == TimeDomain.EventTime

  override def canMerge: Boolean = true

  override def onMerge(window: Window, ctx: OnMergeContext): Unit = {
    if (MergedNumbers.any(Pending, ctx)) ctx.setNumber(Pending, 1)
    if (window.maxTimestamp > ctx.currentWatermark) ctx.registerEventTimeTimer(window.maxTimestamp)
  }

  override private[sparkwindowing] def resume(window: Window, mayWait: Boolean, ctx: TriggerContext): Unit =
    if (mayWait || window.maxTimestamp > ctx.currentWatermark) {
      ctx.setNumber(Pending, 1)
      ctx.registerEventTimeTimer(window.maxTimestamp)
    }

  def clear(window: Window, ctx: TriggerContext): Unit = {
    ctx.clearNumber(Pending)
    ctx.deleteEventTimeTimer(window.maxTimestamp)
  }

  override def spec: Spec = PartSpec("MicroBatchTrigger", forgettable = Some(Forgettable(1)))
}

object MicroBatchTrigger {

  /** Set while the window has elements that were not fired. */
  private val Pending = 0

  def create(): MicroBatchTrigger = new MicroBatchTrigger()
}
