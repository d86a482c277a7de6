package dev.sparkwindowing.assigners

import dev.sparkwindowing.declaration.{PartSpec, Spec}
import dev.sparkwindowing.windows.{Millis, WindowCollector}

import java.time.Duration

/** One event-time window for each element, which ends with it: the element and those of its key before it.
  *
  * Build it with [[OverEventTimeWindows.preceding]] or [[OverEventTimeWindows.precedingRows]]. An element belongs to
  * the windows of later elements, which an assigner cannot name: an [[dev.sparkwindowing.operator.OverOperator]] keeps
  * the elements and takes the place of a window operator. A window fires when the watermark reaches the time of its
  * element, then for each late element in it within the allowed lateness: trigger and evictor are not chosen.
  *
  * @param length
  *   milliseconds from the first element that may be in a window to the last; 0 if rows are counted
  * @param rows
  *   number of elements of a window; 0 if it has a length
  */
final case class OverEventTimeWindows private (length: Long, rows: Long) extends EventTimeAssigner[Any] {

  /** True if a window is a number of elements, false if it is a span of time. */
  def countsRows: Boolean = rows > 0

  def assignWindows(element: Any, timestamp: Long, processingTime: Long, windows: WindowCollector): Unit =
    throw new UnsupportedOperationException(s"$this: an element is in the windows of later elements, use OverOperator")

  // A late element that comes before others moves the start of their windows.
  private[sparkwindowing] override def hasFixedBounds: Boolean = !countsRows

  override def spec: Spec =
    if (countsRows) PartSpec("OverEventTimeWindows.precedingRows", Seq("rows" -> Spec.Count(rows)))
    else PartSpec("OverEventTimeWindows.preceding", Seq("length" -> Spec.millis(length)))
}

object OverEventTimeWindows {

  /** Windows `[timestamp - length, timestamp]`, both ends included: the element, all elements of its key at most
    * `length` before it, and those of the same timestamp, also if they arrive later.
    *
    * @param length
    *   positive
    * @throws java.lang.IllegalArgumentException
    *   if length <= 0
    */
  def preceding(length: Duration): OverEventTimeWindows =
    new OverEventTimeWindows(Millis.positive("OverEventTimeWindows: length", length), 0)

  /** Windows of the last `rows` elements of a key in order of event time, the element itself included. Elements of
    * equal timestamps are in order of arrival. The state keeps the last `rows` - 1 elements of every key for good.
    *
    * @param rows
    *   positive
    * @throws java.lang.IllegalArgumentException
    *   if rows <= 0
    */
  def precedingRows(rows: Long): OverEventTimeWindows = {
    if (rows <= 0)
      throw new IllegalArgumentException(s"OverEventTimeWindows: rows must be positive, got $rows")
    new OverEventTimeWindows(0, rows)
  }
}
