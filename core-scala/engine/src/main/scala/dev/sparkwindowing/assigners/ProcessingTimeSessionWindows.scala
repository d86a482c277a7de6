package dev.sparkwindowing.assigners

import dev.sparkwindowing.declaration.{PartSpec, Spec}
import dev.sparkwindowing.triggers.{ProcessingTimeTrigger, Trigger}
import dev.sparkwindowing.windows.WindowCollector

import java.time.Duration

/** Processing-time sessions: each element opens `[now, now + gap)`; event time is ignored. */
final case class ProcessingTimeSessionWindows private (gap: Long) extends SessionWindowAssigner[Any] {

  def assignWindows(element: Any, timestamp: Long, processingTime: Long, windows: WindowCollector): Unit =
    windows.add(processingTime, processingTime + gap)

  def defaultTrigger: Trigger[Any] = ProcessingTimeTrigger.create()
  def isEventTime: Boolean         = false

  private[assigners] def fixedGap: Option[Long] = Some(gap)

  override def spec: Spec = PartSpec("ProcessingTimeSessionWindows.withGap", Seq("gap" -> Spec.millis(gap)))
}

object ProcessingTimeSessionWindows {

  /** @param gap
    *   inactivity that ends a session, positive
    * @throws java.lang.IllegalArgumentException
    *   if gap <= 0
    */
  def withGap(gap: Duration): ProcessingTimeSessionWindows =
    new ProcessingTimeSessionWindows(SessionGap.check("ProcessingTimeSessionWindows", gap))

  /** Sessions with a gap per element; a gap that is not positive is an error at that element. */
  def withDynamicGap[E](gap: SessionWindowTimeGapExtractor[E]): DynamicProcessingTimeSessionWindows[E] =
    DynamicProcessingTimeSessionWindows.withDynamicGap(gap)
}
