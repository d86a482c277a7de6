package dev.sparkwindowing.contents

import dev.sparkwindowing.codec.{BlockReader, BlockWriter, CorruptBlockException}
import dev.sparkwindowing.pieces.KeyPieces

/** The elements of one key with one timestamp, as over windows keep them.
  *
  * @tparam C
  *   type of their merged contents
  */
final class TimestampGroup[E, C <: AnyRef] {

  /** Number of elements. */
  var count: Int = 0

  /** The contents of all elements; null if the elements themselves are kept for the windows. */
  var merged: C = _

  /** The elements in order of arrival; null if they are not needed, or no longer. */
  var elements: ElementList[E] = _

  /** Number of firings of the window of each element; null if they are not counted, or no longer. */
  var firings: Array[Long] = _

  /** The i-th element in order of arrival, from 0; null if the elements are not kept. */
  def element(i: Int): E = if (elements == null) null.asInstanceOf[E] else elements(i)

  /** Removes the `count` oldest elements of a group without merged contents. */
  def removeFirst(count: Int): Unit = {
    elements.removeFirst(count)
    this.count -= count
  }
}

/** Storage of [[TimestampGroup]]s.
  *
  * {{{
  * flags     1 byte: has merged contents, has elements, has firings
  * count     number of elements
  * firings   one number for each element
  * merged    their length, then the merged contents
  * elements  all other bytes
  * }}}
  *
  * @param merging
  *   merges the elements of a group; None if the elements themselves are kept for the windows
  * @param listing
  *   keeps the elements; None if they are not needed
  * @param countsFirings
  *   whether the firings of the window of each element are counted
  */
final class TimestampContents[E, C <: AnyRef](
    merging: Option[WindowContents[E, C]],
    listing: Option[ListContents[E]],
    val countsFirings: Boolean
) extends WindowContents[E, TimestampGroup[E, C]] {
  import TimestampContents._

  private[this] val merges  = merging.orNull
  private[this] val lists   = listing.orNull
  private[this] val scratch = new BlockWriter
  private[this] val reader  = new BlockReader

  /** True if groups have something that is needed only until their windows are cleaned up. */
  val hasRemains: Boolean = countsFirings || (merges != null && lists != null)

  /** Removes what only firings of the group's own windows need. */
  def dropRemains(group: TimestampGroup[E, C]): Unit = {
    group.firings = null
    if (merges != null && group.elements != null) {
      lists.release(group.elements)
      group.elements = null
    }
  }

  override def attach(pieces: KeyPieces): Unit = if (lists != null) lists.attach(pieces)

  override def seal(group: TimestampGroup[E, C]): Unit = if (group.elements != null) lists.seal(group.elements)

  override def pieceBytes(group: TimestampGroup[E, C]): Long =
    if (group.elements == null) 0L else lists.pieceBytes(group.elements)

  override def release(group: TimestampGroup[E, C]): Unit = if (group.elements != null) lists.release(group.elements)

  def empty(): TimestampGroup[E, C] = new TimestampGroup[E, C]

  def add(group: TimestampGroup[E, C], element: E, timestamp: Long): TimestampGroup[E, C] = {
    if (merges != null)
      group.merged = merges.add(if (group.merged == null) merges.empty() else group.merged, element, timestamp)
    if (lists != null)
      group.elements = lists.add(if (group.elements == null) lists.empty() else group.elements, element, timestamp)
    group.count += 1
    if (countsFirings)
      group.firings =
        if (group.firings == null) new Array[Long](1) else java.util.Arrays.copyOf(group.firings, group.count)
    group
  }

  /** Not called: groups of different timestamps stay apart. */
  def merge(kept: TimestampGroup[E, C], merged: TimestampGroup[E, C]): TimestampGroup[E, C] =
    throw new UnsupportedOperationException("groups of different timestamps do not merge")

  def write(group: TimestampGroup[E, C], out: BlockWriter): Unit = {
    out.byte(
      flag(group.merged != null, HasMerged) | flag(group.elements != null, HasElements) |
        flag(group.firings != null, HasFirings)
    )
    out.unsigned(group.count.toLong)
    if (group.firings != null) group.firings.foreach(out.unsigned)
    if (group.merged != null) {
      scratch.reset()
      merges.write(group.merged, scratch)
      out.unsigned(scratch.size.toLong)
      out.append(scratch)
    }
    if (group.elements != null) group.elements.write(out)
  }

  def read(in: BlockReader): TimestampGroup[E, C] = {
    val group = empty()
    val flags = in.byte()
    group.count = in.count(if ((flags & HasFirings) != 0) 1 else 0) // elements can be in pieces
    if ((flags & HasFirings) != 0) group.firings = Array.fill(group.count)(in.unsigned())
    if ((flags & HasMerged) != 0 && merges != null) group.merged = merges.read(in.part(in.count(1), reader))
    if ((flags & HasElements) != 0 && lists != null) group.elements = lists.read(in)
    val isWhole = if (merges != null) group.merged != null else group.elements != null
    if (!isWhole || group.count <= 0 || (group.elements != null && group.elements.size != group.count))
      throw new CorruptBlockException(s"elements of one time that are not ${group.count}")
    group
  }
}

object TimestampContents {
  private val HasMerged   = 1
  private val HasElements = 2
  private val HasFirings  = 4

  private def flag(condition: Boolean, bit: Int): Int = if (condition) bit else 0

  /** A written group with other merged contents, if it has them. */
  def withMerged(bytes: Array[Byte])(convert: Array[Byte] => Array[Byte]): Array[Byte] = {
    val in    = new BlockReader().open(bytes, 0, bytes.length)
    val flags = in.byte()
    val count = in.unsigned()
    if ((flags & HasFirings) != 0) (0L until count).foreach(_ => in.unsigned())
    if ((flags & HasMerged) == 0) bytes
    else {
      val out = new BlockWriter
      out.raw(bytes, 0, in.position)
      out.block(convert(in.block()))
      out.raw(bytes, in.position, in.remaining)
      out.toBytes
    }
  }

  /** The number of elements of a written group, and the bytes of its merged contents, else of its elements. */
  def partsOf(bytes: Array[Byte]): (Long, Array[Byte]) = {
    val in    = new BlockReader().open(bytes, 0, bytes.length)
    val flags = in.byte()
    val count = in.unsigned()
    if ((flags & HasFirings) != 0) (0L until count).foreach(_ => in.unsigned())
    (count, if ((flags & HasMerged) != 0) in.block() else in.raw(in.remaining))
  }
}
