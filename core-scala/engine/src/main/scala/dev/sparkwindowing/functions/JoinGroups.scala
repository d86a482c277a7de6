package dev.sparkwindowing.functions

import dev.sparkwindowing.contents.ElementBlocks

import scala.collection.mutable
import scala.reflect.ClassTag

/** The elements of each side of a join in groups, about as large as [[JoinGroups.Blocks]] blocks: one group of each
  * side is in memory, and while the next one is read that too. Left elements are read once, right ones once for each
  * group of left ones.
  */
private final class JoinGroups[E >: Null <: AnyRef: ClassTag](blocks: ElementBlocks[E], isLeft: JoinKind.Side[E]) {
  private[this] val lefts  = new Side(ofLeft = true)
  private[this] val rights = new Side(ofLeft = false)
  (0 until blocks.size).foreach(measure)

  /** Groups each of whose elements is with each one of the other, one after the other. */
  def combinations(keepsLeft: Boolean, keepsRight: Boolean, matches: Boolean): Iterator[(Array[E], Array[E])] =
    if (matches && lefts.exist && rights.exist) lefts.all.flatMap(left => rights.all.map(left -> _))
    else {
      val partner = Array[E](null)
      (if (keepsLeft) lefts.all.map(_ -> partner) else Iterator.empty) ++
        (if (keepsRight) rights.all.map(partner -> _) else Iterator.empty)
    }

  private[this] def measure(block: Int): Unit = {
    var (left, right) = (0L, 0L)
    blocks.foreach(block)(e => if (isLeft.is(e)) left += blocks.sizeOf(e) else right += blocks.sizeOf(e))
    lefts.add(block, left, left + right)
    rights.add(block, right, left + right)
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
        group = i
        elements = found.result()
      }
      elements
    }

    /** Adds a block, so many of whose bytes are of elements of the side. */
    def add(block: Int, bytes: Long, all: Long): Unit = if (bytes > 0) {
      if (groups.isEmpty || size >= JoinGroups.Blocks) {
        groups += new mutable.ArrayBuffer[Int]
        size = 0
      }
      groups.last += block
      size += bytes.toDouble / all
    }
  }
}

private object JoinGroups {

  /** Size of a group, in blocks that have elements of one side alone. */
  val Blocks = 64
}
