package dev.sparkwindowing.state

import dev.sparkwindowing.codec.{BlockReader, BlockWriter, CorruptBlockException}

import java.util.Arrays
import scala.collection.mutable

/** Reads the pages of a key when a window in them is asked for, and writes those whose windows have changed.
  *
  * A page that has become small is joined with the next one, one that has become large is cut in equal parts, like the
  * leaves of a B-tree. So a changed window costs its page, at times a neighbor, and the table.
  */
private[state] final class PageCodec[C <: AnyRef](records: RecordCodec[C]) {
  import PageCodec._

  private[this] val out    = new BlockWriter
  private[this] val reader = new BlockReader

  /** Maximum number of bytes of windows that are not stored in pages. */
  def most(state: KeyState[C]): Long =
    if (state.pieces.canWrite && state.size > 1) state.pieces.sizes.windows.toLong else Long.MaxValue

  /** Reads the windows of a page. */
  def read(state: KeyState[C], page: Page): Unit = {
    val piece = state.pieces.read(page.number, page.bytes, page.checksum)
    val in    = reader.open(piece, 0, piece.length)
    val from  = state.pages.from(page)
    val until = state.pages.until(page)
    records.begin()
    var i = from
    while (i < until) {
      records.readBounds(in)
      records.read(in, state.fill(i, records.start, records.end), state.valueCodecs)
      i += 1
    }
    if (!page.isOf(state.record(from), state.record(until - 1)))
      throw new CorruptBlockException(s"its piece ${page.number} has other windows than its block says")
    records.place(in, state, from, until, piece)
    page.block = piece
  }

  /** Calls `f` with the windows of a page, which is not read afterwards. */
  def look(state: KeyState[C], page: Page)(f: WindowRecord[C] => Unit): Unit = {
    val from  = state.pages.from(page)
    val until = state.pages.until(page)
    read(state, page)
    (from until until).foreach(i => f(state.record(i)))
    state.forget(from, until)
    page.block = null
  }

  /** Stores all windows of a key in pages. */
  def cut(state: KeyState[C]): Unit = pagesOf(state, 0, state.size, sizeOf(state)).foreach(state.pages.add)

  /** Stores the windows that have changed. If the pages have become small together they are given up, and the windows
    * are in the block again.
    */
  def update(state: KeyState[C]): Unit = {
    val pages = state.pages
    var i     = 0
    while (i < pages.size) i = if (pages(i).isRead) update(state, i) else i + 1
    if (pages.bytes < state.pieces.sizes.windows / 2) {
      (0 until pages.size).foreach { i =>
        if (!pages(i).isRead) read(state, pages(i))
        release(state, pages(i))
      }
      pages.clear()
    }
  }

  // Returns the index of the page to go on with.
  private[this] def update(state: KeyState[C], i: Int): Int = {
    val pages = state.pages
    val page  = pages(i)
    val size  = sizeOf(state)
    val from  = pages.from(page)
    val until = pages.until(page)
    val now   = encode(state, from, until, math.min(Together * size, BlockWriter.MaxSize / 4L))
    if (page.count == 0) {
      release(state, page)
      pages.replace(i, 1, Nil)
      i
    } else if (now.count == page.count && now.bytes < size / 2 && i + 1 < pages.size && canJoin(state, pages(i + 1))) {
      joinNext(state, i)
      i
    } else if (isSame(now, page)) i + 1
    else {
      release(state, page)
      val parts = if (now.count < page.count) Int.MaxValue else now.bytes / size
      val all   =
        if (parts < 2) Seq(stored(state, now))
        else pagesOf(state, from, until, math.max(size, now.bytes / parts + 1))
      pages.replace(i, 1, all)
      i + all.length
    }
  }

  // A large page would be cut off again. The bytes of one that was read can be those of windows that are gone.
  private[this] def canJoin(state: KeyState[C], next: Page): Boolean = {
    val size = sizeOf(state)
    if (!next.isRead) next.bytes < 2L * size && (next.count > 1 || next.bytes < size)
    else next.count != 1 || state.record(state.pages.from(next)).encodedLength < size
  }

  private[this] def joinNext(state: KeyState[C], i: Int): Unit = {
    val next = state.pages(i + 1)
    if (!next.isRead) read(state, next)
    release(state, next)
    state.pages(i).count += next.count
    state.pages.replace(i + 1, 1, Nil)
  }

  private[this] def isSame(now: Page, page: Page): Boolean =
    now.count == page.count && now.bytes == page.bytes && now.checksum == page.checksum &&
      Arrays.equals(out.toBytes, page.block)

  private[this] def sizeOf(state: KeyState[C]): Int = state.pieces.sizes.page

  private[this] def release(state: KeyState[C], page: Page): Unit = state.pieces.release(page.number, page.bytes)

  private[this] def pagesOf(state: KeyState[C], from: Int, until: Int, most: Int): Seq[Page] = {
    val parts = mutable.ArrayBuffer.empty[Page]
    var at    = from
    while (at < until) {
      val page = stored(state, encode(state, at, until, most.toLong))
      parts += page
      at += page.count
    }
    parts.toList
  }

  // Writes windows to `out` until they have `most` bytes. One that is known to have so many is alone.
  private[this] def encode(state: KeyState[C], from: Int, until: Int, most: Long): Page = {
    val page = new Page(0)
    out.reset()
    records.begin()
    while (from + page.count < until && (page.count == 0 || hasRoom(state.record(from + page.count), most))) {
      val r = state.record(from + page.count)
      records.write(state, r, out)
      page.note(r)
    }
    records.finish(out)
    page.bytes = out.size
    page.checksum = out.checksum
    page
  }

  private[this] def hasRoom(next: WindowRecord[C], most: Long): Boolean =
    out.size.toLong + records.contentBytes < most && next.encodedLength < most

  private[this] def stored(state: KeyState[C], page: Page): Page = {
    page.block = out.toBytes
    page.number = state.pieces.write(page.block)
    page
  }
}

private object PageCodec {

  // Of a page that was read so many times the size of a page are encoded together, to cut them into equal parts.
  private val Together = 64L
}
