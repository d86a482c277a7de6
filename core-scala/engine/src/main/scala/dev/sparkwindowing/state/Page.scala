package dev.sparkwindowing.state

import dev.sparkwindowing.codec.{BlockReader, BlockWriter, CorruptBlockException}

/** Successive windows of a key that are a piece of its state, and what the key's block says of them.
  *
  * @param count
  *   number of windows
  */
private[sparkwindowing] final class Page private[state] (var count: Int) {

  /** Position of the first window, to be read by [[PageTable]]. */
  private[state] var from: Int = 0

  /** The piece: its number, its bytes and their checksum. */
  private[state] var number: Long  = 0L
  private[state] var bytes: Int    = 0
  private[state] var checksum: Int = 0

  /** The bytes of the piece; null as long as its windows were not read. */
  private[state] var block: Array[Byte] = _

  /** Bounds of the first and the last window, as long as none was read. */
  private[state] var firstStart: Long = 0L
  private[state] var firstEnd: Long   = 0L
  private[state] var lastStart: Long  = 0L
  private[state] var lastEnd: Long    = 0L

  // Timers as the table has them, valid until the page is read: for each timer bit of WindowRecord the number of windows
  // that have it, and the least of their maximum timestamps.
  private[this] val counts = new Array[Int](Page.Timers)
  private[this] val leasts = Array.fill(Page.Timers)(Long.MaxValue)

  def isRead: Boolean = block != null

  /** Number of windows with a timer, which is one bit of [[WindowRecord]]. */
  def timers(bit: Int): Int = counts(Integer.numberOfTrailingZeros(bit))

  /** The least maximum timestamp of the windows with a timer, `Long.MaxValue` if there is none. */
  def least(bit: Int): Long = leasts(Integer.numberOfTrailingZeros(bit))

  /** True if all its windows are before, or after, the one with these bounds. */
  private[state] def isBefore(start: Long, end: Long): Boolean = Page.compare(lastStart, lastEnd, start, end) < 0
  private[state] def isAfter(start: Long, end: Long): Boolean  = Page.compare(firstStart, firstEnd, start, end) > 0

  private[state] def isBefore(other: Page): Boolean = isBefore(other.firstStart, other.firstEnd)

  /** True if these are its first and its last window. */
  private[state] def isOf(first: WindowRecord[_], last: WindowRecord[_]): Boolean =
    first.start == firstStart && first.end == firstEnd && last.start == lastStart && last.end == lastEnd

  /** Adds the next window to what is said of the page. */
  private[state] def note(r: WindowRecord[_]): Unit = {
    if (count == 0) {
      firstStart = r.start
      firstEnd = r.end
    }
    lastStart = r.start
    lastEnd = r.end
    count += 1
    var i = 0
    while (i < Page.Timers) {
      if ((r.timers & (1 << i)) != 0) {
        counts(i) += 1
        leasts(i) = math.min(leasts(i), r.maxTimestamp)
      }
      i += 1
    }
  }

  private[state] def write(out: BlockWriter): Unit = {
    out.unsigned(number)
    out.unsigned(count.toLong)
    out.unsigned(bytes.toLong)
    out.unsigned(checksum & 0xffffffffL)
    out.signed(firstStart)
    out.unsigned(firstEnd - firstStart)
    out.unsigned(lastStart - firstStart)
    out.unsigned(lastEnd - lastStart)
    var i = 0
    while (i < Page.Timers) {
      out.unsigned(counts(i).toLong)
      if (counts(i) > 0) out.signed(leasts(i) - firstStart)
      i += 1
    }
  }

  private def readTimers(in: BlockReader): Unit = {
    var i = 0
    while (i < Page.Timers) {
      val n = in.unsigned()
      if (n < 0 || n > count) throw new CorruptBlockException(s"$n timers of $count windows of a page")
      counts(i) = n.toInt
      if (n > 0) leasts(i) = firstStart + in.signed()
      i += 1
    }
  }
}

private[state] object Page {

  /** Bytes of a page in the table. */
  val LeastBytes = 11

  // Number of timers that are bits of a record.
  private val Timers = 3

  private def compare(start: Long, end: Long, otherStart: Long, otherEnd: Long): Int =
    if (start != otherStart) java.lang.Long.compare(start, otherStart) else java.lang.Long.compare(end, otherEnd)

  def read(in: BlockReader): Page = {
    val number   = in.unsigned()
    val count    = in.unsigned()
    val bytes    = in.unsigned()
    val checksum = in.unsigned()
    // A window has one byte at least.
    if (number < 0 || count <= 0 || bytes < count || bytes > Int.MaxValue)
      throw new CorruptBlockException(s"page $number of $bytes bytes with $count windows")
    val page = new Page(count.toInt)
    page.number = number
    page.bytes = bytes.toInt
    page.checksum = checksum.toInt
    page.firstStart = in.signed()
    page.firstEnd = page.firstStart + in.unsigned()
    page.lastStart = page.firstStart + in.unsigned()
    page.lastEnd = page.lastStart + in.unsigned()
    page.readTimers(in)
    page
  }
}
