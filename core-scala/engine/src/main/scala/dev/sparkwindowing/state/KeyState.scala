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

  /** Pages of the windows, none if they are all in the block. */
  private[state] val pages                  = new PageTable
  private[this] var pageCodec: PageCodec[C] = _

  // The records in use begin at `first`; one is null until its page is read. The other slots have records for reuse, or
  // null.
  private[this] var records = new Array[WindowRecord[C]](4)
  private[this] var first   = 0
  private[this] var n       = 0

  /** The block of the key, null if it has none, and its reader. */
  private[state] var block: Array[Byte]  = _
  private[state] val reader: BlockReader = new BlockReader

  val eventTimers: TimerSet      = new TimerSet
  val processingTimers: TimerSet = new TimerSet

  /** Function state. */
  val functions: FunctionState = new FunctionState(pieces, () => changed = true)

  /** Set by every change; an unchanged key is not written. */
  var changed: Boolean = false

  def size: Int                       = n
  def record(i: Int): WindowRecord[C] = {
    val r = records(first + i)
    if (r == null) readPage(pages.of(i), i) else r
  }

  private[this] def readPage(page: Page, i: Int): WindowRecord[C] = {
    pageCodec.read(this, page)
    records(first + i)
  }

  /** The window at a position, null if its page was not read. */
  private[sparkwindowing] def recordIfRead(i: Int): WindowRecord[C] = records(first + i)

  /** The page of the window at a position, which was not read. */
  private[sparkwindowing] def unreadPage(i: Int): Page = pages.of(i)

  /** The position behind the last window of a page. */
  private[sparkwindowing] def endOf(page: Page): Int = pages.until(page)

  def isEmpty: Boolean = n == 0 && eventTimers.isEmpty && processingTimers.isEmpty && functions.isEmpty

  /** Clears the last key. */
  def clear(): Unit = {
    dropContents(0, n)
    first = 0
    n = 0
    eventTimers.clear()
    processingTimers.clear()
    functions.clear()
    pieces.clear()
    pages.clear()
    changed = false
  }

  /** Opens a key whose windows are in pages. A page is read when one of its windows is asked for.
    *
    * @param count
    *   number of windows
    */
  private[state] def open(codec: PageCodec[C], count: Int): Unit = {
    pageCodec = codec
    if (records.length <= count) records = new Array[WindowRecord[C]](count + count / 8 + 1)
    else Arrays.fill(records.asInstanceOf[Array[AnyRef]], 0, count, null)
    n = count
  }

  /** A blank record for a window of a page, to be read. */
  private[state] def fill(position: Int, start: Long, end: Long): WindowRecord[C] = {
    val r = newRecord()
    r.reset(start, end)
    records(first + position) = r
    r
  }

  /** The position of the window, or -(insertion point) - 1. */
  def search(start: Long, end: Long): Int = {
    var low   = 0
    var high  = n - 1
    var found = Int.MinValue
    while (low <= high && found == Int.MinValue) {
      val middle = (low + high) >>> 1
      val r      = records(first + middle)
      if (r != null) {
        val c =
          if (r.start != start) java.lang.Long.compare(r.start, start) else java.lang.Long.compare(r.end, end)
        if (c < 0) low = middle + 1 else if (c > 0) high = middle - 1 else found = middle
      } else {
        val page = unreadPage(middle)
        if (page.isBefore(start, end)) low = pages.until(page)
        else if (page.isAfter(start, end)) high = pages.from(page) - 1
        else readPage(page, middle)
      }
    }
    if (found != Int.MinValue) found else -low - 1
  }

  /** The position of the first window that ends at or after a time; ends must be in order as starts are. */
  def firstEnding(time: Long): Int = {
    var low  = 0
    var high = n
    while (low < high) {
      val middle = (low + high) >>> 1
      val r      = records(first + middle)
      if (r != null) { if (r.end < time) low = middle + 1 else high = middle }
      else {
        val page = unreadPage(middle)
        if (page.lastEnd < time) low = pages.until(page)
        else if (page.firstEnd >= time) high = pages.from(page)
        else readPage(page, middle)
      }
    }
    low
  }

  /** Inserts a blank record at `position`, which must be the insertion point of its bounds. Moves the records of the
    * shorter side.
    */
  def insert(position: Int, start: Long, end: Long): WindowRecord[C] = {
    if (!pages.isEmpty) insertIntoPage(position)
    place(position, start, end)
  }

  private[this] def place(position: Int, start: Long, end: Long): WindowRecord[C] = {
    val free =
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
    val r = if (free == null) newRecord() else free
    records(first + position) = r
    n += 1
    r.reset(start, end)
    r
  }

  private[this] def insertIntoPage(position: Int): Unit = {
    val page = pages.around(position)
    if (!page.isRead) pageCodec.read(this, page)
    pages.inserted(position)
  }

  // Makes room after the last record.
  private[this] def makeRoom(): Unit =
    if (first > n) {
      val free = Arrays.copyOfRange(records, 0, first)
      System.arraycopy(records, first, records, 0, n)
      System.arraycopy(free, 0, records, n, first)
      first = 0
    } else records = Arrays.copyOf(records, records.length * 2)

  /** Inserts a blank record behind all others. It is in no page until `replace` moves it. */
  def append(start: Long, end: Long): WindowRecord[C] = place(n, start, end)

  def remove(position: Int): Unit = {
    val r = record(position)
    removeContents(r)
    if (!pages.isEmpty) pages.removed(position, position + 1)
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
    if (!pages.isEmpty) pages.removed(from + 1, until)
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

  /** Releases the pages of a key that has no window left. */
  private[sparkwindowing] def releasePagesIfEmpty(): Unit = if (n == 0 && !pages.isEmpty) {
    (0 until pages.size).foreach(i => pieces.release(pages(i).number, pages(i).bytes))
    pages.clear()
  }

  /** Removes the contents of a window. */
  def removeContents(r: WindowRecord[C]): Unit = {
    if (hasOtherPieces && r.hasContents) contents.release(lookAt(r))
    r.dropContents()
  }

  private[this] def dropContents(from: Int, until: Int): Unit = {
    var i = from
    while (i < until) {
      val r = records(first + i)
      if (r != null) r.dropContents()
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
    if (!pages.isEmpty) pages.removed(0, count)
    first += count
    n -= count
  }

  /** Removes every record without information. One that was not read has some. */
  def removeBlanks(): Unit = {
    var kept = 0
    var i    = 0
    while (i < n) {
      val r = records(first + i)
      if (r != null && r.isBlank) {
        r.dropContents()
        if (!pages.isEmpty) pages.of(i).count -= 1
      } else {
        records(first + i) = records(first + kept)
        records(first + kept) = r
        kept += 1
      }
      i += 1
    }
    n = kept
    if (!pages.isEmpty) pages.moveAll()
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
      r.contents = contents.read(reader.open(encodedIn(r), r.encodedAt, r.encodedLength))
    r.contents
  }

  /** Bytes of the block or of a page with the unchanged contents of the window. */
  private[state] def encodedIn(r: WindowRecord[C]): Array[Byte] = if (r.pageBytes == null) block else r.pageBytes

  /** Stores as pieces what contents have that is too large for the block or a page. */
  private[state] def seal(): Unit = if (pieces.canWrite) {
    var i = 0
    while (i < n) {
      val r = records(first + i)
      if (r != null && r.contents != null && r.encodedLength < 0) contents.seal(r.contents)
      i += 1
    }
  }

  /** The window with the most bytes, with its pieces; `least` if none has more. Of changed contents only the pieces
    * count here: `KeyStateCodec` counts the rest when it writes them. Has one page in memory that was not read.
    */
  def largestShare(least: StateShare): StateShare = {
    var most                              = least
    def compare(r: WindowRecord[C]): Unit = if (r.hasContents) {
      val bytes = math.max(r.encodedLength, 0) + (if (hasOtherPieces) contents.pieceBytes(lookAt(r)) else 0L)
      if (bytes > most.bytes) most = StateShare(Some(WindowCollector.window(r.start, r.end)), bytes)
    }
    var i = 0
    while (!pieces.isEmpty && i < n) {
      val r = recordIfRead(i)
      if (r != null) {
        compare(r)
        i += 1
      } else {
        val page = unreadPage(i)
        i = pages.until(page)
        pageCodec.look(this, page)(compare)
      }
    }
    most
  }

  /** Forgets the records of a page, so that it counts as not read. */
  private[state] def forget(from: Int, until: Int): Unit =
    Arrays.fill(records.asInstanceOf[Array[AnyRef]], first + from, first + until, null)

  // True if contents have pieces of their own.
  private[this] def hasOtherPieces: Boolean = pieces.count > pages.size

  private[this] def newRecord(): WindowRecord[C] = new WindowRecord[C](numberCount, valueCodecs.size)
}
