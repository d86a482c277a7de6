package dev.sparkwindowing.windows

/** A group of elements of one key: a time span, or the global window. */
sealed abstract class Window extends Product with Serializable {

  /** The last millisecond of the window. A watermark that has reached it has passed the window. */
  def maxTimestamp: Long
}

/** The time span `[start, end)` in milliseconds since the epoch. */
final case class TimeWindow(start: Long, end: Long) extends Window {

  def maxTimestamp: Long = end - 1

  /** True if the two overlap or touch. Windows that touch count: two session elements exactly one gap apart merge. */
  def intersects(other: TimeWindow): Boolean = start <= other.end && end >= other.start

  /** The smallest window that contains both. */
  def cover(other: TimeWindow): TimeWindow = TimeWindow(math.min(start, other.start), math.max(end, other.end))

  override def toString: String = s"[$start, $end)"
}

object TimeWindow {

  /** Start of the window of length `size`, on a grid shifted by `offset`, that contains `timestamp`.
    *
    * Correct for negative timestamps and offsets. All arguments are milliseconds; `size` is positive.
    */
  def startOf(timestamp: Long, offset: Long, size: Long): Long =
    timestamp - Math.floorMod(timestamp - offset, size)
}

/** The one window of a global assigner. It never ends, so it is never late and never cleaned up. */
case object GlobalWindow extends Window {
  def maxTimestamp: Long        = Long.MaxValue
  override def toString: String = "[global]"
}
