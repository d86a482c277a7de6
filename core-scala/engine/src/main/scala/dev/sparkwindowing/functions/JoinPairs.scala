package dev.sparkwindowing.functions

import dev.sparkwindowing.contents.ElementBlocks

import scala.collection.mutable
import scala.reflect.ClassTag

/** The pairs of one firing of a join, one after the other: so a window gives many more pairs than it holds elements
  * without holding them. The elements of each side are in groups, about as large as [[JoinPairs.Blocks]] blocks; one
  * group of each is in memory, and while the next one is read that too. Left elements are read once, right ones once
  * for each group of left ones.
  */
final class JoinPairs[E >: Null <: AnyRef: ClassTag] private[functions] (
    blocks: ElementBlocks[E],
    isLeft: JoinKind.Side[E],
    keepsLeft: Boolean,
    keepsRight: Boolean,
    matches: Boolean
) {
  private[this] val lefts   = new Side(ofLeft = true)
  private[this] val rights  = new Side(ofLeft = false)
  private[this] val partner = Array[E](null)
  if (blocks.size <= JoinPairs.Blocks) findAll() else if (matches || keepsLeft || keepsRight) measureAll()

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
    // The blocks of each group.
    private[this] val groups = new mutable.ArrayBuffer[mutable.ArrayBuffer[Int]]
    // Of the last group, in blocks.
    private[this] var size = 0.0
    // That in memory.
    private[this] var group    = -1
    private[this] var elements = Array.empty[E]

    /** True if there is an element. */
    def exist: Boolean = groups.nonEmpty

    /** The elements of each group. */
    def all: Iterator[Array[E]] = Iterator.range(0, groups.size).map(of)

    private[this] def of(i: Int): Array[E] = {
      if (i != group) {
        val found = Array.newBuilder[E]
        groups(i).foreach(blocks.foreach(_)(e => if (isLeft.is(e) == ofLeft) found += e))
        hold(i, found.result())
      }
      elements
    }

    private[this] def hold(group: Int, elements: Array[E]): Unit = {
      this.group = group
      this.elements = elements
    }

    /** Takes all elements of the side. */
    def found(elements: Array[E]): Unit = if (elements.nonEmpty) {
      groups += new mutable.ArrayBuffer[Int]
      hold(0, elements)
    }

    /** Adds a block, so many of whose bytes are of elements of the side. */
    def add(block: Int, bytes: Long, all: Long): Unit = if (bytes > 0) {
      if (groups.isEmpty || size >= JoinPairs.Blocks) {
        groups += new mutable.ArrayBuffer[Int]
        size = 0
      }
      groups.last += block
      size += bytes.toDouble / all
    }
  }

  // Few blocks: both sides are found at once.
  private[this] def findAll(): Unit = {
    val (left, right) = (Array.newBuilder[E], Array.newBuilder[E])
    (0 until blocks.size).foreach(blocks.foreach(_)(e => (if (isLeft.is(e)) left else right) += e))
    lefts.found(left.result())
    rights.found(right.result())
  }

  private[this] def measureAll(): Unit = (0 until blocks.size).foreach { block =>
    var (left, right) = (0L, 0L)
    blocks.foreach(block)(e => if (isLeft.is(e)) left += blocks.sizeOf(e) else right += blocks.sizeOf(e))
    lefts.add(block, left, left + right)
    rights.add(block, right, left + right)
  }
}

private object JoinPairs {

  /** Size of a group, in blocks that have elements of one side alone. */
  private val Blocks = 64
}
