package dev.sparkwindowing.state

import dev.sparkwindowing.codec.{BlockReader, BlockWriter, CorruptBlockException, ValueCodec}
import dev.sparkwindowing.contents.WindowContents
import dev.sparkwindowing.windows.{Window, WindowCollector}

/** Size of a part of a key's state: a window, or function state. */
final case class StateShare(window: Option[Window], bytes: Long)

/** Codec of a key's block: all of a [[KeyState]] as one array of bytes.
  *
  * {{{
  * version           1 byte: 2 if the key has pieces, else 1
  * pieces            only of version 2: the number of the next one, how many there are, and their bytes
  * windows           number, then for each, sorted by (start, end):
  *   flags           1 byte: timers (bits 0 to 2), has numbers, has values, has contents, is the global window,
  *                   has fired
  *   start, length   as the distance to the start of the window before; not for the global window
  *   numbers         a mask, then the set ones
  *   values          a mask, then the set ones, each with its length
  *   firings         number; 1 if the window itself has fired + 4 if a firing has shown the sessions that follow (bit 1
  *                   is ignored); sessions that it replaced
  *   contents        their length
  * event timers      number, then (time, window) each
  * processing timers the same
  * function state    number of scopes, for each: 0 the key, 1 a window (start, length), 2 the global window; then
  *                   number of values, each with its name and its length. Last 3, if values of the key expire: their
  *                   number, then for each name, clock (0 event time, 1 processing time) and time
  * contents          those of all windows in order
  * checksum          4 bytes, CRC-32C of all bytes before, big-endian; end of the block
  * }}}
  *
  * Integers have variable length. Reading decodes no contents; writing copies the bytes of unchanged contents.
  *
  * @param maxSize
  *   maximum number of bytes of a block
  */
final class KeyStateCodec[C <: AnyRef](contents: WindowContents[_, C], maxSize: Int = BlockWriter.MaxSize) {
  import KeyStateCodec._

  private[this] val head   = new BlockWriter(maxSize = maxSize)
  private[this] val body   = new BlockWriter(maxSize = maxSize)
  private[this] val value  = new BlockWriter(maxSize = maxSize)
  private[this] val reader = new BlockReader

  // For the block written last: the window with the largest contents, and the sizes of those and of function state; the
  // window being written, and where its contents begin.
  private[this] var mostBytes                = -1
  private[this] var mostStart                = 0L
  private[this] var mostEnd                  = 0L
  private[this] var functionBytes            = 0
  private[this] var current: WindowRecord[C] = _
  private[this] var currentAt                = 0

  /** The window whose contents are being written; null if there is none. */
  def writing: WindowRecord[C] = current

  /** The part with the most bytes of the block written last, even if that could not be completed. */
  def largestShare: StateShare = {
    if (current != null) noteContents(current, body.size - currentAt)
    if (mostBytes >= functionBytes) StateShare(Some(WindowCollector.window(mostStart, mostEnd)), mostBytes.toLong)
    else StateShare(None, functionBytes.toLong)
  }

  private[this] def noteContents(r: WindowRecord[C], bytes: Int): Unit =
    if (bytes > mostBytes) {
      mostBytes = bytes
      mostStart = r.start
      mostEnd = r.end
    }

  /** The block of the key.
    *
    * @throws BlockTooLargeException
    *   if it has more than `maxSize` bytes
    */
  def encode(state: KeyState[C]): Array[Byte] = {
    head.reset()
    body.reset()
    mostBytes = -1
    functionBytes = 0
    current = null
    state.seal()
    if (state.pieces.isEmpty) head.byte(WithoutPieces)
    else {
      head.byte(WithPieces)
      state.pieces.writeTo(head)
    }
    head.unsigned(state.size.toLong)
    var previous = 0L
    var i        = 0
    while (i < state.size) {
      previous = encodeRecord(state, state.record(i), previous)
      i += 1
    }
    state.eventTimers.write(head)
    state.processingTimers.write(head)
    val before = head.size
    functionBytes = maxSize // in case they do not fit
    state.functions.write(head)
    functionBytes = head.size - before
    head.append(body)
    head.seal()
    head.toBytes
  }

  private[this] def encodeRecord(state: KeyState[C], r: WindowRecord[C], previous: Long): Long = {
    val global    = WindowCollector.isGlobal(r.start, r.end)
    val valuesSet = r.valuesSet
    head.byte(
      r.timers | flag(r.numbersSet != 0, HasNumbers) | flag(valuesSet != 0, HasValues) |
        flag(r.hasContents, HasContents) | flag(global, IsGlobal) | flag(r.hasPanes, HasPanes)
    )
    if (!global) {
      head.signed(r.start - previous)
      head.unsigned(r.end - r.start)
    }
    if (r.numbersSet != 0) encodeNumbers(r)
    if (valuesSet != 0) encodeValues(r, valuesSet, state.valueCodecs)
    if (r.hasPanes) encodePanes(r)
    if (r.hasContents) {
      current = r
      currentAt = body.size
      if (r.encodedLength >= 0) body.raw(state.block, r.encodedAt, r.encodedLength)
      else contents.write(r.contents, body)
      val bytes = body.size - currentAt
      head.unsigned(bytes.toLong)
      noteContents(r, bytes)
      current = null
    }
    if (global) previous else r.start
  }

  private[this] def encodeNumbers(r: WindowRecord[C]): Unit = {
    head.unsigned(r.numbersSet)
    var i = 0
    while (i < r.numbers.length) {
      if ((r.numbersSet & (1L << i)) != 0) head.signed(r.numbers(i))
      i += 1
    }
  }

  private[this] def encodePanes(r: WindowRecord[C]): Unit = {
    head.unsigned(r.firings)
    head.byte(flag(r.hasFired, HasFired) | flag(r.isReplacedShown, IsReplacedShown))
    if (r.replaced == null) head.unsigned(0L)
    else {
      head.unsigned(r.replaced.size.toLong)
      r.replaced.foreach { (start, end) =>
        head.signed(start)
        head.unsigned(end - start)
      }
    }
  }

  private[this] def encodeValues(r: WindowRecord[C], set: Long, codecs: IndexedSeq[ValueCodec[_ <: AnyRef]]): Unit = {
    head.unsigned(set)
    var i = 0
    while (i < r.values.length) {
      if (r.values(i) != null) {
        value.reset()
        codecs(i).asInstanceOf[ValueCodec[AnyRef]].write(r.values(i), value)
        head.unsigned(value.size.toLong)
        head.append(value)
      }
      i += 1
    }
  }

  /** Fills `state`, which is cleared first.
    *
    * @throws CorruptBlockException
    *   for another version, or a block that is damaged, cut short or inconsistent
    */
  def decode(block: Array[Byte], state: KeyState[C]): Unit = {
    state.clear()
    state.block = block
    val in      = reader.open(block, 0, block.length)
    val version = in.byte()
    if (version != WithoutPieces && version != WithPieces)
      throw new CorruptBlockException(s"it has version $version, this release reads and writes versions 1 and 2")
    in.unseal(0)
    if (version == WithPieces) state.pieces.readFrom(in)
    val n        = in.count(2)
    var previous = 0L
    var lengths  = 0L
    var i        = 0
    while (i < n) {
      val r = decodeRecord(in, state, previous)
      if (!WindowCollector.isGlobal(r.start, r.end)) previous = r.start
      if (r.encodedLength > 0) lengths += r.encodedLength
      i += 1
    }
    state.eventTimers.read(in)
    state.processingTimers.read(in)
    state.functions.read(in)
    if (lengths != in.remaining)
      throw new CorruptBlockException(s"contents of $lengths bytes are announced, ${in.remaining} are left")
    placeContents(state, in.position)
  }

  private[this] def decodeRecord(in: BlockReader, state: KeyState[C], previous: Long): WindowRecord[C] = {
    val flags = in.byte()
    val r     =
      if ((flags & IsGlobal) != 0) state.append(WindowCollector.Global, WindowCollector.Global)
      else {
        val start = previous + in.signed()
        state.append(start, start + in.unsigned())
      }
    r.timers = flags & TimerBits
    if ((flags & HasNumbers) != 0) decodeNumbers(in, r)
    if ((flags & HasValues) != 0) decodeValues(in, r, state.valueCodecs)
    if ((flags & HasPanes) != 0) decodePanes(in, r)
    if ((flags & HasContents) != 0) r.encodedLength = in.count(1)
    r
  }

  private[this] def decodeNumbers(in: BlockReader, r: WindowRecord[C]): Unit = {
    r.numbersSet = maskOf(in, r.numbers.length, "numbers")
    var i = 0
    while (i < r.numbers.length) {
      if ((r.numbersSet & (1L << i)) != 0) r.numbers(i) = in.signed()
      i += 1
    }
  }

  private[this] def decodeValues(
      in: BlockReader,
      r: WindowRecord[C],
      codecs: IndexedSeq[ValueCodec[_ <: AnyRef]]
  ): Unit = {
    val mask = maskOf(in, r.values.length, "values")
    var i    = 0
    while (i < r.values.length) {
      if ((mask & (1L << i)) != 0)
        r.values(i) = codecs(i).asInstanceOf[ValueCodec[AnyRef]].read(in.part(in.count(1)))
      i += 1
    }
  }

  private[this] def decodePanes(in: BlockReader, r: WindowRecord[C]): Unit = {
    r.firings = in.unsigned()
    val flags = in.byte()
    r.hasFired = (flags & HasFired) != 0
    r.isReplacedShown = (flags & IsReplacedShown) != 0
    var left = in.count(2)
    while (left > 0) {
      val start = in.signed()
      r.replace(start, start + in.unsigned())
      left -= 1
    }
  }

  private[this] def placeContents(state: KeyState[C], from: Int): Unit = {
    var at = from
    var i  = 0
    while (i < state.size) {
      val r = state.record(i)
      if (r.encodedLength >= 0) {
        r.encodedAt = at
        at += r.encodedLength
      }
      i += 1
    }
  }

  private[this] def maskOf(in: BlockReader, bits: Int, what: String): Long = {
    val mask = in.unsigned()
    if (bits < 64 && (mask >>> bits) != 0)
      throw new CorruptBlockException(s"it holds more $what than this trigger keeps ($bits)")
    mask
  }

  private[this] def flag(condition: Boolean, bit: Int): Int = if (condition) bit else 0
}

object KeyStateCodec {

  /** The versions of blocks, their first byte. */
  val WithoutPieces = 1
  val WithPieces    = 2

  /** Number of bytes at the beginning of a block that `pieces` and `pieceBytes` read at most. */
  val HeadBytes: Int = 1 + 3 * 10

  /** True if a block that begins with this byte has pieces beside it. */
  def hasPieces(first: Byte): Boolean = first == WithPieces

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

  private val TimerBits   = 7
  private val HasNumbers  = 8
  private val HasValues   = 16
  private val HasContents = 32
  private val IsGlobal    = 64
  private val HasPanes    = 128

  private val HasFired        = 1
  private val IsReplacedShown = 4
}
