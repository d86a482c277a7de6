package dev.sparkwindowing.windows

/** The time line cut into slices. Times are milliseconds and may be negative. */
trait TimeSlices extends Serializable {

  /** Start of the slice that contains `time`; a time that is the start of a slice is its own. */
  def sliceStart(time: Long): Long

  /** End of the slice that contains `time`, exclusive. */
  def sliceEnd(time: Long): Long

  /** True if a time can be in several windows. */
  def overlaps: Boolean
}
