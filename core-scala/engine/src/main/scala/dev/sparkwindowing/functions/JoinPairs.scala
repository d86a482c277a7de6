package dev.sparkwindowing.functions

import dev.sparkwindowing.contents.ElementBlocks

import scala.reflect.ClassTag

/** The pairs of one firing of a join, one after the other: so a window gives many more pairs than it holds elements
  * without holding them. It holds the left elements of [[JoinPairs.Blocks]] blocks, and the right elements of as many.
  */
final class JoinPairs[E >: Null <: AnyRef: ClassTag] private[functions] (
    blocks: ElementBlocks[E],
    isLeft: JoinKind.Side[E],
    keepsLeft: Boolean,
    keepsRight: Boolean,
    matches: Boolean
) {
  private[this] val groups  = (blocks.size + JoinPairs.Blocks - 1) / JoinPairs.Blocks
  private[this] val lefts   = new Side(ofLeft = true)
  private[this] val rights  = new Side(ofLeft = false)
  private[this] val partner = Array[E](null)
  if (groups == 1) findBoth()

  // Elements each of which is with each one of the other array.
  private[this] val combinations: Iterator[(Array[E], Array[E])] =
    if (matches && lefts.exist && rights.exist) lefts.all.flatMap(left => rights.all.map(left -> _))
    else
      (if (keepsLeft) lefts.all.map(_ -> partner) else Iterator.empty) ++
        (if (keepsRight) rights.all.map(partner -> _) else Iterator.empty)

  // Those in use, and the positions of the next pair.
  private[this] var leftOnes  = Array.empty[E]
  private[this] var rightOnes = leftOnes
  private[this] var i         = 0
  private[this] var j         = 0

  /** The elements of the pair, null for no partner. */
  var left: E  = _
  var right: E = _

  def hasNext: Boolean = i < leftOnes.length || hasMore

  private[this] def hasMore: Boolean = combinations.hasNext && {
    val (left, right) = combinations.next()
    leftOnes = left
    rightOnes = right
    i = 0
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

  private[this] final class Side(ofLeft: Boolean) {
    private[this] var group    = -1
    private[this] var elements = Array.empty[E]

    /** True if there is an element. */
    def exist: Boolean = all.hasNext

    /** The elements of each group that has any. */
    def all: Iterator[Array[E]] = Iterator.range(0, groups).map(of).filter(_.nonEmpty)

    private[this] def of(i: Int): Array[E] = {
      if (i != group) {
        val found = Array.newBuilder[E]
        foreach(i)(e => if (isLeft.is(e) == ofLeft) found += e)
        set(i, found.result())
      }
      elements
    }

    def set(group: Int, elements: Array[E]): Unit = {
      this.group = group
      this.elements = elements
    }
  }

  private[this] def foreach(group: Int)(f: E => Unit): Unit = {
    var block = group * JoinPairs.Blocks
    while (block < math.min((group + 1) * JoinPairs.Blocks, blocks.size)) {
      blocks.foreach(block)(f)
      block += 1
    }
  }

  // Of one group both sides are found at once.
  private[this] def findBoth(): Unit = {
    val (left, right) = (Array.newBuilder[E], Array.newBuilder[E])
    foreach(0)(e => (if (isLeft.is(e)) left else right) += e)
    lefts.set(0, left.result())
    rights.set(0, right.result())
  }
}

private object JoinPairs {

  /** Number of blocks of elements that are in memory at a time. */
  private val Blocks = 64
}
