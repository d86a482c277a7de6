package dev.sparkwindowing.state

import dev.sparkwindowing.codec.{BlockReader, ValueCodec}
import dev.sparkwindowing.contents.WindowContents

import java.util.Arrays

/** Everything that is remembered of one key, while a call works on it.
  *
  * One mutable object, opened for one key after the other; the records are sorted by (start, end).
  */
final class KeyState[C <: AnyRef](
    contents: WindowContents[_, C],
    numberCount: Int,
    private[state] val valueCodecs: IndexedSeq[ValueCodec[_ <: AnyRef]]
) {
  private[this] var records = Array.fill(4)(newRecord())
  private[this] var n       = 0
  private[this] val reader  = new BlockReader

  val eventTimers: TimerSet      = new TimerSet
  val processingTimers: TimerSet = new TimerSet

  /** What functions remember. */
  val functions: FunctionState = new FunctionState(() => changed = true)

  /** Set by whoever changes anything; a key that was only looked at is not written. */
  var changed: Boolean = false

  /** The block that the key was opened with. */
  private[state] var block: Array[Byte] = Array.emptyByteArray

  def size: Int                       = n
  def record(i: Int): WindowRecord[C] = records(i)
  def isEmpty: Boolean                = n == 0 && eventTimers.isEmpty && processingTimers.isEmpty && functions.isEmpty

  /** Forgets the last key. */
  def clear(): Unit = {
    var i = 0
    while (i < n) {
      records(i).dropContents()
      i += 1
    }
    n = 0
    eventTimers.clear()
    processingTimers.clear()
    functions.clear()
    changed = false
    block = Array.emptyByteArray
  }

  /** The position of the window, or -(where it belongs) - 1. */
  def search(start: Long, end: Long): Int = {
    var low   = 0
    var high  = n - 1
    var found = Int.MinValue
    while (low <= high && found == Int.MinValue) {
      val middle = (low + high) >>> 1
      val r      = records(middle)
      val c      =
        if (r.start != start) java.lang.Long.compare(r.start, start) else java.lang.Long.compare(r.end, end)
      if (c < 0) low = middle + 1 else if (c > 0) high = middle - 1 else found = middle
    }
    if (found != Int.MinValue) found else -low - 1
  }

  /** Puts a blank record at `position`, which must be where its bounds belong. */
  def insert(position: Int, start: Long, end: Long): WindowRecord[C] = {
    if (n == records.length) {
      val old = n
      records = Arrays.copyOf(records, old * 2)
      var i = old
      while (i < records.length) {
        records(i) = newRecord()
        i += 1
      }
    }
    val r = records(n)
    System.arraycopy(records, position, records, position + 1, n - position)
    records(position) = r
    n += 1
    r.reset(start, end)
    r
  }

  def append(start: Long, end: Long): WindowRecord[C] = insert(n, start, end)

  def remove(position: Int): Unit = {
    val r = records(position)
    r.dropContents()
    System.arraycopy(records, position + 1, records, position, n - position - 1)
    n -= 1
    records(n) = r
  }

  /** Takes out the records `from` until `until` and puts the last one of all in their place. */
  def replace(from: Int, until: Int): WindowRecord[C] = {
    val last = records(n - 1)
    val gone = until - from
    var i    = from
    while (i < until) {
      records(i).dropContents()
      i += 1
    }
    if (gone > 1) {
      val free = Arrays.copyOfRange(records, from + 1, until)
      System.arraycopy(records, until, records, from + 1, n - 1 - until)
      System.arraycopy(free, 0, records, n - gone, gone - 1)
    }
    records(n - 1) = records(from)
    records(from) = last
    n -= gone
    last
  }

  /** Takes out the first `count` records. */
  def removeFirst(count: Int): Unit = {
    var i = 0
    while (i < count) {
      records(i).dropContents()
      i += 1
    }
    n -= count
    // The freed ones are exchanged with those that stay, one by one, and so end up behind them.
    if (count > 0) {
      i = 0
      while (i < n) {
        val free = records(i)
        records(i) = records(i + count)
        records(i + count) = free
        i += 1
      }
    }
  }

  /** The contents of the window to be changed, decoded now if they were not; null if it has none. */
  def contentsOf(r: WindowRecord[C]): C = {
    val decoded = lookAt(r)
    r.encodedLength = -1
    decoded
  }

  /** The contents of the window to be read only, decoded now if they were not; null if it has none. Those that came out
    * of the block are written as the bytes that they were.
    */
  def lookAt(r: WindowRecord[C]): C = {
    if (r.contents == null && r.encodedLength >= 0)
      r.contents = contents.read(reader.open(block, r.encodedAt, r.encodedLength))
    r.contents
  }

  private[this] def newRecord(): WindowRecord[C] = new WindowRecord[C](numberCount, valueCodecs.size)
}
