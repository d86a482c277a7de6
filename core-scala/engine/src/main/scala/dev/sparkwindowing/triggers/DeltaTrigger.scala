package dev.sparkwindowing.triggers

import dev.sparkwindowing.codec.ValueCodec
import dev.sparkwindowing.declaration.Part
import dev.sparkwindowing.functions.DeltaFunction
import dev.sparkwindowing.triggers.TriggerResult.{Continue, Fire}
import dev.sparkwindowing.windows.Window

/** Fires for an element whose delta to the last element that fired, at first to the window's first element, exceeds
  * `threshold`.
  *
  * The element to compare with is kept after a purge. The trigger cannot be used where windows merge.
  *
  * @param threshold
  *   a delta of exactly this does not fire
  * @param codec
  *   writes the element to compare with into the state
  */
final case class DeltaTrigger[E <: AnyRef] private (threshold: Double, delta: DeltaFunction[E], codec: ValueCodec[E])
    extends Trigger[E] {
  import DeltaTrigger.Last

  override def memory: TriggerMemory = TriggerMemory.value("last", codec)

  def onElement(element: E, timestamp: Long, window: Window, ctx: TriggerContext): TriggerResult =
    ctx.value[E](Last) match {
      case None =>
        ctx.setValue(Last, delta.keep(element))
        Continue
      case Some(last) if delta.delta(last, element) > threshold =>
        ctx.setValue(Last, delta.keep(element))
        Fire
      case _ => Continue
    }

  def onEventTime(time: Long, window: Window, ctx: TriggerContext): TriggerResult      = Continue
  def onProcessingTime(time: Long, window: Window, ctx: TriggerContext): TriggerResult = Continue

  def clear(window: Window, ctx: TriggerContext): Unit = ctx.clearValue(Last)

  override def children: Seq[Part] = Seq(delta)

  override def withChildren(children: Seq[Part]): Trigger[E] = (children: @unchecked) match {
    case Seq(other: DeltaFunction[E @unchecked]) => copy(delta = other)
  }
}

object DeltaTrigger {

  /** Position of the element to compare with. */
  private val Last = 0

  def of[E <: AnyRef](threshold: Double, delta: DeltaFunction[E], codec: ValueCodec[E]): DeltaTrigger[E] = {
    if (delta == null) throw new NullPointerException("delta must not be null")
    new DeltaTrigger(threshold, delta, codec)
  }
}
