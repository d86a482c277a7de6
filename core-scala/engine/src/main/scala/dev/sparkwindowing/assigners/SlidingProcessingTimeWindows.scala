package dev.sparkwindowing.assigners

import dev.sparkwindowing.declaration.Spec
import dev.sparkwindowing.triggers.{ProcessingTimeTrigger, Trigger}
import dev.sparkwindowing.windows.WindowCollector

import java.time.Duration

/** Processing-time windows of length `size` that start every `slide`; event time is ignored. */
final case class SlidingProcessingTimeWindows private (size: Long, slide: Long, offset: Long)
    extends WindowAssigner[Any] {

  def assignWindows(element: Any, timestamp: Long, processingTime: Long, windows: WindowCollector): Unit =
    SlidingGrid.assign(processingTime, size, slide, offset, windows)

  def defaultTrigger: Trigger[Any] = ProcessingTimeTrigger.create()
  def isEventTime: Boolean         = false

  override def spec: Spec = SlidingGrid.spec("SlidingProcessingTimeWindows", size, slide, offset)
}

object SlidingProcessingTimeWindows {

  /** @param size
    *   length of a window, positive
    * @param slide
    *   distance from the start of one window to the start of the next, positive
    * @param offset
    *   shift of the grid, shorter than `slide`; may be negative
    * @throws java.lang.IllegalArgumentException
    *   if abs(offset) >= slide or size <= 0
    */
  def of(size: Duration, slide: Duration, offset: Duration = Duration.ZERO): SlidingProcessingTimeWindows = {
    val (s, d, o) = SlidingGrid.check("SlidingProcessingTimeWindows", size, slide, offset)
    new SlidingProcessingTimeWindows(s, d, o)
  }
}
