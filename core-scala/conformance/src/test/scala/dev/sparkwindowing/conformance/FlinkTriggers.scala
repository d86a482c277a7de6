package dev.sparkwindowing.conformance

import org.apache.flink.streaming.api.windowing.triggers.{Trigger, TriggerResult}
import org.apache.flink.streaming.api.windowing.windows.{GlobalWindow, Window}

/** Triggers for the pairs that Flink's own do not fit: its Never is for the global window only, its time triggers for
  * time windows only.
  */
object FlinkTriggers {

  /** Answers nothing; the base of the others. */
  class Never[W <: Window] extends Trigger[Object, W] {
    def onElement(element: Object, time: Long, window: W, ctx: Trigger.TriggerContext): TriggerResult =
      TriggerResult.CONTINUE
    def onEventTime(time: Long, window: W, ctx: Trigger.TriggerContext): TriggerResult      = TriggerResult.CONTINUE
    def onProcessingTime(time: Long, window: W, ctx: Trigger.TriggerContext): TriggerResult = TriggerResult.CONTINUE
    def clear(window: W, ctx: Trigger.TriggerContext): Unit                                 = ()
  }

  /** The event-time trigger on a window that only the last watermark of all passes. */
  final class EndOfTime extends Never[GlobalWindow] {
    override def onElement(e: Object, time: Long, window: GlobalWindow, ctx: Trigger.TriggerContext): TriggerResult =
      if (window.maxTimestamp <= ctx.getCurrentWatermark) TriggerResult.FIRE
      else {
        ctx.registerEventTimeTimer(window.maxTimestamp)
        TriggerResult.CONTINUE
      }
    override def onEventTime(time: Long, window: GlobalWindow, ctx: Trigger.TriggerContext): TriggerResult =
      TriggerResult.FIRE
  }

  /** The processing-time trigger on a window that no clock passes. */
  final class EndOfClock extends Never[GlobalWindow] {
    override def onElement(e: Object, time: Long, window: GlobalWindow, ctx: Trigger.TriggerContext): TriggerResult = {
      ctx.registerProcessingTimeTimer(window.maxTimestamp)
      TriggerResult.CONTINUE
    }
  }
}
