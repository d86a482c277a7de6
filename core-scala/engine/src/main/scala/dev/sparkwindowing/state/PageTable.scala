package dev.sparkwindowing.state

import dev.sparkwindowing.codec.{BlockReader, BlockWriter, CorruptBlockException}

import scala.collection.mutable

/** The pages of a key, in the order of their windows; none if all windows are in the block. */
private[state] final class PageTable {
  private[this] val pages = mutable.ArrayBuffer.empty[Page]

  def isEmpty: Boolean      = pages.isEmpty
  def size: Int             = pages.length
  def apply(i: Int): Page   = pages(i)
  def clear(): Unit         = if (pages.nonEmpty) pages.clear()
  def add(page: Page): Unit = pages += page

  /** Number of bytes of all pieces. */
  def bytes: Long = pages.foldLeft(0L)(_ + _.bytes)

  /** Replaces `count` pages by others. */
  def replace(at: Int, count: Int, by: Seq[Page]): Unit = {
    pages.remove(at, count)
    pages.insertAll(at, by)
  }

  /** The page of the window at a position. */
  def of(position: Int): Page = pages(indexOf(position))

  // The last page that does not begin behind the position.
  private[this] def indexOf(position: Int): Int = {
    var low  = 0
    var high = pages.length - 1
    while (low < high) {
      val middle = (low + high + 1) >>> 1
      if (pages(middle).from <= position) low = middle else high = middle - 1
    }
    low
  }

  /** The page that takes a new window at a position: between two pages one that was read, if there is one. */
  def around(position: Int): Page = pages(indexAround(position))

  private[this] def indexAround(position: Int): Int = {
    val i = indexOf(position)
    if (i > 0 && pages(i).from == position && !pages(i).isRead && pages(i - 1).isRead) i - 1 else i
  }

  /** A window was inserted at a position, into the page that is `around` it. */
  def inserted(position: Int): Unit = {
    val i = indexAround(position)
    pages(i).count += 1
    moveFrom(i + 1)
  }

  /** The windows from one position until another were removed. */
  def removed(from: Int, until: Int): Unit = {
    val first = indexOf(from)
    var i     = first
    while (i < pages.length && pages(i).from < until) {
      val page = pages(i)
      val gone = math.min(until, page.from + page.count) - math.max(from, page.from)
      if (gone > 0) page.count -= gone
      i += 1
    }
    moveFrom(first + 1)
  }

  /** Sets the positions of the pages from one on. */
  def moveFrom(first: Int): Unit = {
    var i = first
    while (i < pages.length) {
      pages(i).from = if (i == 0) 0 else pages(i - 1).from + pages(i - 1).count
      i += 1
    }
  }

  def write(out: BlockWriter): Unit = {
    out.unsigned(pages.length.toLong)
    pages.foreach(_.write(out))
  }

  /** Reads the output of `write`, and returns the number of windows.
    *
    * @param most
    *   maximum number of bytes of all pieces
    */
  def read(in: BlockReader, most: Long): Int = {
    clear()
    var left    = in.count(Page.LeastBytes)
    var windows = 0
    var bytes   = 0L
    if (left == 0) throw new CorruptBlockException("it has pages of windows, and none is there")
    while (left > 0) {
      val page = Page.read(in, windows)
      if (pages.nonEmpty && !pages.last.isBefore(page))
        throw new CorruptBlockException(s"page ${page.number} of windows is not behind page ${pages.last.number}")
      bytes += page.bytes
      if (bytes > most) throw new CorruptBlockException(s"pages of $bytes bytes, and all its pieces have $most")
      pages += page
      windows += page.count
      left -= 1
    }
    windows
  }

  /** Numbers of the pieces. */
  def numbers: Seq[Long] = pages.map(_.number).toList
}
