package dev.sparkwindowing.conformance

import dev.sparkwindowing.codec.ValueCodec
import dev.sparkwindowing.triggers.{OnMergeContext, Trigger, TriggerContext, TriggerResult}
import dev.sparkwindowing.windows.Window

/** A trigger that answers as `nested` does and counts how often live sessions joined.
  *
  * Flink leaves the order of the elements of joined sessions open.
  */
final class WatchedTrigger(nested: Trigger[Any]) extends Trigger[Any] {
  private[this] var joined = 0

  /** How often two or more live windows became one. */
  def joins: Int = joined

  def onElement(element: Any, timestamp: Long, window: Window, ctx: TriggerContext): TriggerResult =
    nested.onElement(element, timestamp, window, ctx)
  def onEventTime(time: Long, window: Window, ctx: TriggerContext): TriggerResult =
    nested.onEventTime(time, window, ctx)
  def onProcessingTime(time: Long, window: Window, ctx: TriggerContext): TriggerResult =
    nested.onProcessingTime(time, window, ctx)

  override def canMerge: Boolean = nested.canMerge

  override def onMerge(window: Window, ctx: OnMergeContext): Unit = {
    if (ctx.mergedWindows > 1) joined += 1
    nested.onMerge(window, ctx)
  }

  def clear(window: Window, ctx: TriggerContext): Unit     = nested.clear(window, ctx)
  override def numbers: Int                                = nested.numbers
  override def values: IndexedSeq[ValueCodec[_ <: AnyRef]] = nested.values
}
