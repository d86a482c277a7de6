package dev.sparkwindowing.watermarks

import java.time.Duration

/** Event times by the clock, so that no element is ever late, not even if the clock goes back. */
object IngestionTime {

  /** How far the watermark stays behind, in milliseconds: elements of the same millisecond are not late, neither here
    * nor for an operator that takes an element at the watermark for late.
    */
  val Delay: Long = 1L

  /** The event time of an element that comes in now: the clock, but no time that the watermark has passed. */
  def stamp(clock: Long, watermark: Long): Long = math.max(clock, watermark + Delay + 1)

  /** The watermarks of elements that are stamped so. */
  def generator(): WatermarkGenerator[Any] = BoundedOutOfOrderness.of(Duration.ofMillis(Delay))
}
