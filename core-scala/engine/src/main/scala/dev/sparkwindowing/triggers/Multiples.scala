package dev.sparkwindowing.triggers

import dev.sparkwindowing.windows.Window

/** The multiples of the interval of a continuous trigger, at which it fires. */
private[triggers] final class Multiples(interval: Long) extends Serializable {

  // The lead of a clock over a multiple up to which all of those between fire.
  private[this] val reach =
    if (interval > Long.MaxValue / TriggerContext.MaxTimerCalls) Long.MaxValue
    else interval * TriggerContext.MaxTimerCalls

  /** The firing behind the multiple `from`: the next one, or the end of the window. */
  def next(from: Long, window: Window): Long = {
    val next = from + interval
    if (next < from) window.maxTimestamp else math.min(next, window.maxTimestamp)
  }

  /** The multiple to go on from when the one at `time` fires: that one, or if the clock has jumped over more of them
    * than an operator calls in a step, the last one of those. What is left out so is counted.
    *
    * @param now
    *   the clock or the watermark
    */
  def reached(time: Long, now: Long, window: Window, ctx: TriggerContext): Long = {
    val until = math.min(now, window.maxTimestamp)
    if (until <= time || java.lang.Long.compareUnsigned(until - time, reach) < 0) time
    else {
      val jumped = java.lang.Long.divideUnsigned(until - time, interval)
      val last   = time + jumped * interval
      // The end of the window fires all the same.
      ctx.skippedFirings(if (last == window.maxTimestamp) jumped - 1 else jumped)
      last
    }
  }
}
