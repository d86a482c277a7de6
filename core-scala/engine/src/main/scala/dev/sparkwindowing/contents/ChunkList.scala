package dev.sparkwindowing.contents

import dev.sparkwindowing.codec.{BlockReader, BlockWriter, CorruptBlockException}

import java.util.Arrays

/** The chunks of a list: its oldest elements, in order of arrival. Positions are those in the list, from 0. */
private[contents] final class ChunkList[E](store: ChunkStore[E]) {
  private[this] var chunks = new Array[Chunk](4)
  private[this] var n      = 0

  // The chunk that was read last, and the position of its first element.
  private[this] var at   = 0
  private[this] var from = 0

  /** Number of elements. */
  var size: Int = 0

  def element(i: Int): E = {
    seek(i)
    store.element(chunks(at), i - from)
  }

  def timestamp(i: Int): Long = {
    seek(i)
    store.timestamp(chunks(at), i - from)
  }

  private[this] def seek(i: Int): Unit = {
    if (i < from) rewind()
    while (i >= from + chunks(at).size) {
      from += chunks(at).size
      at += 1
    }
  }

  private[this] def rewind(): Unit = {
    at = 0
    from = 0
  }

  /** Adds a chunk at the end; nothing if it is null. */
  def append(chunk: Chunk): Unit = if (chunk != null) {
    if (n == chunks.length) chunks = Arrays.copyOf(chunks, n * 2)
    chunks(n) = chunk
    n += 1
    size += chunk.size
  }

  /** Adds all chunks of another list, which is not used again. */
  def appendAll(other: ChunkList[E]): Unit = other.all.foreach(append)

  /** The chunks as they are now. */
  def all: Array[Chunk] = Arrays.copyOf(chunks, n)

  /** The numbers of the chunks with the `count` oldest elements. */
  def piecesOf(count: Int): Seq[Long] = {
    val before = all.scanLeft(0L)(_ + _.size)
    all.zip(before).collect { case (chunk, first) if first < count => chunk.number }.toSeq
  }

  /** Removes the `count` oldest elements; no chunk is read. */
  def removeFirst(count: Int): Unit = {
    var left = count
    var gone = 0
    while (gone < n && chunks(gone).size <= left) {
      left -= chunks(gone).size
      store.release(chunks(gone))
      gone += 1
    }
    System.arraycopy(chunks, gone, chunks, 0, n - gone)
    Arrays.fill(chunks.asInstanceOf[Array[AnyRef]], n - gone, n, null)
    n -= gone
    size -= count
    if (left > 0) chunks(0) = chunks(0).skip(left)
    rewind()
  }

  /** The list without the elements that `rule` removes. A chunk is written again if it loses others than its first
    * ones. This list stays as it is until the other replaces it, but without the chunks that only it has.
    */
  def without(rule: ChunkList.Removal): ChunkList[E] = {
    val kept  = new ChunkList[E](store)
    var first = 0
    all.foreach { chunk =>
      val fate = rule.fate(chunk)
      if (fate == ChunkList.Keep) kept.appendWhole(chunk)
      else {
        val flags = new Array[Boolean](chunk.size)
        if (fate == ChunkList.Remove) Arrays.fill(flags, true) else mark(flags, first, rule)
        val gone = flags.count(identity)
        if (gone == flags.length) store.release(chunk)
        else if (!flags.take(gone).contains(false)) kept.appendWhole(if (gone == 0) chunk else chunk.skip(gone))
        else {
          kept.rewrite(chunk, flags)
          store.release(chunk)
        }
      }
      first += chunk.size
    }
    kept.append(store.take())
    kept
  }

  private[this] def mark(flags: Array[Boolean], first: Int, rule: ChunkList.Removal): Unit = {
    var i = 0
    while (i < flags.length) {
      flags(i) = rule.removes(first + i)
      i += 1
    }
  }

  // Adds a chunk behind what was rewritten of those before it.
  private def appendWhole(chunk: Chunk): Unit = {
    append(store.take())
    append(chunk)
  }

  // Adds the elements that are not removed to the chunk that is being written.
  private def rewrite(chunk: Chunk, removed: Array[Boolean]): Unit = {
    var i = 0
    while (i < removed.length) {
      if (!removed(i) && store.add(store.element(chunk, i), store.timestamp(chunk, i))) append(store.take())
      i += 1
    }
  }

  /** The least timestamp of the elements, `Long.MaxValue` if there is none. */
  def leastTimestamp: Long = inOrderOfReading.foldLeft(Long.MaxValue) { (least, chunk) =>
    if (chunk.least >= least) least else math.min(least, timesOf(chunk, _.least).min)
  }

  /** The greatest timestamp of the elements, `Long.MinValue` if there is none. */
  def greatestTimestamp: Long = inOrderOfReading.foldLeft(Long.MinValue) { (greatest, chunk) =>
    if (chunk.greatest <= greatest) greatest else math.max(greatest, timesOf(chunk, _.greatest).max)
  }

  // Those that must be read come last, when it is known whether they need be.
  private[this] def inOrderOfReading: Array[Chunk] = {
    val (whole, partial) = all.partition(_.skipped == 0)
    whole ++ partial
  }

  // A chunk from which elements are removed can have lost those that it was written with.
  private[this] def timesOf(chunk: Chunk, known: Chunk => Long): Seq[Long] =
    if (chunk.skipped == 0) Seq(known(chunk)) else (0 until chunk.size).map(store.timestamp(chunk, _))

  /** Number of bytes of the chunks. */
  def bytes: Long = all.map(_.bytes.toLong).sum

  /** Releases all chunks. */
  def release(): Unit = (0 until n).foreach(i => store.release(chunks(i)))

  def write(out: BlockWriter): Unit = {
    out.unsigned(n.toLong)
    (0 until n).foreach(chunks(_).write(out))
  }

  def read(in: BlockReader): this.type = {
    val count = in.count(ChunkList.LeastBytes)
    var total = 0L
    while (n < count) {
      append(Chunk.read(in))
      total += chunks(n - 1).size
    }
    if (n == 0 || total > Int.MaxValue) throw new CorruptBlockException(s"$n pieces of a list with $total elements")
    this
  }
}

private[contents] object ChunkList {

  // Bytes of a chunk in the table.
  private val LeastBytes = 7

  final val Keep   = 0
  final val Remove = 1
  final val Look   = 2

  /** Rule by which elements are removed. */
  trait Removal {

    /** `Keep` or `Remove` for all elements of a chunk, `Look` to ask for each. */
    def fate(chunk: Chunk): Int = Look

    /** True if the element at a position is removed. */
    def removes(position: Int): Boolean
  }
}
