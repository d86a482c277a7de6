package dev.sparkwindowing.triggers

import dev.sparkwindowing.windows.Window

/** Multiples of the interval of a continuous trigger, at which it fires. */
private[triggers] final class Multiples(interval: Long) extends Serializable {

  // Distance from a firing multiple to the current time below which every multiple in between fires.
  private[this] val reach =
    if (interval > Long.MaxValue / TriggerContext.MaxTimerCalls) Long.MaxValue
    else interval * TriggerContext.MaxTimerCalls

  /** The firing after the multiple `from`: the next multiple, or the end of the window if that is earlier. */
  def next(from: Long, window: Window): Long = {
    val next = from + interval
    if (next < from) window.maxTimestamp else math.min(next, window.maxTimestamp)
  }

  /** The firing in place of the one at `next`, if the intervals start anew: at least an interval after `now`.
    *
    * @param now
    *   the watermark or the processing time
    */
  def restarted(next: Long, now: Long, window: Window): Long = math.max(next, this.next(now, window))

  /** The multiple to continue from after the firing at `time`. This is `time` itself, or the last multiple passed if
    * more of them were passed at once than an operator calls in a step. Skipped firings are counted.
    *
    * @param now
    *   the watermark or the processing time
    */
  def reached(time: Long, now: Long, window: Window, ctx: TriggerContext): Long = {
    val until = math.min(now, window.maxTimestamp)
    if (until <= time || java.lang.Long.compareUnsigned(until - time, reach) < 0) time
    else {
      val jumped = java.lang.Long.divideUnsigned(until - time, interval)
      val last   = time + jumped * interval
      // The end of the window still fires.
      ctx.skippedFirings(if (last == window.maxTimestamp) jumped - 1 else jumped)
      last
    }
  }
}
