package dev.sparkwindowing.assigners

import dev.sparkwindowing.declaration.Spec
import dev.sparkwindowing.triggers.{EventTimeTrigger, Trigger}
import dev.sparkwindowing.windows.{SliceGrid, SlidingSlices, TimeWindow, WindowCollector}

import java.time.Duration

/** Consecutive event-time windows of one length, without gap or overlap: one window per element.
  *
  * The grid is aligned to epoch milliseconds and shifted by the offset. There is no time zone: a day at GMT+8 is a size
  * of one day with an offset of minus eight hours. Build it with [[TumblingEventTimeWindows.of]].
  */
final case class TumblingEventTimeWindows private (size: Long, offset: Long, stagger: WindowStagger)
    extends StaggeredWindowAssigner[Any] {

  def assignWindows(element: Any, timestamp: Long, processingTime: Long, windows: WindowCollector): Unit = {
    EventTime.require(timestamp)
    val start = TimeWindow.startOf(timestamp, offset, size)
    windows.add(start, start + size)
  }

  def isStaggered: Boolean                  = stagger != WindowStagger.Aligned
  def drawShift(processingTime: Long): Long = stagger.shift(processingTime, size)

  def shifted(shift: Long): WindowAssigner[Any] =
    copy(offset = (offset + shift) % size, stagger = WindowStagger.Aligned)

  def defaultTrigger: Trigger[Any] = EventTimeTrigger.create()
  def isEventTime: Boolean         = true

  override private[sparkwindowing] def slices: Option[SliceGrid] =
    if (isStaggered) None else Some(SlidingSlices(size, size, offset))

  override def spec: Spec = TumblingGrid.spec("TumblingEventTimeWindows", size, offset, stagger)
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
    if (stagger == null) throw new NullPointerException("stagger must not be null")
    val (s, o) = TumblingGrid.check("TumblingEventTimeWindows", size, offset)
    new TumblingEventTimeWindows(s, o, stagger)
  }
}
