package dev.sparkwindowing.contents

import dev.sparkwindowing.codec.{BlockReader, BlockWriter, CorruptBlockException}

/** Elements of a list that are a piece of the key's state, in the form that they have in the list.
  *
  * @param number
  *   that of the piece
  * @param count
  *   number of elements in the piece
  * @param skipped
  *   number of elements that are removed, the first of the piece
  * @param bytes
  *   of the piece
  * @param checksum
  *   of the piece
  * @param least
  *   the least timestamp in the piece
  * @param greatest
  *   the greatest timestamp in the piece
  * @param before
  *   the chunk before more elements were removed; null for none
  */
private[contents] final class Chunk(
    val number: Long,
    val count: Int,
    val skipped: Int,
    val bytes: Int,
    val checksum: Int,
    val least: Long,
    val greatest: Long,
    before: Chunk = null
) {

  /** The same for all that are of one piece of one key. */
  val origin: Chunk = if (before == null) this else before.origin

  /** Number of elements that are left. */
  def size: Int = count - skipped

  /** The chunk without its next `more` elements. */
  def skip(more: Int): Chunk =
    new Chunk(number, count, skipped + more, bytes, checksum, least, greatest, before = this)

  def write(out: BlockWriter): Unit = {
    out.unsigned(number)
    out.unsigned(count.toLong)
    out.unsigned(skipped.toLong)
    out.unsigned(bytes.toLong)
    out.unsigned(checksum & 0xffffffffL)
    out.signed(least)
    out.unsigned(greatest - least)
  }
}

private[contents] object Chunk {

  def read(in: BlockReader): Chunk = {
    val number   = in.unsigned()
    val count    = in.unsigned()
    val skipped  = in.unsigned()
    val bytes    = in.unsigned()
    val checksum = in.unsigned()
    val least    = in.signed()
    val greatest = least + in.unsigned()
    // An element has one byte at least.
    if (bytes < 0 || bytes > Int.MaxValue || count > bytes || skipped < 0 || skipped >= count)
      throw new CorruptBlockException(s"piece $number of $bytes bytes with $count elements, $skipped of them removed")
    new Chunk(number, count.toInt, skipped.toInt, bytes.toInt, checksum.toInt, least, greatest)
  }
}
