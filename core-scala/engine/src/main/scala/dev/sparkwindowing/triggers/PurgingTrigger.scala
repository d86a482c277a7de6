package dev.sparkwindowing.triggers

import dev.sparkwindowing.codec.ValueCodec
import dev.sparkwindowing.triggers.TriggerResult.{Fire, FireAndPurge}
import dev.sparkwindowing.windows.Window

/** Fires when `nested` does, and drops the contents of the window each time.
  *
  * Only contents are dropped: the window, its timers and what the nested trigger remembers stay.
  */
final case class PurgingTrigger[-E] private (nested: Trigger[E]) extends Trigger[E] {

  private def purging(answer: TriggerResult): TriggerResult = if (answer eq Fire) FireAndPurge else answer

  def onElement(element: E, timestamp: Long, window: Window, ctx: TriggerContext): TriggerResult =
    purging(nested.onElement(element, timestamp, window, ctx))

  def onEventTime(time: Long, window: Window, ctx: TriggerContext): TriggerResult =
    purging(nested.onEventTime(time, window, ctx))

  def onProcessingTime(time: Long, window: Window, ctx: TriggerContext): TriggerResult =
    purging(nested.onProcessingTime(time, window, ctx))

  override def canMerge: Boolean                                  = nested.canMerge
  override def onMerge(window: Window, ctx: OnMergeContext): Unit = nested.onMerge(window, ctx)
  def clear(window: Window, ctx: TriggerContext): Unit            = nested.clear(window, ctx)

  override private[sparkwindowing] def resume(window: Window, ctx: TriggerContext): Unit = nested.resume(window, ctx)

  override def numbers: Int                                = nested.numbers
  override def values: IndexedSeq[ValueCodec[_ <: AnyRef]] = nested.values

  override def toString: String = s"PurgingTrigger($nested)"
}

object PurgingTrigger {
  def of[E](nested: Trigger[E]): PurgingTrigger[E] = {
    if (nested == null) throw new NullPointerException("the nested trigger must not be null")
    new PurgingTrigger(nested)
  }
}
