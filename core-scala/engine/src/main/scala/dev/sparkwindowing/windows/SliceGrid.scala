package dev.sparkwindowing.windows

/** The time line cut wherever a window starts or ends: each window is a run of whole slices, and all times of a slice
  * are in the same windows.
  *
  * Windows lie without gaps, and no two end at the same time. Times are milliseconds and may be negative. Methods throw
  * an `ArithmeticException` for a time so close to the first or last `Long` that a bound of its windows would not fit
  * into a `Long`. An assigner gives the grid (`slices`).
  */
trait SliceGrid extends TimeSlices {

  /** End of the last window that contains `time`: its slice is needed until then. */
  def newestEnd(time: Long): Long

  /** End of the first window that contains `time`: the earliest end of a window after it. */
  def oldestEnd(time: Long): Long

  /** The latest end of a window that is not after `time`. */
  def lastEndUpTo(time: Long): Long

  /** Start of the window that ends at `end`. */
  def windowStart(end: Long): Long

  /** End of the window that ends next after the one that ends at `end`. */
  def nextEnd(end: Long): Long

  /** Start of the window that ends next after the one that ends at `end`. */
  def nextStart(end: Long): Long

  /** True if the times between the ends of successive windows are all the same. */
  def isEven: Boolean

  /** True if windows with one start follow each other, each with all slices of the one before. The slices of a window
    * that has fired are then needed only together.
    */
  def isCumulative: Boolean
}
