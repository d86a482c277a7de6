package dev.sparkwindowing.assigners

import dev.sparkwindowing.triggers.{ProcessingTimeTrigger, Trigger}

/** Sessions by the clock whose gap depends on the element: each opens `[now, now + its gap)`. */
final case class DynamicProcessingTimeSessionWindows[-E] private (gap: SessionWindowTimeGapExtractor[E])
    extends MergingWindowAssigner[E] {

  def assignWindows(element: E, timestamp: Long, processingTime: Long, windows: WindowCollector): Unit =
    windows.add(processingTime, processingTime + SessionGap.of(gap, element))

  def defaultTrigger: Trigger[Any] = ProcessingTimeTrigger.create()
  def isEventTime: Boolean         = false

  override def toString: String = s"ProcessingTimeSessionWindows.withDynamicGap($gap)"
}

object DynamicProcessingTimeSessionWindows {

  /** @param gap gives the gap of an element; one that is not positive is an error at that element */
  def withDynamicGap[E](gap: SessionWindowTimeGapExtractor[E]): DynamicProcessingTimeSessionWindows[E] = {
    if (gap == null) throw new NullPointerException("gap must not be null")
    new DynamicProcessingTimeSessionWindows(gap)
  }
}
