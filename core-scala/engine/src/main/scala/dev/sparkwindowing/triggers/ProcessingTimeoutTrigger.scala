package dev.sparkwindowing.triggers

import dev.sparkwindowing.codec.ValueCodec
import dev.sparkwindowing.triggers.TriggerResult.{Fire, FireAndPurge}
import dev.sparkwindowing.windows.{Millis, Window}

import java.time.Duration

/** Fires when `nested` does, and when the clock has run for the timeout without that.
  *
  * It answers every timer of its window with a firing, the nested trigger's timers and the window's clean-up among
  * them. It cannot be used where windows merge. Build it with [[ProcessingTimeoutTrigger.of]].
  *
  * @param resetTimerOnNewRecord
  *   whether each element starts the timeout anew
  * @param shouldClearOnTimeout
  *   whether a timeout makes the nested trigger forget what it remembers
  */
final case class ProcessingTimeoutTrigger[-E] private (
    nested: Trigger[E],
    timeout: Long,
    resetTimerOnNewRecord: Boolean,
    shouldClearOnTimeout: Boolean
) extends Trigger[E] {

  // The number that holds the running timeout: behind those of the nested trigger.
  private def running: Int = nested.numbers

  override def numbers: Int                                = nested.numbers + 1
  override def values: IndexedSeq[ValueCodec[_ <: AnyRef]] = nested.values

  def onElement(element: E, timestamp: Long, window: Window, ctx: TriggerContext): TriggerResult = {
    val answer = nested.onElement(element, timestamp, window, ctx)
    if (answer.isFire) clear(window, ctx)
    else {
      if (resetTimerOnNewRecord) stop(ctx)
      if (!ctx.hasNumber(running)) {
        val end = ctx.currentProcessingTime + timeout
        ctx.setNumber(running, end)
        ctx.registerProcessingTimeTimer(end)
      }
    }
    answer
  }

  def onEventTime(time: Long, window: Window, ctx: TriggerContext): TriggerResult =
    timedOut(nested.onEventTime(time, window, ctx), window, ctx)

  def onProcessingTime(time: Long, window: Window, ctx: TriggerContext): TriggerResult =
    timedOut(nested.onProcessingTime(time, window, ctx), window, ctx)

  private def timedOut(answer: TriggerResult, window: Window, ctx: TriggerContext): TriggerResult = {
    if (shouldClearOnTimeout) clear(window, ctx)
    if (answer.isPurge) FireAndPurge else Fire
  }

  private def stop(ctx: TriggerContext): Unit = if (ctx.hasNumber(running)) {
    ctx.deleteProcessingTimeTimer(ctx.number(running))
    ctx.clearNumber(running)
  }

  def clear(window: Window, ctx: TriggerContext): Unit = {
    stop(ctx)
    nested.clear(window, ctx)
  }

  override def toString: String = {
    val reset = if (resetTimerOnNewRecord) ", resetTimerOnNewRecord = true" else ""
    val clear = if (shouldClearOnTimeout) "" else ", shouldClearOnTimeout = false"
    s"ProcessingTimeoutTrigger($nested, ${Millis.show(timeout)}$reset$clear)"
  }
}

object ProcessingTimeoutTrigger {

  /** @param timeout
    *   time of the clock, positive
    * @throws java.lang.IllegalArgumentException
    *   if it is not positive
    */
  def of[E](
      nested: Trigger[E],
      timeout: Duration,
      resetTimerOnNewRecord: Boolean = false,
      shouldClearOnTimeout: Boolean = true
  ): ProcessingTimeoutTrigger[E] = {
    if (nested == null) throw new NullPointerException("the nested trigger must not be null")
    val millis = Millis.positive("ProcessingTimeoutTrigger: timeout", timeout)
    new ProcessingTimeoutTrigger(nested, millis, resetTimerOnNewRecord, shouldClearOnTimeout)
  }
}
