package dev.sparkwindowing.state

import dev.sparkwindowing.codec.{BlockReader, ValueCodec}
import dev.sparkwindowing.contents.WindowContents
import dev.sparkwindowing.pieces.KeyPieces
import dev.sparkwindowing.windows.WindowCollector

import java.util.Arrays

/** The whole state of one key during a call.
  *
  * One mutable object, opened for one key after the other; its records are sorted by (start, end).
  */
final class KeyState[C <: AnyRef](
    contents: WindowContents[_, C],
    numberCount: Int,
    private[state] val valueCodecs: IndexedSeq[ValueCodec[_ <: AnyRef]]
) {

  /** The pieces of the key. */
  val pieces: KeyPieces = new KeyPieces
  contents.attach(pieces)

  // The records in use begin at `first`; all others are kept for reuse.
  private[this] var records = Array.fill(4)(newRecord())
  private[this] var first   = 0
  private[this] var n       = 0
  private[this] val reader  = new BlockReader

  val eventTimers: TimerSet      = new TimerSet
  val processingTimers: TimerSet = new TimerSet

  /** Function state. */
  val functions: FunctionState = new FunctionState(() => changed = true)

  /** Set by every change; an unchanged key is not written. */
  var changed: Boolean = false

  /** The block that the key was opened with. */
  private[state] var block: Array[Byte] = Array.emptyByteArray

  def size: Int                       = n
  def record(i: Int): WindowRecord[C] = records(first + i)
  def isEmpty: Boolean                = n == 0 && eventTimers.isEmpty && processingTimers.isEmpty && functions.isEmpty

  /** Clears the last key. */
  def clear(): Unit = {
    dropContents(0, n)
    first = 0
    n = 0
    eventTimers.clear()
    processingTimers.clear()
    functions.clear()
    pieces.clear()
    changed = false
    block = Array.emptyByteArray
  }

  /** The position of the window, or -(insertion point) - 1. */
  def search(start: Long, end: Long): Int = {
    var low   = 0
    var high  = n - 1
    var found = Int.MinValue
    while (low <= high && found == Int.MinValue) {
      val middle = (low + high) >>> 1
      val r      = record(middle)
      val c      =
        if (r.start != start) java.lang.Long.compare(r.start, start) else java.lang.Long.compare(r.end, end)
      if (c < 0) low = middle + 1 else if (c > 0) high = middle - 1 else found = middle
    }
    if (found != Int.MinValue) found else -low - 1
  }

  /** Inserts a blank record at `position`, which must be the insertion point of its bounds. Moves the records of the
    * shorter side.
    */
  def insert(position: Int, start: Long, end: Long): WindowRecord[C] = {
    val r =
      if (first > 0 && position < n / 2) {
        val free = records(first - 1)
        System.arraycopy(records, first, records, first - 1, position)
        first -= 1
        free
      } else {
        if (first + n == records.length) makeRoom()
        val free = records(first + n)
        System.arraycopy(records, first + position, records, first + position + 1, n - position)
        free
      }
    records(first + position) = r
    n += 1
    r.reset(start, end)
    r
  }

  // Makes room after the last record.
  private[this] def makeRoom(): Unit =
    if (first > n) {
      val free = Arrays.copyOfRange(records, 0, first)
      System.arraycopy(records, first, records, 0, n)
      System.arraycopy(free, 0, records, n, first)
      first = 0
    } else {
      val old = records.length
      records = Arrays.copyOf(records, old * 2)
      var i = old
      while (i < records.length) {
        records(i) = newRecord()
        i += 1
      }
    }

  def append(start: Long, end: Long): WindowRecord[C] = insert(n, start, end)

  def remove(position: Int): Unit = {
    val r = record(position)
    removeContents(r)
    if (position < n / 2) {
      System.arraycopy(records, first, records, first + 1, position)
      records(first) = r
      first += 1
    } else {
      System.arraycopy(records, first + position + 1, records, first + position, n - position - 1)
      records(first + n - 1) = r
    }
    n -= 1
  }

  /** Removes the records `from` until `until`, whose contents are those of the last one now, and moves that to their
    * place.
    */
  def replace(from: Int, until: Int): WindowRecord[C] = {
    val last = record(n - 1)
    val gone = until - from
    dropContents(from, until)
    if (gone > 1) {
      val free = Arrays.copyOfRange(records, first + from + 1, first + until)
      System.arraycopy(records, first + until, records, first + from + 1, n - 1 - until)
      System.arraycopy(free, 0, records, first + n - gone, gone - 1)
    }
    records(first + n - 1) = records(first + from)
    records(first + from) = last
    n -= gone
    last
  }

  /** Removes the contents of a window. */
  def removeContents(r: WindowRecord[C]): Unit = {
    if (!pieces.isEmpty && r.hasContents) contents.release(lookAt(r))
    r.dropContents()
  }

  private[this] def dropContents(from: Int, until: Int): Unit = {
    var i = from
    while (i < until) {
      record(i).dropContents()
      i += 1
    }
  }

  /** Removes the first `count` records. */
  def removeFirst(count: Int): Unit = {
    var i = 0
    while (i < count) {
      removeContents(record(i))
      i += 1
    }
    first += count
    n -= count
  }

  /** Removes every record without information. */
  def removeBlanks(): Unit = {
    var kept = 0
    var i    = 0
    while (i < n) {
      val r = record(i)
      if (r.isBlank) r.dropContents()
      else {
        records(first + i) = records(first + kept)
        records(first + kept) = r
        kept += 1
      }
      i += 1
    }
    n = kept
  }

  /** The contents of the window, to be changed; decoded now if necessary, null if it has none. */
  def contentsOf(r: WindowRecord[C]): C = {
    val decoded = lookAt(r)
    r.encodedLength = -1
    decoded
  }

  /** The contents of the window, to be read only; decoded now if necessary, null if it has none. Contents from the
    * block are written back as the same bytes.
    */
  def lookAt(r: WindowRecord[C]): C = {
    if (r.contents == null && r.encodedLength >= 0)
      r.contents = contents.read(reader.open(block, r.encodedAt, r.encodedLength))
    r.contents
  }

  /** Stores as pieces what is too large for the block. */
  private[state] def seal(): Unit = if (pieces.canWrite) {
    var i = 0
    while (i < n) {
      val r = record(i)
      if (r.contents != null && r.encodedLength < 0) contents.seal(r.contents)
      i += 1
    }
  }

  /** The bytes of the pieces of each window. */
  def sharesOfPieces: Seq[StateShare] =
    if (pieces.isEmpty) Nil
    else
      (0 until n).map(record).filter(_.hasContents).map { r =>
        StateShare(Some(WindowCollector.window(r.start, r.end)), contents.pieceBytes(lookAt(r)))
      }

  private[this] def newRecord(): WindowRecord[C] = new WindowRecord[C](numberCount, valueCodecs.size)
}
