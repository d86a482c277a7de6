package dev.sparkwindowing.bench.streams

import org.apache.flink.streaming.api.windowing.triggers.{EventTimeTrigger, Trigger, TriggerResult}
import org.apache.flink.streaming.api.windowing.windows.TimeWindow

/** Fires when `early` does, and at the end of the window: `AnyTrigger` with the event-time trigger. */
final class EarlyFirings(early: Trigger[Object, TimeWindow]) extends Trigger[Object, TimeWindow] {
  private[this] val end = EventTimeTrigger.create()

  def onElement(e: Object, time: Long, window: TimeWindow, context: Trigger.TriggerContext): TriggerResult = {
    val fired = early.onElement(e, time, window, context)
    val ended = end.onElement(e, time, window, context)
    if (ended.isFire) ended else fired
  }

  def onEventTime(time: Long, window: TimeWindow, context: Trigger.TriggerContext): TriggerResult =
    end.onEventTime(time, window, context)

  def onProcessingTime(time: Long, window: TimeWindow, context: Trigger.TriggerContext): TriggerResult =
    early.onProcessingTime(time, window, context)

  override def canMerge: Boolean = true

  override def onMerge(window: TimeWindow, context: Trigger.OnMergeContext): Unit = {
    early.onMerge(window, context)
    end.onMerge(window, context)
  }

  def clear(window: TimeWindow, context: Trigger.TriggerContext): Unit = {
    early.clear(window, context)
    end.clear(window, context)
  }
}
