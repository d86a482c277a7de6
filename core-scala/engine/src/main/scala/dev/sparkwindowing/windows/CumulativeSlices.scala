package dev.sparkwindowing.windows

/** Slices of windows that start together and end a step apart, up to the longest.
  *
  * @param maxSize
  *   length of the longest window, and distance from one start to the next; a multiple of `step`
  * @param step
  *   length of the shortest window and of a slice
  * @param offset
  *   shift of the grid
  */
final case class CumulativeSlices private[sparkwindowing] (maxSize: Long, step: Long, offset: Long) extends SliceGrid {
  import Math.{addExact, subtractExact}

  def sliceStart(time: Long): Long  = startOf(time, step)
  def sliceEnd(time: Long): Long    = addExact(startOf(time, step), step)
  def newestEnd(time: Long): Long   = addExact(startOf(time, maxSize), maxSize)
  def oldestEnd(time: Long): Long   = sliceEnd(time)
  def lastEndUpTo(time: Long): Long = startOf(time, step)
  def windowStart(end: Long): Long  = startOf(end - 1, maxSize)
  def nextEnd(end: Long): Long      = end + step
  def nextStart(end: Long): Long    = startOf(end, maxSize)
  def overlaps: Boolean             = step < maxSize
  def isEven: Boolean               = true
  def isCumulative: Boolean         = overlaps

  private[this] def startOf(time: Long, length: Long): Long =
    subtractExact(time, Math.floorMod(subtractExact(time, offset), length))
}
