package dev.sparkwindowing.windows

/** Slices of windows of one length that start at equal distances.
  *
  * There is one slice a slide, or two if the size is no multiple of it: with a size of 25 and a slide of 10 the slices
  * are [0, 5), [5, 10), [10, 15) and so on.
  *
  * @param size
  *   length of a window
  * @param slide
  *   distance from the start of one window to the start of the next, no longer than `size`
  * @param offset
  *   shift of the grid
  */
final case class SlidingSlices private[sparkwindowing] (size: Long, slide: Long, offset: Long) extends SliceGrid {
  import Math.{addExact, subtractExact}

  // Where in a slide windows end; 0 if they end where others start.
  private[this] val cut = size % slide

  def sliceStart(time: Long): Long = {
    val start = newestStart(time)
    if (cut != 0 && time - start >= cut) start + cut else start
  }

  def sliceEnd(time: Long): Long = {
    val start = newestStart(time)
    addExact(start, if (cut != 0 && time - start < cut) cut else slide)
  }

  def newestEnd(time: Long): Long   = addExact(newestStart(time), size)
  def oldestEnd(time: Long): Long   = addExact(lastEndUpTo(time), slide)
  def lastEndUpTo(time: Long): Long = newestStart(subtractExact(time, size)) + size
  def windowStart(end: Long): Long  = end - size
  def nextEnd(end: Long): Long      = end + slide
  def nextStart(end: Long): Long    = end - size + slide
  def overlaps: Boolean             = slide < size
  def isEven: Boolean               = true
  def isCumulative: Boolean         = false

  private[this] def newestStart(time: Long): Long =
    subtractExact(time, Math.floorMod(subtractExact(time, offset), slide))
}
