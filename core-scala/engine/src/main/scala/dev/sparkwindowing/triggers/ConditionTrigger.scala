package dev.sparkwindowing.triggers

import dev.sparkwindowing.functions.TimeDomain
import dev.sparkwindowing.triggers.TriggerResult.{Continue, Fire}
import dev.sparkwindowing.windows.Window

/** Fires when a condition over the contents of the window becomes true.
  *
  * It remembers one bit: whether the condition held when it was computed last. A window whose contents were purged
  * begins anew. When windows merge, it held if it did in one of them; the next element computes it again. A firing that
  * another trigger causes changes nothing.
  *
  * @param every
  *   whether it fires each time the condition becomes true, else once a window
  * @param byMicroBatch
  *   whether the condition is computed after the elements of a micro-batch, and at the end of the window, which is what
  *   a bounded input has; else after each element
  */
private[sparkwindowing] abstract class ConditionTrigger[-E](every: Boolean, byMicroBatch: Boolean) extends Trigger[E] {
  import ConditionTrigger.Held

  /** True if the condition holds for contents with at least one element, which must not be changed. */
  protected def holds(contents: AnyRef): Boolean

  final override def memory: TriggerMemory = TriggerMemory.number("held")

  final def onElement(element: E, timestamp: Long, window: Window, ctx: TriggerContext): TriggerResult = {
    if (every && ctx.isFirstElement) ctx.clearNumber(Held)
    if (!byMicroBatch) decide(ctx)
    else {
      if (window.maxTimestamp > ctx.currentWatermark) ctx.registerEventTimeTimer(window.maxTimestamp)
      Continue
    }
  }

  final override def firesByMicroBatch: Boolean = byMicroBatch

  final override def onMicroBatch(window: Window, ctx: TriggerContext): TriggerResult =
    if (byMicroBatch) decide(ctx) else Continue

  final def onEventTime(time: Long, window: Window, ctx: TriggerContext): TriggerResult =
    if (byMicroBatch) decide(ctx) else Continue

  final def onProcessingTime(time: Long, window: Window, ctx: TriggerContext): TriggerResult = Continue

  private def decide(ctx: TriggerContext): TriggerResult = {
    val contents = ctx.contents
    val held     = ctx.hasNumber(Held)
    if (contents == null || held && !every) Continue
    else if (holds(contents)) {
      if (!held) ctx.setNumber(Held, 1)
      if (held) Continue else Fire
    } else {
      if (held) ctx.clearNumber(Held)
      Continue
    }
  }

  final override private[sparkwindowing] def needsEachElement(allowedLateness: Long): Boolean = !byMicroBatch

  final override def setsTimers(clock: TimeDomain): Boolean = byMicroBatch && clock == TimeDomain.EventTime

  final override def canMerge: Boolean = true

  final override def onMerge(window: Window, ctx: OnMergeContext): Unit = {
    if (MergedNumbers.any(Held, ctx)) ctx.setNumber(Held, 1)
    if (byMicroBatch && window.maxTimestamp > ctx.currentWatermark) ctx.registerEventTimeTimer(window.maxTimestamp)
  }

  // The condition is of all elements, and not of those since the last firing.
  final override def restart(window: Window, ctx: TriggerContext): Unit = ()

  final def clear(window: Window, ctx: TriggerContext): Unit = {
    ctx.clearNumber(Held)
    if (byMicroBatch) ctx.deleteEventTimeTimer(window.maxTimestamp)
  }
}

private object ConditionTrigger {

  /** Set if the condition held when it was computed last. */
  private val Held = 0
}
