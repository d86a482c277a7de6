package dev.sparkwindowing.watermarks

import dev.sparkwindowing.windows.Millis

import java.time.Duration

/** Limits how far elements from the future move the watermark: `generator` sees no event time beyond processing time
  * plus an allowance, and emits no later watermark. The elements keep their event times. Build it with
  * [[AheadOfClock.of]].
  *
  * @param clock
  *   processing time in milliseconds
  */
final class AheadOfClock[-E] private (generator: WatermarkGenerator[E], allowance: Long, clock: () => Long)
    extends WatermarkGenerator[E] {

  def onEvent(element: E, timestamp: Long, out: WatermarkOutput): Unit =
    generator.onEvent(element, math.min(timestamp, limit), limited(out))

  def onPeriodicEmit(out: WatermarkOutput): Unit = generator.onPeriodicEmit(limited(out))

  private[this] def limit: Long = {
    val now = clock()
    if (now > Long.MaxValue - allowance) Long.MaxValue else now + allowance
  }

  private[this] def limited(out: WatermarkOutput): WatermarkOutput = new WatermarkOutput {
    def emitWatermark(watermark: Long): Unit = out.emitWatermark(math.min(watermark, limit))
    def markIdle(): Unit                     = out.markIdle()
    def markActive(): Unit                   = out.markActive()
  }

  override def toString: String = s"$generator, at most ${Millis.show(allowance)} ahead of the clock"
}

object AheadOfClock {

  /** @throws java.lang.IllegalArgumentException if the allowance is negative */
  def of[E](generator: WatermarkGenerator[E], allowance: Duration, clock: () => Long): AheadOfClock[E] =
    new AheadOfClock(generator, check(allowance), clock)

  /** The milliseconds of an allowance.
    *
    * @throws java.lang.IllegalArgumentException
    *   if negative
    */
  def check(allowance: Duration): Long = {
    val millis = Millis.of("max ahead of clock", allowance)
    if (millis < 0)
      throw new IllegalArgumentException(s"max ahead of clock must not be negative, got ${Millis.show(millis)}")
    millis
  }
}
