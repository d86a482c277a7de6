package dev.sparkwindowing.triggers

import dev.sparkwindowing.triggers.TriggerResult.{Continue, Fire}
import dev.sparkwindowing.windows.Window

/** Fires when `maxCount` elements have been added since the last firing.
  *
  * It does not fire at the end of a time window: remaining elements below the count are dropped with the window. A
  * count of 0 or less fires for every element, as in Flink.
  */
final case class CountTrigger private (maxCount: Long) extends Trigger[Any] {

  override def memory: TriggerMemory = TriggerMemory.number("count")

  def onElement(element: Any, timestamp: Long, window: Window, ctx: TriggerContext): TriggerResult = {
    val count = ctx.number(0) + 1
    if (count >= maxCount) {
      ctx.clearNumber(0)
      Fire
    } else {
      ctx.setNumber(0, count)
      Continue
    }
  }

  def onEventTime(time: Long, window: Window, ctx: TriggerContext): TriggerResult      = Continue
  def onProcessingTime(time: Long, window: Window, ctx: TriggerContext): TriggerResult = Continue

  override def canMerge: Boolean = true

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
}

object CountTrigger {

  /** @param maxCount elements from one firing to the next */
  def of(maxCount: Long): CountTrigger = new CountTrigger(maxCount)
}
