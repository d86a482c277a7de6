package dev.sparkwindowing.assigners

import dev.sparkwindowing.windows.{SliceGrid, SlidingSlices, TimeWindow, WindowCollector}

import java.time.Duration

/** Consecutive event-time windows of one length, without gap or overlap: one window per element.
  *
  * The grid is aligned to epoch milliseconds and shifted by the offset. There is no time zone: a day at GMT+8 is a size
  * of one day with an offset of minus eight hours. Build it with [[TumblingEventTimeWindows.of]].
  */
final case class TumblingEventTimeWindows private (size: Long, offset: Long, stagger: WindowStagger)
    extends TumblingWindows
    with EventTimeAssigner[Any] {

  def assignWindows(element: Any, timestamp: Long, processingTime: Long, windows: WindowCollector): Unit = {
    EventTime.require(timestamp)
    val start = TimeWindow.startOf(timestamp, offset, size)
    windows.add(start, start + size)
  }

  def shifted(shift: Long): WindowAssigner[Any] =
    copy(offset = (offset + shift) % size, stagger = WindowStagger.Aligned)

  override private[sparkwindowing] def slices: Option[SliceGrid] =
    if (isStaggered) None else Some(SlidingSlices(size, size, offset))
}

object TumblingEventTimeWindows {

  /** @param size
    *   length of a window, positive
    * @param offset
    *   shift of the grid, shorter than `size`; may be negative
    * @param stagger
    *   a further shift, determined once, at the first element
    * @throws java.lang.IllegalArgumentException
    *   if abs(offset) >= size
    */
  def of(
      size: Duration,
      offset: Duration = Duration.ZERO,
      stagger: WindowStagger = WindowStagger.Aligned
  ): TumblingEventTimeWindows = {
    val (s, o) = TumblingWindows.check("TumblingEventTimeWindows", size, offset, stagger)
    new TumblingEventTimeWindows(s, o, stagger)
  }
}
