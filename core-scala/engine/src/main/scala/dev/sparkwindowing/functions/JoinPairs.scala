package dev.sparkwindowing.functions

import dev.sparkwindowing.contents.ElementBlocks

import scala.reflect.ClassTag

/** The pairs of one firing of a join, one after the other: so a window gives many more pairs than it holds elements
  * without holding them. Elements in many blocks are held in groups ([[JoinGroups]]).
  */
final class JoinPairs[E >: Null <: AnyRef: ClassTag] private[functions] (
    blocks: ElementBlocks[E],
    isLeft: JoinKind.Side[E],
    keepsLeft: Boolean,
    keepsRight: Boolean,
    matches: Boolean
) {
  // Elements each of which is with each one of the other array, the positions of the next pair, and what comes then.
  private[this] var leftOnes                                = Array.empty[E]
  private[this] var rightOnes                               = leftOnes
  private[this] var i                                       = 0
  private[this] var j                                       = 0
  private[this] var further: Iterator[(Array[E], Array[E])] = Iterator.empty

  if (blocks.size <= JoinGroups.Blocks) takeAll()
  else if (matches || keepsLeft || keepsRight)
    further = new JoinGroups[E](blocks, isLeft).combinations(keepsLeft, keepsRight, matches)

  /** The elements of the pair, null for no partner. */
  var left: E  = _
  var right: E = _

  def hasNext: Boolean = i < leftOnes.length || hasMore

  private[this] def hasMore: Boolean = further.hasNext && {
    val (left, right) = further.next()
    take(left, right)
    true
  }

  /** Moves to the next pair. */
  def advance(): Unit = {
    left = leftOnes(i)
    right = rightOnes(j)
    j += 1
    if (j == rightOnes.length) {
      j = 0
      i += 1
    }
  }

  private[this] def take(left: Array[E], right: Array[E]): Unit = {
    leftOnes = left
    rightOnes = right
    i = 0
  }

  // Few blocks: both sides are found at once.
  private[this] def takeAll(): Unit = {
    val (lefts, rights) = (Array.newBuilder[E], Array.newBuilder[E])
    (0 until blocks.size).foreach(blocks.foreach(_)(e => (if (isLeft.is(e)) lefts else rights) += e))
    val (left, right) = (lefts.result(), rights.result())
    if (matches && left.nonEmpty && right.nonEmpty) take(left, right)
    else {
      val partner = Array[E](null)
      if (keepsLeft) take(left, partner)
      if (keepsRight && right.nonEmpty) further = Iterator.single((partner, right))
    }
  }
}
