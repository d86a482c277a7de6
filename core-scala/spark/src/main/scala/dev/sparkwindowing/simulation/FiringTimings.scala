package dev.sparkwindowing.simulation

import dev.sparkwindowing.operator.PaneTiming
import dev.sparkwindowing.spark.plan.WindowProgram
import dev.sparkwindowing.windows.{TimeWindow, Window}
import org.apache.spark.sql.catalyst.InternalRow

import scala.collection.mutable

/** Timing of each firing as `withPane` defines it, for queries without `withPane`. */
private[simulation] final class FiringTimings(program: WindowProgram) {
  private[this] val isEventTime = program.assigner.isEventTime
  private[this] val isMerging   = program.rules.isMerging

  // Live windows that fired at or after their end; of sessions also those merged into another since.
  private[this] val onTime = mutable.Map.empty[InternalRow, Set[Window]].withDefaultValue(Set.empty)

  def of(key: InternalRow, window: Window, watermark: Long): PaneTiming = {
    val hasFired = onTime(key).exists(p => p.maxTimestamp == window.maxTimestamp && isPart(p, window))
    val timing   = PaneTiming.of(isEventTime, window.maxTimestamp, watermark, hasFired)
    if (isEventTime && timing == PaneTiming.OnTime) onTime(key) += window
    timing
  }

  def cleared(key: InternalRow, window: Window): Unit =
    if (onTime.contains(key)) {
      onTime(key) = onTime(key).filterNot(isPart(_, window))
      if (onTime(key).isEmpty) onTime -= key
    }

  private[this] def isPart(part: Window, whole: Window): Boolean = (part, whole) match {
    case (TimeWindow(start, end), TimeWindow(from, until)) if isMerging => from <= start && end <= until
    case _                                                              => part == whole
  }
}
