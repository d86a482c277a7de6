package dev.sparkwindowing.bench.streams

import org.apache.flink.streaming.api.windowing.triggers.{CountTrigger, EventTimeTrigger, Trigger, TriggerResult}
import org.apache.flink.streaming.api.windowing.windows.TimeWindow

/** Fires at every `elements` elements and at the end of the window: `AfterWatermark` with early firings by count. */
final class EarlyByCount(elements: Long) extends Trigger[Object, TimeWindow] {
  private[this] val count = CountTrigger.of[TimeWindow](elements)
  private[this] val end   = EventTimeTrigger.create()

  def onElement(e: Object, time: Long, window: TimeWindow, context: Trigger.TriggerContext): TriggerResult = {
    val counted = count.onElement(e, time, window, context)
    val ended   = end.onElement(e, time, window, context)
    if (ended.isFire) ended else counted
  }

  def onEventTime(time: Long, window: TimeWindow, context: Trigger.TriggerContext): TriggerResult =
    end.onEventTime(time, window, context)

  def onProcessingTime(time: Long, window: TimeWindow, context: Trigger.TriggerContext): TriggerResult =
    TriggerResult.CONTINUE

  override def canMerge: Boolean = true

  override def onMerge(window: TimeWindow, context: Trigger.OnMergeContext): Unit = {
    count.onMerge(window, context)
    end.onMerge(window, context)
  }

  def clear(window: TimeWindow, context: Trigger.TriggerContext): Unit = {
    count.clear(window, context)
    end.clear(window, context)
  }
}
