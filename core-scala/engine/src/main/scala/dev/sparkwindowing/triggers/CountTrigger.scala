package dev.sparkwindowing.triggers

import dev.sparkwindowing.declaration.{Forgettable, PartSpec, Spec}
import dev.sparkwindowing.triggers.TriggerResult.{Continue, Fire}
import dev.sparkwindowing.windows.Window

/** Fires when `maxCount` elements have been added since the last firing.
  *
  * It does not fire at the end of a time window: remaining elements below the count are dropped with the window. A
  * count of 0 or less fires for every element, as in Flink.
  *
  * @param atLeast
  *   elements of the window before its first firing, which is at a multiple of `maxCount`; 0 for no such limit
  */
final case class CountTrigger private (maxCount: Long, atLeast: Long) extends Trigger[Any] {

  // Elements that the first firing waits for, beyond those of any other.
  private val ahead: Long = {
    val step   = math.max(maxCount, 1)
    val needed = math.max(atLeast, 1)
    math.max(needed - 1, 0) / step * step
  }

  override def memory: TriggerMemory = TriggerMemory.number("count")

  def onElement(element: Any, timestamp: Long, window: Window, ctx: TriggerContext): TriggerResult = {
    val count = (if (ahead == 0 || ctx.hasNumber(0)) ctx.number(0) else -ahead) + 1
    if (count >= maxCount && count > 0) {
      if (ahead == 0) ctx.clearNumber(0) else ctx.setNumber(0, 0)
      Fire
    } else {
      ctx.setNumber(0, count)
      Continue
    }
  }

  def onEventTime(time: Long, window: Window, ctx: TriggerContext): TriggerResult      = Continue
  def onProcessingTime(time: Long, window: Window, ctx: TriggerContext): TriggerResult = Continue

  override def canMerge: Boolean = ahead == 0

  override def onMerge(window: Window, ctx: OnMergeContext): Unit = {
    var sum = 0L
    var w   = 0
    while (w < ctx.mergedWindows) {
      sum += ctx.mergedNumber(w, 0)
      w += 1
    }
    if (sum != 0) ctx.setNumber(0, sum)
  }

  def clear(window: Window, ctx: TriggerContext): Unit = ctx.clearNumber(0)

  // Elements that were counted go on to count; those that came under another trigger do not.
  override def spec: Spec =
    PartSpec(
      "CountTrigger",
      Seq("maxCount" -> (if (ahead == 0) Spec.Free(Spec.Count(maxCount)) else Spec.Count(maxCount))),
      forgettable = if (ahead == 0) Some(Forgettable(1)) else None
    )
      .option("atLeast", Spec.Count(atLeast), Spec.Count(0))
}

object CountTrigger {

  /** @param maxCount elements from one firing to the next */
  def of(maxCount: Long): CountTrigger = new CountTrigger(maxCount, 0)

  /** For windows that do not merge. */
  private[sparkwindowing] def of(maxCount: Long, atLeast: Long): CountTrigger = new CountTrigger(maxCount, atLeast)
}
