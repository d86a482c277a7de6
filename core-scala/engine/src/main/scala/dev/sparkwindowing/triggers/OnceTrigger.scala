package dev.sparkwindowing.triggers

import dev.sparkwindowing.codec.ValueCodec
import dev.sparkwindowing.triggers.TriggerResult.{Continue, Purge}
import dev.sparkwindowing.windows.Window

/** Lets the first firing of `nested` through and no other of that window. A purge still purges. */
final case class OnceTrigger[-E] private (nested: Trigger[E]) extends Trigger[E] {

  // The number that is there once it has fired: behind those of the nested trigger.
  private def fired: Int = nested.numbers

  override def numbers: Int                                = nested.numbers + 1
  override def values: IndexedSeq[ValueCodec[_ <: AnyRef]] = nested.values

  private def once(answer: TriggerResult, ctx: TriggerContext): TriggerResult =
    if (!answer.isFire) answer
    else if (ctx.hasNumber(fired)) if (answer.isPurge) Purge else Continue
    else {
      ctx.setNumber(fired, 1)
      answer
    }

  def onElement(element: E, timestamp: Long, window: Window, ctx: TriggerContext): TriggerResult =
    once(nested.onElement(element, timestamp, window, ctx), ctx)

  def onEventTime(time: Long, window: Window, ctx: TriggerContext): TriggerResult =
    once(nested.onEventTime(time, window, ctx), ctx)

  def onProcessingTime(time: Long, window: Window, ctx: TriggerContext): TriggerResult =
    once(nested.onProcessingTime(time, window, ctx), ctx)

  override def canMerge: Boolean = nested.canMerge

  override def onMerge(window: Window, ctx: OnMergeContext): Unit = {
    nested.onMerge(window, ctx)
    if (Merged.any(fired, ctx)) ctx.setNumber(fired, 1)
  }

  def clear(window: Window, ctx: TriggerContext): Unit = {
    nested.clear(window, ctx)
    ctx.clearNumber(fired)
  }

  override def toString: String = s"OnceTrigger($nested)"
}

object OnceTrigger {
  def of[E](nested: Trigger[E]): OnceTrigger[E] = {
    if (nested == null) throw new NullPointerException("the nested trigger must not be null")
    new OnceTrigger(nested)
  }
}
