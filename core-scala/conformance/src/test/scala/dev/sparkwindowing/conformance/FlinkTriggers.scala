package dev.sparkwindowing.conformance

import org.apache.flink.streaming.api.windowing.triggers.{Trigger, TriggerResult}
import org.apache.flink.streaming.api.windowing.windows.{GlobalWindow, Window}

/** Triggers for the pairs that Flink's own do not fit: its Never and its EndOfStream are for the global window only,
  * its time triggers for time windows only.
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
      if (time == window.maxTimestamp) TriggerResult.FIRE else TriggerResult.CONTINUE
    override def clear(window: GlobalWindow, ctx: Trigger.TriggerContext): Unit =
      ctx.deleteEventTimeTimer(window.maxTimestamp)
  }

  /** The trigger of the end of the stream on any window. */
  final class EndOfStream[W <: Window] extends Never[W] {
    override def onElement(e: Object, time: Long, window: W, ctx: Trigger.TriggerContext): TriggerResult = {
      ctx.registerEventTimeTimer(window.maxTimestamp)
      TriggerResult.CONTINUE
    }
    override def onEventTime(time: Long, window: W, ctx: Trigger.TriggerContext): TriggerResult =
      if (time == window.maxTimestamp) TriggerResult.FIRE else TriggerResult.CONTINUE
  }

  /** The processing-time trigger on a window that no clock passes. */
  final class EndOfClock extends Never[GlobalWindow] {
    override def onElement(e: Object, time: Long, window: GlobalWindow, ctx: Trigger.TriggerContext): TriggerResult = {
      ctx.registerProcessingTimeTimer(window.maxTimestamp)
      TriggerResult.CONTINUE
    }
    override def onProcessingTime(time: Long, window: GlobalWindow, ctx: Trigger.TriggerContext): TriggerResult =
      TriggerResult.FIRE
    override def clear(window: GlobalWindow, ctx: Trigger.TriggerContext): Unit =
      ctx.deleteProcessingTimeTimer(window.maxTimestamp)
  }

  /** The time of the timer that a trigger was last asked for, [[Firing.NoTimer]] for an element. */
  final class LastTimer extends Serializable {
    var time: Long = Firing.NoTimer
  }

  /** Answers as `nested` does, and notes the timer. */
  final class Watched[T, W <: Window](nested: Trigger[T, W], last: LastTimer) extends Trigger[T, W] {
    def onElement(element: T, time: Long, window: W, ctx: Trigger.TriggerContext): TriggerResult = {
      last.time = Firing.NoTimer
      nested.onElement(element, time, window, ctx)
    }
    def onEventTime(time: Long, window: W, ctx: Trigger.TriggerContext): TriggerResult = {
      last.time = time
      nested.onEventTime(time, window, ctx)
    }
    def onProcessingTime(time: Long, window: W, ctx: Trigger.TriggerContext): TriggerResult = {
      last.time = time
      nested.onProcessingTime(time, window, ctx)
    }
    override def canMerge: Boolean                                     = nested.canMerge
    override def onMerge(window: W, ctx: Trigger.OnMergeContext): Unit = nested.onMerge(window, ctx)
    def clear(window: W, ctx: Trigger.TriggerContext): Unit            = nested.clear(window, ctx)
  }
}
