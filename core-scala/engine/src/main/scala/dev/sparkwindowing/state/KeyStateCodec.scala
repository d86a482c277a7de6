package dev.sparkwindowing.state

import dev.sparkwindowing.codec.{BlockReader, BlockWriter, CorruptBlockException}
import dev.sparkwindowing.contents.WindowContents
import dev.sparkwindowing.windows.{Window, WindowCollector}

/** Size of a part of a key's state: a window, or function state. */
final case class StateShare(window: Option[Window], bytes: Long)

/** Codec of a key's block: all of a [[KeyState]] as one array of bytes.
  *
  * {{{
  * version           1 byte: 3 if windows of the key are in pages, 2 if it has other pieces only, else 1; 4 is a block of
  *                   several, a [[SectionedBlock]]
  * pieces            not in version 1: the number of the next one, how many there are, and their bytes
  * windows           in version 3 the table of pages, in the others their number, then for each, sorted by (start, end):
  *   flags           1 byte: timers (bits 0 to 2), has numbers, has values, has contents, is the global window,
  *                   has fired
  *   start, length   as the distance to the start of the window before; not for the global window
  *   numbers         a mask, then the set ones
  *   values          a mask, then the set ones, each with its length
  *   firings         number; 1 if the window itself has fired + 4 if a firing has shown the sessions that follow + 8 if
  *                   it has fired without elements and got none since (bit 1 is ignored); sessions that it replaced
  *   contents        their length
  * event timers      number, then (time, window) each
  * processing timers the same
  * function state    number of scopes, for each: 0 the key, 1 a window (start, length), 2 the global window; then
  *                   number of values, each with its name and its length. Then 4, if values have pieces: their
  *                   number, then for each its owner, name, and the number of its pieces, of which each has its
  *                   number, values, bytes and their CRC-32C. Last 3, if values of the key expire: their number, then
  *                   for each name, clock (0 event time, 1 processing time) and time
  * contents          those of all windows in order; none in version 3
  * checksum          4 bytes, CRC-32C of all bytes before, big-endian; end of the block
  * }}}
  *
  * The table of pages has their number and for each, in order: the number of the piece, that of its windows, its bytes,
  * their CRC-32C; start and length of the first window; start, as the distance to that, and length of the last; and for
  * each of the three timers of windows how many have it and, if any, the least of their maximum timestamps as the
  * distance to the first start. The piece has windows and contents as a block of version 1 has them, the first start as
  * the distance to 0.
  *
  * Integers have variable length. Reading decodes no contents and reads no page; writing copies the bytes of unchanged
  * contents.
  *
  * @param maxSize
  *   maximum number of bytes of a block
  */
final class KeyStateCodec[C <: AnyRef](contents: WindowContents[_, C], maxSize: Int = BlockWriter.MaxSize) {
  import KeyStateCodec._

  private[this] val head      = new BlockWriter(maxSize = maxSize)
  private[this] val records   = new RecordCodec[C](contents, maxSize)
  private[this] val pageCodec = new PageCodec[C](records)

  // Number of bytes of function state, with its pieces, of the key written last.
  private[this] var functionBytes = 0L

  /** The window whose contents are being written; null if there is none. */
  def writing: WindowRecord[C] = records.writing

  /** Lets reading leave out the first numbers of a window, and leave room for as many as `kept`. */
  def replaceNumbers(forgotten: Int, kept: Int): Unit = records.replaceNumbers(forgotten, kept)

  /** The part with the most bytes of what was written last, even if that could not be completed. */
  def largestShare: StateShare = {
    records.noteUnfinished()
    if (records.mostBytes >= functionBytes)
      StateShare(Some(WindowCollector.window(records.mostStart, records.mostEnd)), records.mostBytes.toLong)
    else StateShare(None, functionBytes)
  }

  /** The block of the key. What is too large for it is stored as pieces, if the host stores any.
    *
    * @throws BlockTooLargeException
    *   if it has more than `maxSize` bytes
    */
  def encode(state: KeyState[C]): Array[Byte] = {
    records.reset()
    functionBytes = maxSize.toLong // in case a value does not fit
    state.functions.seal()
    functionBytes = 0L
    state.seal()
    if (!state.pages.isEmpty) pageCodec.update(state)
    if (state.pages.isEmpty) writeWindows(state)
    if (!state.pages.isEmpty) writePages(state)
    state.eventTimers.write(head)
    state.processingTimers.write(head)
    val before = head.size
    functionBytes = maxSize.toLong // in case they do not fit
    state.functions.write(head)
    functionBytes = head.size - before + state.functions.pieceBytes
    if (state.pages.isEmpty) records.finish(head)
    head.seal()
    head.toBytes
  }

  // All windows, unless they are cut into pages since they are too large.
  private[this] def writeWindows(state: KeyState[C]): Unit = {
    writeStart(state, if (state.pieces.isEmpty) WithoutPieces else WithPieces)
    head.unsigned(state.size.toLong)
    records.begin()
    val most     = pageCodec.most(state)
    var tooLarge = false
    var i        = 0
    while (i < state.size && !tooLarge) {
      records.write(state, state.record(i), head)
      tooLarge = head.size.toLong + records.contentBytes > most
      i += 1
    }
    if (tooLarge) pageCodec.cut(state)
  }

  private[this] def writePages(state: KeyState[C]): Unit = {
    writeStart(state, WithPages)
    state.pages.write(head)
  }

  private[this] def writeStart(state: KeyState[C], version: Int): Unit = {
    head.reset()
    head.byte(version)
    if (version != WithoutPieces) state.pieces.writeTo(head)
  }

  /** Fills `state`, which is cleared first.
    *
    * @throws CorruptBlockException
    *   for another version, or a block that is damaged, cut short or inconsistent
    */
  def decode(block: Array[Byte], state: KeyState[C]): Unit = {
    state.clear()
    state.block = block
    val in      = state.reader.open(block, 0, block.length)
    val version = in.byte()
    if (version < WithoutPieces || version > WithPages)
      throw KeyStateCodec.otherVersion(version)
    in.unseal(0)
    if (version != WithoutPieces) state.pieces.readFrom(in)
    records.begin()
    if (version == WithPages) state.open(pageCodec, state.pages.read(in, state.pieces.bytes))
    else {
      var left = in.count(2)
      while (left > 0) {
        records.readBounds(in)
        records.read(in, state.append(records.start, records.end), state.valueCodecs)
        left -= 1
      }
    }
    state.eventTimers.read(in)
    state.processingTimers.read(in)
    state.functions.read(in)
    records.place(in, state, 0, if (version == WithPages) 0 else state.size, null)
  }
}

object KeyStateCodec {

  /** The versions of blocks, their first byte. */
  val WithoutPieces = 1
  val WithPieces    = 2
  val WithPages     = 3
  val WithSections  = 4 // a SectionedBlock

  /** The error for a block of a version that its query does not have, or no release so far. */
  private[state] def otherVersion(version: Int): CorruptBlockException = new CorruptBlockException(
    if (version >= WithoutPieces && version < WithSections) s"it has version $version, and this query keeps sections"
    else if (version == WithSections) "it has sections, and this query keeps none"
    else s"it has version $version, this release reads and writes versions $WithoutPieces to $WithSections"
  )

  /** Number of bytes at the beginning of a block that `pieces` and `pieceBytes` read at most. */
  val HeadBytes: Int = 1 + 3 * 10

  /** True if a block that begins with this byte may have pieces beside it. */
  def hasPieces(first: Byte): Boolean = first == WithPieces || first == WithPages || first == WithSections

  /** Number of the pieces of a block. */
  def pieces(block: Array[Byte]): Long = ofPieces(block, 1)

  /** Number of bytes of the pieces of a block. */
  def pieceBytes(block: Array[Byte]): Long = ofPieces(block, 2)

  private def ofPieces(block: Array[Byte], skipped: Int): Long =
    if (block.length == 0 || !hasPieces(block(0))) 0L
    else {
      val in = new BlockReader().open(block, 1, block.length - 1)
      (0 until skipped).foreach(_ => in.unsigned())
      in.unsigned()
    }

  /** The numbers of the pieces that are pages of windows, in order; of a block without sections.
    *
    * @throws dev.sparkwindowing.codec.CorruptBlockException
    *   if the block is damaged
    */
  def pages(block: Array[Byte]): Seq[Long] =
    if (block.length == 0 || block(0) != WithPages) Nil
    else {
      val in = new BlockReader().open(block, 0, block.length)
      in.unseal(0)
      in.byte()
      (0 until 3).foreach(_ => in.unsigned())
      val table = new PageTable
      table.read(in, Long.MaxValue)
      table.numbers
    }
}
