package dev.sparkwindowing.triggers

import dev.sparkwindowing.declaration.{PartSpec, Spec}
import dev.sparkwindowing.triggers.TriggerResult.{Fire, FireAndPurge}
import dev.sparkwindowing.windows.Window

import scala.annotation.unchecked.uncheckedVariance

/** Fires when `inner` fires, and purges the contents of the window each time.
  *
  * Only the contents are purged: the window, its timers and the state of the nested trigger are kept.
  */
final case class PurgingTrigger[-E] private (inner: Trigger[E]) extends Trigger[E] {

  private def purging(answer: TriggerResult): TriggerResult = if (answer eq Fire) FireAndPurge else answer

  def onElement(element: E, timestamp: Long, window: Window, ctx: TriggerContext): TriggerResult =
    purging(inner.onElement(element, timestamp, window, ctx))

  def onEventTime(time: Long, window: Window, ctx: TriggerContext): TriggerResult =
    purging(inner.onEventTime(time, window, ctx))

  def onProcessingTime(time: Long, window: Window, ctx: TriggerContext): TriggerResult =
    purging(inner.onProcessingTime(time, window, ctx))

  override def firesByMicroBatch: Boolean = inner.firesByMicroBatch

  override def onMicroBatch(window: Window, ctx: TriggerContext): TriggerResult =
    purging(inner.onMicroBatch(window, ctx))

  override private[sparkwindowing] def needsEachElement(allowedLateness: Long): Boolean =
    inner.needsEachElement(allowedLateness)

  override def canMerge: Boolean                                  = inner.canMerge
  override def onMerge(window: Window, ctx: OnMergeContext): Unit = inner.onMerge(window, ctx)
  def clear(window: Window, ctx: TriggerContext): Unit            = inner.clear(window, ctx)

  override def restart(window: Window, ctx: TriggerContext): Unit = inner.restart(window, ctx)

  override private[sparkwindowing] def resume(window: Window, mayWait: Boolean, ctx: TriggerContext): Unit =
    inner.resume(window, mayWait, ctx)

  override def nested: Seq[Trigger[E]] = Seq(inner)
  override def purges: Boolean         = true

  override def withNested(nested: Seq[Trigger[E @uncheckedVariance]]): Trigger[E] = PurgingTrigger.of(nested.head)

  override def memory: TriggerMemory = inner.memory
  override def spec: Spec            =
    PartSpec("PurgingTrigger", Seq("inner" -> inner.spec), forgettable = inner.spec.forgettable)
}

object PurgingTrigger {
  def of[E](nested: Trigger[E]): PurgingTrigger[E] = {
    if (nested == null) throw new NullPointerException("the nested trigger must not be null")
    new PurgingTrigger(nested)
  }
}
