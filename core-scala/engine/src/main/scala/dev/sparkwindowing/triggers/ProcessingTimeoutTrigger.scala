package dev.sparkwindowing.triggers

import dev.sparkwindowing.declaration.{PartSpec, Spec}
import dev.sparkwindowing.functions.TimeDomain
import dev.sparkwindowing.triggers.TriggerResult.{Fire, FireAndPurge}
import dev.sparkwindowing.windows.{Millis, Window}

import java.time.Duration
import scala.annotation.unchecked.uncheckedVariance

/** Fires when `inner` fires, or when it has not fired for the timeout in processing time.
  *
  * Fires at every timer of its window, including the nested trigger's timers and the clean-up. It cannot be used where
  * windows merge. Build it with [[ProcessingTimeoutTrigger.of]].
  *
  * @param resetTimerOnNewRecord
  *   whether each element restarts the timeout
  * @param shouldClearOnTimeout
  *   whether a timeout clears the state of the nested trigger
  */
final case class ProcessingTimeoutTrigger[-E] private (
    inner: Trigger[E],
    timeout: Long,
    resetTimerOnNewRecord: Boolean,
    shouldClearOnTimeout: Boolean
) extends Trigger[E] {

  // Position of the time of the running timeout, after the numbers of the nested trigger.
  private val running: Int = inner.memory.numbers.size

  override def memory: TriggerMemory = inner.memory ++ TriggerMemory.time("timeout")

  override def nested: Seq[Trigger[E]]                                            = Seq(inner)
  override def withNested(nested: Seq[Trigger[E @uncheckedVariance]]): Trigger[E] = copy(inner = nested.head)

  def onElement(element: E, timestamp: Long, window: Window, ctx: TriggerContext): TriggerResult = {
    val answer = inner.onElement(element, timestamp, window, ctx)
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
    timedOut(inner.onEventTime(time, window, ctx), window, ctx)

  def onProcessingTime(time: Long, window: Window, ctx: TriggerContext): TriggerResult =
    timedOut(inner.onProcessingTime(time, window, ctx), window, ctx)

  override def firesByMicroBatch: Boolean = inner.firesByMicroBatch

  override def onMicroBatch(window: Window, ctx: TriggerContext): TriggerResult = {
    val answer = inner.onMicroBatch(window, ctx)
    if (answer.isFire) clear(window, ctx)
    answer
  }

  private def timedOut(answer: TriggerResult, window: Window, ctx: TriggerContext): TriggerResult = {
    if (shouldClearOnTimeout) clear(window, ctx)
    if (answer.isPurge) FireAndPurge else Fire
  }

  private def stop(ctx: TriggerContext): Unit = if (ctx.hasNumber(running)) {
    ctx.deleteProcessingTimeTimer(ctx.number(running))
    ctx.clearNumber(running)
  }

  override def setsTimers(clock: TimeDomain): Boolean = clock == TimeDomain.ProcessingTime || inner.setsTimers(clock)

  override def restart(window: Window, ctx: TriggerContext): Unit = {
    stop(ctx)
    inner.restart(window, ctx)
  }

  def clear(window: Window, ctx: TriggerContext): Unit = {
    stop(ctx)
    inner.clear(window, ctx)
  }

  override def spec: Spec =
    PartSpec("ProcessingTimeoutTrigger", Seq("inner" -> inner.spec, "timeout" -> Spec.millis(timeout)))
      .option("resetTimerOnNewRecord", Spec.Flag(resetTimerOnNewRecord), Spec.Flag(false))
      .option("shouldClearOnTimeout", Spec.Flag(shouldClearOnTimeout), Spec.Flag(true))
}

object ProcessingTimeoutTrigger {

  /** @param timeout
    *   processing time, positive
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
