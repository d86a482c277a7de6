package dev.sparkwindowing.windows

/** The time line cut wherever a window starts or ends: each window is a run of whole slices, and all times of a slice
  * are in the same windows.
  *
  * There is one slice a slide, or two if the size is no multiple of it: with a size of 25 and a slide of 10 the slices
  * are [0, 5), [5, 10), [10, 15) and so on. Times are milliseconds and may be negative. Every method throws an
  * `ArithmeticException` for a time so close to the first or last `Long` that a bound of its windows is none. An
  * assigner gives it (`slices`).
  *
  * @param size
  *   length of a window
  * @param slide
  *   distance from the start of one window to the start of the next, no longer than `size`
  * @param offset
  *   shift of the grid
  */
final case class SliceGrid private[sparkwindowing] (size: Long, slide: Long, offset: Long) {
  import Math.{addExact, subtractExact}

  // Where in a slide windows end; 0 if they end where others start.
  private[this] val cut = size % slide

  /** Start of the slice that contains `time`; a time that is the start of a slice is its own. */
  def sliceStart(time: Long): Long = {
    val start = newestStart(time)
    if (cut != 0 && time - start >= cut) start + cut else start
  }

  /** End of the slice that contains `time`, exclusive. */
  def sliceEnd(time: Long): Long = {
    val start = newestStart(time)
    addExact(start, if (cut != 0 && time - start < cut) cut else slide)
  }

  /** Start of the last window that contains `time`. */
  def newestStart(time: Long): Long = subtractExact(time, Math.floorMod(subtractExact(time, offset), slide))

  /** End of the last window that contains `time`: its slice is needed until then. */
  def newestEnd(time: Long): Long = addExact(newestStart(time), size)

  /** End of the first window that contains `time`: the earliest end of a window behind it. */
  def oldestEnd(time: Long): Long = addExact(lastEndUpTo(time), slide)

  /** The latest end of a window that is not behind `time`. */
  def lastEndUpTo(time: Long): Long = newestStart(subtractExact(time, size)) + size
}
