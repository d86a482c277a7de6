package dev.sparkwindowing.assigners

import dev.sparkwindowing.declaration.Spec
import dev.sparkwindowing.triggers.{EventTimeTrigger, Trigger}
import dev.sparkwindowing.windows.{SliceGrid, SlidingSlices, WindowCollector}

import java.time.Duration

/** Event-time windows of length `size` that start every `slide`: size / slide windows per element.
  *
  * The size need not be a multiple of the slide. A slide longer than the size leaves gaps, and an element in a gap
  * belongs to no window. Build it with [[SlidingEventTimeWindows.of]].
  */
final case class SlidingEventTimeWindows private (size: Long, slide: Long, offset: Long) extends WindowAssigner[Any] {

  def assignWindows(element: Any, timestamp: Long, processingTime: Long, windows: WindowCollector): Unit = {
    EventTime.require(timestamp)
    SlidingGrid.assign(timestamp, size, slide, offset, windows)
  }

  def defaultTrigger: Trigger[Any] = EventTimeTrigger.create()
  def isEventTime: Boolean         = true

  override private[sparkwindowing] def slices: Option[SliceGrid] =
    if (slide <= size) Some(SlidingSlices(size, slide, offset)) else None

  override def spec: Spec = SlidingGrid.spec("SlidingEventTimeWindows", size, slide, offset)
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
    val (s, d, o) = SlidingGrid.check("SlidingEventTimeWindows", size, slide, offset)
    new SlidingEventTimeWindows(s, d, o)
  }
}
