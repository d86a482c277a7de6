package dev.sparkwindowing.assigners

import dev.sparkwindowing.windows.WindowCollector

import java.time.Duration

/** Processing-time windows of length `size` that start every `slide`; event time is ignored. */
final case class SlidingProcessingTimeWindows private (size: Long, slide: Long, offset: Long)
    extends SlidingWindows
    with ProcessingTimeAssigner[Any] {

  def assignWindows(element: Any, timestamp: Long, processingTime: Long, windows: WindowCollector): Unit =
    SlidingWindows.assign(processingTime, size, slide, offset, windows)
}

object SlidingProcessingTimeWindows {

  /** Arguments and errors are those of [[SlidingEventTimeWindows.of]]. */
  def of(size: Duration, slide: Duration, offset: Duration = Duration.ZERO): SlidingProcessingTimeWindows = {
    val (s, d, o) = SlidingWindows.check("SlidingProcessingTimeWindows", size, slide, offset)
    new SlidingProcessingTimeWindows(s, d, o)
  }
}
