package dev.sparkwindowing.triggers

import dev.sparkwindowing.declaration.{Forgettable, PartSpec, Spec}
import dev.sparkwindowing.functions.TimeDomain
import dev.sparkwindowing.windows.Window

/** Firings at multiples of an interval, for the continuous triggers of both clocks: keeps the time of the next one. */
private[triggers] abstract class ContinuousTrigger(isEventTime: Boolean) extends Trigger[Any] with Product {
  import ContinuousTrigger.Next

  /** Milliseconds of the clock from one firing to the next. */
  def interval: Long

  private def now(ctx: TriggerContext): Long = if (isEventTime) ctx.currentWatermark else ctx.currentProcessingTime

  override def memory: TriggerMemory = TriggerMemory.time("next_firing")

  override def setsTimers(clock: TimeDomain): Boolean = (clock == TimeDomain.EventTime) == isEventTime

  override def canMerge: Boolean = true

  protected def setNext(time: Long, ctx: TriggerContext): Unit = {
    ctx.setNumber(Next, time)
    if (isEventTime) ctx.registerEventTimeTimer(time) else ctx.registerProcessingTimeTimer(time)
  }

  private def delete(time: Long, ctx: TriggerContext): Unit =
    if (isEventTime) ctx.deleteEventTimeTimer(time) else ctx.deleteProcessingTimeTimer(time)

  /** The firing after the multiple `from`: the next multiple, or the end of the window if that is earlier. */
  protected def after(from: Long, window: Window): Long = {
    val next = from + interval
    if (next < from) window.maxTimestamp else math.min(next, window.maxTimestamp)
  }

  /** The multiple to continue from after the firing at `time`. This is `time` itself, or the last multiple passed if
    * more of them were passed at once than an operator calls in a step. Skipped firings are counted.
    */
  protected def reached(time: Long, window: Window, ctx: TriggerContext): Long = {
    val until  = math.min(now(ctx), window.maxTimestamp)
    val jumped = if (until > time) java.lang.Long.divideUnsigned(until - time, interval) else 0L
    if (java.lang.Long.compareUnsigned(jumped, TriggerContext.MaxTimerCalls.toLong) < 0) time
    else {
      val last = time + jumped * interval
      // The end of the window still fires.
      ctx.skippedFirings(if (last == window.maxTimestamp) jumped - 1 else jumped)
      last
    }
  }

  // The next firing is at least an interval after the one that another trigger caused.
  override def restart(window: Window, ctx: TriggerContext): Unit = if (ctx.hasNumber(Next)) {
    val next = ctx.number(Next)
    val anew = math.max(next, after(now(ctx), window))
    if (anew != next) {
      delete(next, ctx)
      setNext(anew, ctx)
    }
  }

  def clear(window: Window, ctx: TriggerContext): Unit = if (ctx.hasNumber(Next)) {
    delete(ctx.number(Next), ctx)
    ctx.clearNumber(Next)
  }

  override def spec: Spec =
    PartSpec(
      productPrefix,
      Seq("interval" -> Spec.Duration(interval)(mayGrow = true)),
      forgettable = Some(Forgettable(1, mayWait = !isEventTime))
    )
}

private[triggers] object ContinuousTrigger {

  /** Position of the time of the next firing. */
  val Next = 0
}
