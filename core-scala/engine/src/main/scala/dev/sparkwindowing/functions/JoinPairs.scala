package dev.sparkwindowing.functions

/** The pairs of one firing of a join, one after the other: so a window gives many more pairs than it holds elements
  * without holding them.
  *
  * @param meet
  *   whether each left element is with each right one; else each element is alone, the left ones first
  */
final class JoinPairs[E >: Null <: AnyRef] private[functions] (lefts: Array[E], rights: Array[E], meet: Boolean) {
  private[this] val size = if (meet) lefts.length.toLong * rights.length else lefts.length.toLong + rights.length
  private[this] var i    = 0
  private[this] var j    = 0
  private[this] var n    = 0L

  /** The elements of the pair, null for no partner. */
  var left: E  = _
  var right: E = _

  def hasNext: Boolean = n < size

  /** Moves to the next pair. */
  def advance(): Unit = {
    if (meet) {
      if (j == rights.length) {
        i += 1
        j = 0
      }
      left = lefts(i)
      right = rights(j)
      j += 1
    } else if (i < lefts.length) {
      left = lefts(i)
      i += 1
    } else {
      left = null
      right = rights(j)
      j += 1
    }
    n += 1
  }
}
