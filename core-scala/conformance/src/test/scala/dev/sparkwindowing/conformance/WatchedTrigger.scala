package dev.sparkwindowing.conformance

import dev.sparkwindowing.triggers.{OnMergeContext, Trigger, TriggerContext, TriggerMemory, TriggerResult}
import dev.sparkwindowing.windows.Window

import java.lang.{Long => JLong}
import scala.collection.mutable

/** A trigger that answers as `inner` does, knows which timer it was asked for, and which windows were merged.
  *
  * Flink leaves the order of the elements of joined sessions open.
  */
final class WatchedTrigger(inner: Trigger[JLong]) extends Trigger[JLong] {
  private[this] var joined = 0
  private[this] val merged = mutable.Set.empty[(String, Window)]

  /** The key at hand. */
  var key: String = ""

  /** The time of the timer at hand, [[Firing.NoTimer]] for an element. */
  var timer: Long = Firing.NoTimer

  /** True if a merge of the key has ever resulted in the window. */
  def hasMerged(key: String, window: Window): Boolean = merged((key, window))

  /** Number of merges of two or more live windows. */
  def joins: Int = joined

  def onElement(element: JLong, timestamp: Long, window: Window, ctx: TriggerContext): TriggerResult = {
    timer = Firing.NoTimer
    inner.onElement(element, timestamp, window, ctx)
  }

  def onEventTime(time: Long, window: Window, ctx: TriggerContext): TriggerResult = {
    timer = time
    inner.onEventTime(time, window, ctx)
  }

  def onProcessingTime(time: Long, window: Window, ctx: TriggerContext): TriggerResult = {
    timer = time
    inner.onProcessingTime(time, window, ctx)
  }

  override def canMerge: Boolean = inner.canMerge

  override def onMerge(window: Window, ctx: OnMergeContext): Unit = {
    if (ctx.mergedWindows > 1) joined += 1
    merged += ((key, window))
    inner.onMerge(window, ctx)
  }

  def clear(window: Window, ctx: TriggerContext): Unit = inner.clear(window, ctx)
  override def memory: TriggerMemory                   = inner.memory
  override def nested: Seq[Trigger[JLong]]             = Seq(inner)
}
