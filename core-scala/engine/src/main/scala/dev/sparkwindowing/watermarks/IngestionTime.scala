package dev.sparkwindowing.watermarks

import java.time.Duration

/** Event times from processing time, so that no element is ever late, not even if processing time goes back. */
object IngestionTime {

  /** Delay of the watermark in milliseconds: elements of the same millisecond are not late, neither here nor for an
    * operator for which an element at the watermark is late.
    */
  val Delay: Long = 1L

  /** The event time of a new element: processing time, or later if the watermark has passed it. */
  def stamp(processingTime: Long, watermark: Long): Long = math.max(processingTime, watermark + Delay + 1)

  /** The watermarks of elements with such event times. */
  def generator(): WatermarkGenerator[Any] = BoundedOutOfOrderness.of(Duration.ofMillis(Delay))
}
