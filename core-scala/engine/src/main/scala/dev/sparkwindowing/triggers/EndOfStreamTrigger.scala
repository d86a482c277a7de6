package dev.sparkwindowing.triggers

import dev.sparkwindowing.functions.TimeDomain
import dev.sparkwindowing.triggers.TriggerResult.{Continue, Fire}
import dev.sparkwindowing.windows.Window

/** Fires once, at the end of the input. Used for the global window of a static DataFrame. */
final case class EndOfStreamTrigger private () extends Trigger[Any] {

  def onElement(element: Any, timestamp: Long, window: Window, ctx: TriggerContext): TriggerResult = {
    ctx.registerEventTimeTimer(window.maxTimestamp)
    Continue
  }

  def onEventTime(time: Long, window: Window, ctx: TriggerContext): TriggerResult =
    if (time == window.maxTimestamp) Fire else Continue

  def onProcessingTime(time: Long, window: Window, ctx: TriggerContext): TriggerResult = Continue

  def clear(window: Window, ctx: TriggerContext): Unit = ()

  override def setsTimers(clock: TimeDomain): Boolean = clock == TimeDomain.EventTime

  override def needsEndOfInput: Boolean = true
}

object EndOfStreamTrigger {
  def create(): EndOfStreamTrigger = new EndOfStreamTrigger()
}
