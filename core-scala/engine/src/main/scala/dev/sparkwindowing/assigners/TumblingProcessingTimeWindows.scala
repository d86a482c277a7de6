package dev.sparkwindowing.assigners

import dev.sparkwindowing.declaration.Spec
import dev.sparkwindowing.triggers.{ProcessingTimeTrigger, Trigger}
import dev.sparkwindowing.windows.{TimeWindow, WindowCollector}

import java.time.Duration

/** Consecutive processing-time windows of one length, without gap or overlap; event time is ignored. */
final case class TumblingProcessingTimeWindows private (size: Long, offset: Long, stagger: WindowStagger)
    extends StaggeredWindowAssigner[Any] {

  def assignWindows(element: Any, timestamp: Long, processingTime: Long, windows: WindowCollector): Unit = {
    val start = TimeWindow.startOf(processingTime, offset, size)
    windows.add(start, start + size)
  }

  def isStaggered: Boolean                  = stagger != WindowStagger.Aligned
  def drawShift(processingTime: Long): Long = stagger.shift(processingTime, size)

  def shifted(shift: Long): WindowAssigner[Any] =
    copy(offset = (offset + shift) % size, stagger = WindowStagger.Aligned)

  def defaultTrigger: Trigger[Any] = ProcessingTimeTrigger.create()
  def isEventTime: Boolean         = false

  override def spec: Spec = TumblingGrid.spec("TumblingProcessingTimeWindows", size, offset, stagger)
}

object TumblingProcessingTimeWindows {

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
  ): TumblingProcessingTimeWindows = {
    if (stagger == null) throw new NullPointerException("stagger must not be null")
    val (s, o) = TumblingGrid.check("TumblingProcessingTimeWindows", size, offset)
    new TumblingProcessingTimeWindows(s, o, stagger)
  }
}
