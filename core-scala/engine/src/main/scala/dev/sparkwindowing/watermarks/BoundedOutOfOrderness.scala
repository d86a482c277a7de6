package dev.sparkwindowing.watermarks

import dev.sparkwindowing.windows.Millis

import java.time.Duration

/** Emits at each probe the highest event time so far, minus the out-of-orderness, minus 1 ms; nothing before the first
  * element.
  *
  * Build it with [[BoundedOutOfOrderness.of]] or [[BoundedOutOfOrderness.monotonous]].
  */
final class BoundedOutOfOrderness private (delay: Long) extends WatermarkGenerator[Any] {
  private[this] var highest = Long.MinValue

  def onEvent(element: Any, timestamp: Long, out: WatermarkOutput): Unit = highest = math.max(highest, timestamp)

  def onPeriodicEmit(out: WatermarkOutput): Unit =
    if (highest > Long.MinValue + delay) out.emitWatermark(highest - delay - 1)

  override def toString: String = s"BoundedOutOfOrderness(${Millis.show(delay)})"
}

object BoundedOutOfOrderness {

  /** @param outOfOrderness
    *   maximum distance of an element behind the highest event time
    * @throws java.lang.IllegalArgumentException
    *   if negative
    */
  def of(outOfOrderness: Duration): BoundedOutOfOrderness = new BoundedOutOfOrderness(check(outOfOrderness))

  /** A generator for event times that never decrease. */
  def monotonous(): BoundedOutOfOrderness = new BoundedOutOfOrderness(0)

  /** The milliseconds of an out-of-orderness.
    *
    * @throws java.lang.IllegalArgumentException
    *   if negative
    */
  def check(outOfOrderness: Duration): Long = {
    val millis = Millis.of("out-of-orderness", outOfOrderness)
    if (millis < 0)
      throw new IllegalArgumentException(s"out-of-orderness must not be negative, got ${Millis.show(millis)}")
    millis
  }
}
