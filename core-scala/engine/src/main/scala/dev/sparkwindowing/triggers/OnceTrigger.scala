package dev.sparkwindowing.triggers

import dev.sparkwindowing.triggers.TriggerResult.{Continue, Purge}
import dev.sparkwindowing.windows.Window

import scala.annotation.unchecked.uncheckedVariance

/** Fires at the first firing of `inner` only, once per window. A purge still purges. */
final case class OnceTrigger[-E] private (inner: Trigger[E]) extends Trigger[E] {

  // Position of the number that is set after the firing, after the numbers of the nested trigger.
  private val fired: Int = inner.memory.numbers.size

  override def memory: TriggerMemory = inner.memory ++ TriggerMemory.number("has_fired")

  override def nested: Seq[Trigger[E]]                                            = Seq(inner)
  override def withNested(nested: Seq[Trigger[E @uncheckedVariance]]): Trigger[E] = OnceTrigger.of(nested.head)

  private def once(answer: TriggerResult, ctx: TriggerContext): TriggerResult =
    if (!answer.isFire) answer
    else if (ctx.hasNumber(fired)) if (answer.isPurge) Purge else Continue
    else {
      ctx.setNumber(fired, 1)
      answer
    }

  def onElement(element: E, timestamp: Long, window: Window, ctx: TriggerContext): TriggerResult =
    once(inner.onElement(element, timestamp, window, ctx), ctx)

  def onEventTime(time: Long, window: Window, ctx: TriggerContext): TriggerResult =
    once(inner.onEventTime(time, window, ctx), ctx)

  def onProcessingTime(time: Long, window: Window, ctx: TriggerContext): TriggerResult =
    once(inner.onProcessingTime(time, window, ctx), ctx)

  override def firesByMicroBatch: Boolean = inner.firesByMicroBatch

  override def onMicroBatch(window: Window, ctx: TriggerContext): TriggerResult =
    once(inner.onMicroBatch(window, ctx), ctx)

  override private[sparkwindowing] def needsEachElement(allowedLateness: Long): Boolean =
    inner.needsEachElement(allowedLateness)

  override def canMerge: Boolean = inner.canMerge

  override def onMerge(window: Window, ctx: OnMergeContext): Unit = {
    inner.onMerge(window, ctx)
    if (MergedNumbers.any(fired, ctx)) ctx.setNumber(fired, 1)
  }

  // A window that has fired once is still one.
  override def restart(window: Window, ctx: TriggerContext): Unit = inner.restart(window, ctx)

  def clear(window: Window, ctx: TriggerContext): Unit = {
    inner.clear(window, ctx)
    ctx.clearNumber(fired)
  }
}

object OnceTrigger {
  def of[E](nested: Trigger[E]): OnceTrigger[E] = {
    if (nested == null) throw new NullPointerException("the nested trigger must not be null")
    new OnceTrigger(nested)
  }
}
