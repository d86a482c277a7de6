package dev.sparkwindowing.assigners

import dev.sparkwindowing.declaration.{Part, PartSpec, Spec}
import dev.sparkwindowing.windows.WindowCollector

/** Event-time sessions with a gap per element: each element opens `[timestamp, timestamp + its gap)`. */
final case class DynamicEventTimeSessionWindows[-E] private (gap: SessionWindowTimeGapExtractor[E])
    extends SessionWindowAssigner[E]
    with EventTimeAssigner[E] {

  def assignWindows(element: E, timestamp: Long, processingTime: Long, windows: WindowCollector): Unit =
    windows.add(timestamp, timestamp + SessionGap.of(gap, element))

  override def children: Seq[Part] = Seq(gap)

  override def withChildren(children: Seq[Part]): WindowAssigner[E] = (children: @unchecked) match {
    case Seq(other: SessionWindowTimeGapExtractor[E @unchecked]) => copy(gap = other)
  }

  override def spec: Spec = PartSpec("EventTimeSessionWindows.withDynamicGap", Seq("gap" -> gap.spec))
}

object DynamicEventTimeSessionWindows {

  /** @param gap extracts the gap of an element; a gap that is not positive is an error at that element */
  def withDynamicGap[E](gap: SessionWindowTimeGapExtractor[E]): DynamicEventTimeSessionWindows[E] = {
    if (gap == null) throw new NullPointerException("gap must not be null")
    new DynamicEventTimeSessionWindows(gap)
  }
}
