package dev.sparkwindowing.assigners

import dev.sparkwindowing.declaration.{PartSpec, Spec}
import dev.sparkwindowing.windows.{Millis, WindowCollector}

import java.time.Duration

/** Processing-time sessions: each element opens `[now, now + gap)`; event time is ignored. */
final case class ProcessingTimeSessionWindows private (gap: Long)
    extends SessionWindowAssigner[Any]
    with ProcessingTimeAssigner[Any] {

  def assignWindows(element: Any, timestamp: Long, processingTime: Long, windows: WindowCollector): Unit =
    windows.add(processingTime, processingTime + gap)

  private[assigners] override def fixedGap: Option[Long] = Some(gap)

  override def spec: Spec = PartSpec("ProcessingTimeSessionWindows.withGap", Seq("gap" -> Spec.Free(Spec.millis(gap))))
}

object ProcessingTimeSessionWindows {

  /** Argument and errors are those of [[EventTimeSessionWindows.withGap]]. */
  def withGap(gap: Duration): ProcessingTimeSessionWindows =
    new ProcessingTimeSessionWindows(Millis.positive("ProcessingTimeSessionWindows: gap", gap))

  /** Sessions with a gap per element; a gap that is not positive is an error at that element. */
  def withDynamicGap[E](gap: SessionWindowTimeGapExtractor[E]): DynamicProcessingTimeSessionWindows[E] =
    DynamicProcessingTimeSessionWindows.withDynamicGap(gap)
}
