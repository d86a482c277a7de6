package dev.sparkwindowing.assigners

import dev.sparkwindowing.declaration.{PartSpec, Spec}
import dev.sparkwindowing.windows.{Millis, WindowCollector}

import java.time.Duration

/** Event-time sessions: a window ends when no element has arrived for the gap.
  *
  * Each element opens `[timestamp, timestamp + gap)`; windows of a key that overlap or touch are merged. Build it with
  * [[EventTimeSessionWindows.withGap]].
  */
final case class EventTimeSessionWindows private (gap: Long)
    extends SessionWindowAssigner[Any]
    with EventTimeAssigner[Any] {

  def assignWindows(element: Any, timestamp: Long, processingTime: Long, windows: WindowCollector): Unit =
    windows.add(timestamp, timestamp + gap)

  private[assigners] override def fixedGap: Option[Long] = Some(gap)

  override def spec: Spec = PartSpec("EventTimeSessionWindows.withGap", Seq("gap" -> Spec.Free(Spec.millis(gap))))
}

object EventTimeSessionWindows {

  /** @param gap
    *   inactivity that ends a session, positive; elements exactly one gap apart share a session
    * @throws java.lang.IllegalArgumentException
    *   if gap <= 0
    */
  def withGap(gap: Duration): EventTimeSessionWindows =
    new EventTimeSessionWindows(Millis.positive("EventTimeSessionWindows: gap", gap))

  /** Sessions with a gap per element; a gap that is not positive is an error at that element. */
  def withDynamicGap[E](gap: SessionWindowTimeGapExtractor[E]): DynamicEventTimeSessionWindows[E] =
    DynamicEventTimeSessionWindows.withDynamicGap(gap)
}
