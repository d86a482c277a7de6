package dev.sparkwindowing.state

import dev.sparkwindowing.codec.{BlockReader, BlockWriter, CorruptBlockException}

import scala.collection.mutable

/** The pages of a key, in the order of their windows; none if all windows are in the block. A page covers successive
  * positions of windows.
  */
private[state] final class PageTable {
  private[this] val pages = mutable.ArrayBuffer.empty[Page]

  // A page begins at its `from` less this, so that a change near the first page moves only the pages before it.
  private[this] var base = 0

  def isEmpty: Boolean    = pages.length == 0 // `isEmpty` of a buffer is not cheap, and this runs often for every key
  def size: Int           = pages.length
  def apply(i: Int): Page = pages(i)
  def clear(): Unit       = {
    if (!isEmpty) pages.clear()
    base = 0
  }

  /** The position of the first window of a page, and that behind its last. */
  def from(page: Page): Int  = page.from - base
  def until(page: Page): Int = page.from - base + page.count

  /** Number of bytes of all pieces. */
  def bytes: Long = pages.foldLeft(0L)(_ + _.bytes)

  /** Adds a page behind all others. */
  def add(page: Page): Unit = replace(pages.length, 0, Seq(page))

  /** Replaces `count` pages by others with as many windows. */
  def replace(at: Int, count: Int, by: Seq[Page]): Unit = {
    var from = if (at == 0) base else pages(at - 1).from + pages(at - 1).count
    pages.remove(at, count)
    pages.insertAll(at, by)
    by.foreach { page =>
      page.from = from
      from += page.count
    }
  }

  /** The page of the window at a position. */
  def of(position: Int): Page = pages(indexOf(position))

  // The last page that does not begin behind the position.
  private[this] def indexOf(position: Int): Int = {
    var low  = 0
    var high = pages.length - 1
    while (low < high) {
      val middle = (low + high + 1) >>> 1
      if (from(pages(middle)) <= position) low = middle else high = middle - 1
    }
    low
  }

  /** The page that takes a new window at a position: between two pages one that was read, if there is one. */
  def around(position: Int): Page = pages(indexAround(position))

  private[this] def indexAround(position: Int): Int = {
    val i = indexOf(position)
    if (i > 0 && from(pages(i)) == position && !pages(i).isRead && pages(i - 1).isRead) i - 1 else i
  }

  /** A window was inserted at a position, into the page that is `around` it. */
  def inserted(position: Int): Unit = changeCount(indexAround(position), 1)

  /** The windows from one position until another were removed. */
  def removed(from: Int, until: Int): Unit = {
    var left = until - from
    while (left > 0) {
      val i    = indexOf(from)
      val gone = math.min(left, this.until(pages(i)) - from)
      changeCount(i, -gone)
      left -= gone
    }
  }

  // Moves the pages of the shorter side.
  private[this] def changeCount(i: Int, by: Int): Unit = {
    pages(i).count += by
    if (i < pages.length / 2) {
      base -= by
      move(0, i + 1, -by)
    } else move(i + 1, pages.length, by)
  }

  private[this] def move(first: Int, until: Int, by: Int): Unit = {
    var i = first
    while (i < until) {
      pages(i).from += by
      i += 1
    }
  }

  /** The counts of pages have changed by themselves. */
  def moveAll(): Unit = {
    var from = base
    var i    = 0
    while (i < pages.length) {
      pages(i).from = from
      from += pages(i).count
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
      val page = Page.read(in)
      if (pages.nonEmpty && !pages.last.isBefore(page))
        throw new CorruptBlockException(s"page ${page.number} of windows is not behind page ${pages.last.number}")
      bytes += page.bytes
      if (bytes > most) throw new CorruptBlockException(s"pages of $bytes bytes, and all its pieces have $most")
      if (page.count > PageTable.MostWindows - windows)
        throw new CorruptBlockException(s"a page with ${page.count} windows behind $windows others")
      page.from = windows
      pages += page
      windows += page.count
      left -= 1
    }
    windows
  }

  /** Numbers of the pieces. */
  def numbers: Seq[Long] = pages.map(_.number).toList
}

private object PageTable {

  // Maximum number of windows of a key.
  private val MostWindows = Int.MaxValue / 2
}
