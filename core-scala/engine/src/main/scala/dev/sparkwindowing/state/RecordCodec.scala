package dev.sparkwindowing.state

import dev.sparkwindowing.codec.{BlockReader, BlockWriter, CorruptBlockException, ValueCodec}
import dev.sparkwindowing.contents.WindowContents
import dev.sparkwindowing.windows.WindowCollector

/** Codec of successive windows of a key: those of its block, or of a page. The contents of all of them come behind the
  * rest. The layout is in [[KeyStateCodec]].
  *
  * @param maxSize
  *   maximum number of bytes of the contents
  */
private[state] final class RecordCodec[C <: AnyRef](contents: WindowContents[_, C], maxSize: Int) {
  import RecordCodec._

  private[this] val body  = new BlockWriter(maxSize = maxSize)
  private[this] val value = new BlockWriter(maxSize = maxSize)

  // The start of the window before, and what is known of the window being read.
  private[this] var previous = 0L
  private[this] var flags    = 0
  private[this] var bytes    = 0L

  // The window written last, whether its contents are being written, and where they begin.
  private[this] var last: WindowRecord[C] = _
  private[this] var isWriting             = false
  private[this] var contentsAt            = 0

  /** The window with the largest contents of those that were written since `reset`, and their number of bytes, -1 if
    * there is none.
    */
  var mostBytes: Int  = -1
  var mostStart: Long = 0L
  var mostEnd: Long   = 0L

  /** The window whose contents are being written; null if there is none. */
  def writing: WindowRecord[C] = if (isWriting) last else null.asInstanceOf[WindowRecord[C]]

  def reset(): Unit = {
    mostBytes = -1
    isWriting = false
  }

  /** Begins to write windows, or to read them. */
  def begin(): Unit = {
    body.reset()
    previous = 0L
    bytes = 0L
  }

  /** Number of bytes of the contents of the windows that were written. */
  def contentBytes: Int = body.size

  /** Writes the contents of all windows behind them. */
  def finish(head: BlockWriter): Unit = head.append(body)

  /** Counts what was written of the contents that did not fit. */
  def noteUnfinished(): Unit = if (isWriting) note(last, body.size - contentsAt)

  private[this] def note(r: WindowRecord[C], bytes: Int): Unit =
    if (bytes > mostBytes) {
      mostBytes = bytes
      mostStart = r.start
      mostEnd = r.end
    }

  def write(state: KeyState[C], r: WindowRecord[C], head: BlockWriter): Unit = {
    val global    = WindowCollector.isGlobal(r.start, r.end)
    val valuesSet = r.valuesSet
    head.byte(
      r.timers | flag(r.numbersSet != 0, HasNumbers) | flag(valuesSet != 0, HasValues) |
        flag(r.hasContents, HasContents) | flag(global, IsGlobal) | flag(r.hasPanes, HasPanes)
    )
    if (!global) {
      head.signed(r.start - previous)
      head.unsigned(r.end - r.start)
      previous = r.start
    }
    if (r.numbersSet != 0) writeNumbers(r, head)
    if (valuesSet != 0) writeValues(r, valuesSet, state.valueCodecs, head)
    if (r.hasPanes) writePanes(r, head)
    if (r.hasContents) {
      if (last ne r) last = r
      isWriting = true
      contentsAt = body.size
      if (r.encodedLength >= 0) body.raw(state.encodedIn(r), r.encodedAt, r.encodedLength)
      else contents.write(r.contents, body)
      val bytes = body.size - contentsAt
      head.unsigned(bytes.toLong)
      note(r, bytes)
      isWriting = false
    }
  }

  private[this] def writeNumbers(r: WindowRecord[C], head: BlockWriter): Unit = {
    head.unsigned(r.numbersSet)
    var i = 0
    while (i < r.numbers.length) {
      if ((r.numbersSet & (1L << i)) != 0) head.signed(r.numbers(i))
      i += 1
    }
  }

  private[this] def writePanes(r: WindowRecord[C], head: BlockWriter): Unit = {
    head.unsigned(r.firings)
    head.byte(flag(r.hasFired, HasFired) | flag(r.isReplacedShown, IsReplacedShown) | flag(r.isFilled, IsFilled))
    if (r.replaced == null) head.unsigned(0L)
    else {
      head.unsigned(r.replaced.size.toLong)
      r.replaced.foreach { (start, end) =>
        head.signed(start)
        head.unsigned(end - start)
      }
    }
  }

  private[this] def writeValues(
      r: WindowRecord[C],
      set: Long,
      codecs: IndexedSeq[ValueCodec[_ <: AnyRef]],
      head: BlockWriter
  ): Unit = {
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

  /** The bounds of the window that `readBounds` has read. */
  var start: Long = 0L
  var end: Long   = 0L

  def readBounds(in: BlockReader): Unit = {
    flags = in.byte()
    if ((flags & IsGlobal) != 0) {
      start = WindowCollector.Global
      end = WindowCollector.Global
    } else {
      start = previous + in.signed()
      end = start + in.unsigned()
      previous = start
    }
  }

  /** Reads the rest of the window into its record, which has the bounds already. */
  def read(in: BlockReader, r: WindowRecord[C], codecs: IndexedSeq[ValueCodec[_ <: AnyRef]]): Unit = {
    r.timers = flags & TimerBits
    if ((flags & HasNumbers) != 0) readNumbers(in, r)
    if ((flags & HasValues) != 0) readValues(in, r, codecs)
    if ((flags & HasPanes) != 0) readPanes(in, r)
    if ((flags & HasContents) != 0) {
      r.encodedLength = in.count(1)
      bytes += r.encodedLength
    }
  }

  // The first numbers of what is read, which are left out, and the room that is left for others.
  private[this] var forgotten = 0
  private[this] var kept      = 0

  def replaceNumbers(forgotten: Int, kept: Int): Unit = {
    this.forgotten = forgotten
    this.kept = kept
  }

  private[this] def readNumbers(in: BlockReader, r: WindowRecord[C]): Unit = {
    val mask = maskOf(in, r.numbers.length + forgotten - kept, "numbers")
    var left = java.lang.Long.bitCount(mask & ((1L << forgotten) - 1))
    while (left > 0) {
      val _ = in.signed()
      left -= 1
    }
    r.numbersSet = mask >>> forgotten << kept
    var i = kept
    while (i < r.numbers.length) {
      if ((r.numbersSet & (1L << i)) != 0) r.numbers(i) = in.signed()
      i += 1
    }
  }

  private[this] def readValues(
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

  private[this] def readPanes(in: BlockReader, r: WindowRecord[C]): Unit = {
    r.firings = in.unsigned()
    val flags = in.byte()
    r.hasFired = (flags & HasFired) != 0
    r.isReplacedShown = (flags & IsReplacedShown) != 0
    r.isFilled = (flags & IsFilled) != 0
    var left = in.count(2)
    while (left > 0) {
      val start = in.signed()
      r.replace(start, start + in.unsigned())
      left -= 1
    }
  }

  private[this] def maskOf(in: BlockReader, bits: Int, what: String): Long = {
    val mask = in.unsigned()
    if (bits < 64 && (mask >>> bits) != 0)
      throw new CorruptBlockException(s"it holds more $what than this trigger keeps ($bits)")
    mask
  }

  /** Gives the records from `from` until `until` their contents, which are all that is left to read.
    *
    * @param page
    *   the bytes of the page that is read, null if it is the block of the key
    */
  def place(in: BlockReader, state: KeyState[C], from: Int, until: Int, page: Array[Byte]): Unit = {
    if (bytes != in.remaining)
      throw new CorruptBlockException(s"contents of $bytes bytes are announced, ${in.remaining} are left")
    var at = in.position
    var i  = from
    while (i < until) {
      val r = state.record(i)
      if (r.encodedLength >= 0) {
        if (page != null) r.pageBytes = page
        r.encodedAt = at
        at += r.encodedLength
      }
      i += 1
    }
  }

  private[this] def flag(condition: Boolean, bit: Int): Int = if (condition) bit else 0
}

private object RecordCodec {
  private val TimerBits   = 7
  private val HasNumbers  = 8
  private val HasValues   = 16
  private val HasContents = 32
  private val IsGlobal    = 64
  private val HasPanes    = 128

  private val HasFired        = 1
  private val IsReplacedShown = 4
  private val IsFilled        = 8
}
