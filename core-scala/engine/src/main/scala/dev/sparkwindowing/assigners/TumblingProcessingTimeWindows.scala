package dev.sparkwindowing.assigners

import dev.sparkwindowing.windows.{TimeWindow, WindowCollector}

import java.time.Duration

/** Consecutive processing-time windows of one length, without gap or overlap; event time is ignored. */
final case class TumblingProcessingTimeWindows private (size: Long, offset: Long, stagger: WindowStagger)
    extends TumblingWindows
    with ProcessingTimeAssigner[Any] {

  def assignWindows(element: Any, timestamp: Long, processingTime: Long, windows: WindowCollector): Unit = {
    val start = TimeWindow.startOf(processingTime, offset, size)
    windows.add(start, start + size)
  }

  def shifted(shift: Long): WindowAssigner[Any] =
    copy(offset = (offset + shift) % size, stagger = WindowStagger.Aligned)
}

object TumblingProcessingTimeWindows {

  /** Arguments and errors are those of [[TumblingEventTimeWindows.of]]. */
  def of(
      size: Duration,
      offset: Duration = Duration.ZERO,
      stagger: WindowStagger = WindowStagger.Aligned
  ): TumblingProcessingTimeWindows = {
    val (s, o) = TumblingWindows.check("TumblingProcessingTimeWindows", size, offset, stagger)
    new TumblingProcessingTimeWindows(s, o, stagger)
  }
}
