package dev.sparkwindowing.assigners

import dev.sparkwindowing.windows.{SliceGrid, SlidingSlices, WindowCollector}

import java.time.Duration

/** Event-time windows of length `size` that start every `slide`: size / slide windows per element.
  *
  * The size need not be a multiple of the slide. A slide longer than the size leaves gaps, and an element in a gap
  * belongs to no window. Build it with [[SlidingEventTimeWindows.of]].
  */
final case class SlidingEventTimeWindows private (size: Long, slide: Long, offset: Long)
    extends SlidingWindows
    with EventTimeAssigner[Any] {

  def assignWindows(element: Any, timestamp: Long, processingTime: Long, windows: WindowCollector): Unit = {
    EventTime.require(timestamp)
    SlidingWindows.assign(timestamp, size, slide, offset, windows)
  }

  override private[sparkwindowing] def slices: Option[SliceGrid] =
    if (slide <= size) Some(SlidingSlices(size, slide, offset)) else None
}

object SlidingEventTimeWindows {

  /** @param size
    *   length of a window, positive
    * @param slide
    *   distance from the start of one window to the start of the next, positive
    * @param offset
    *   shift of the grid, shorter than `slide`; may be negative
    * @throws java.lang.IllegalArgumentException
    *   if abs(offset) >= slide or size <= 0
    */
  def of(size: Duration, slide: Duration, offset: Duration = Duration.ZERO): SlidingEventTimeWindows = {
    val (s, d, o) = SlidingWindows.check("SlidingEventTimeWindows", size, slide, offset)
    new SlidingEventTimeWindows(s, d, o)
  }
}
