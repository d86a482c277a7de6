package dev.sparkwindowing.state

import dev.sparkwindowing.codec.{BlockReader, BlockWriter, ValueCodec}
import dev.sparkwindowing.contents.AccumulatorContents
import dev.sparkwindowing.pieces.PieceSizes
import dev.sparkwindowing.testing.MemoryPieces

/** Keys with windows in pages, for tests. */
private[state] object PagedKeys {
  final case class Window(start: Long, end: Long, text: String, timers: Int = 0)

  private object Texts extends AccumulatorContents[String, String](ValueCodec.string) {
    def createAccumulator(): String                = ""
    def add(all: String, element: String): String  = all + element
    def merge(kept: String, other: String): String = kept + other
  }

  /** A key whose windows have texts. */
  final class Key(sizes: PieceSizes = MemoryPieces.SmallPages, kept: MemoryPieces = null) {
    val codec: KeyStateCodec[String] = new KeyStateCodec[String](Texts)

    var stored: MemoryPieces    = if (kept == null) new MemoryPieces(sizes) else kept
    var block: Array[Byte]      = _
    var state: KeyState[String] = opened(sizes)

    private def opened(sizes: PieceSizes): KeyState[String] = {
      val fresh = new KeyState[String](Texts, 0, IndexedSeq.empty)
      if (sizes != null) {
        val resized = new MemoryPieces(sizes)
        resized.stored ++= stored.stored
        stored = resized
        fresh.pieces.open(stored)
      }
      if (block != null) codec.decode(block, fresh)
      fresh
    }

    def open(block: Array[Byte]): Key = {
      this.block = block
      state = opened(stored.sizes)
      this
    }

    /** Writes the key, and opens it again. */
    def reopen(sizes: PieceSizes = MemoryPieces.SmallPages): Unit = {
      block = codec.encode(state)
      if (sizes != null) {
        state.pieces.close()
        stored.requireThoseOf(block)
        require(stored.stored.keySet == KeyStateCodec.pages(block).toSet, "pages are left")
      }
      val reads = stored.reads.toList
      state = opened(sizes)
      stored.reads ++= reads
    }

    /** The window, which is inserted if there is none; its contents will be changed. */
    def at(start: Long, end: Long): WindowRecord[String] = {
      val at = state.search(start, end)
      val r  = if (at >= 0) state.record(at) else state.insert(-at - 1, start, end)
      state.contentsOf(r)
      r
    }

    /** Merges windows as sessions do. */
    def join(from: Int, until: Int, whole: Window): Unit = {
      (from until until).foreach(state.record)
      state.append(whole.start, whole.end).contents = whole.text
      state.replace(from, until)
    }

    def windowAt(i: Int): Window = {
      val r = state.record(i)
      Window(r.start, r.end, state.lookAt(r), r.timers)
    }

    def all: Seq[Window] = (0 until state.size).map(windowAt)
  }

  /** A page in the table of a block. */
  final case class Entry(number: Long, count: Long, bytes: Long, checksum: Long, start: Long, last: Long, timers: Long)

  def pageOf(block: Array[Byte], i: Int): Entry = {
    val in = new BlockReader().open(block, 1, block.length - 1)
    (0 until 4).foreach(_ => in.unsigned())
    val all = Seq.fill(i + 1) {
      val number = in.unsigned()
      val count  = in.unsigned()
      val bytes  = in.unsigned()
      val sum    = in.unsigned()
      val start  = in.signed()
      in.unsigned()
      val last = start + in.unsigned()
      in.unsigned()
      (0 until 3).foreach(_ => in.unsigned())
      Entry(number, count, bytes, sum, start, last, 0)
    }
    all.last
  }

  /** A block of windows of ten milliseconds, and nothing else. */
  def blockOf(pages: Seq[Entry]): Array[Byte] = {
    val out = new BlockWriter
    out.byte(KeyStateCodec.WithPages)
    Seq(100L, math.max(pages.size, 1).toLong, 1000L, pages.size.toLong).foreach(out.unsigned)
    pages.foreach { p =>
      Seq(p.number, p.count, p.bytes, p.checksum).foreach(out.unsigned)
      out.signed(p.start)
      Seq(10L, p.last - p.start, 10L, p.timers).foreach(out.unsigned)
      if (p.timers > 0) out.signed(0)
      Seq(0L, 0L).foreach(out.unsigned)
    }
    Seq(0L, 0L, 0L).foreach(out.unsigned)
    out.seal()
    out.toBytes
  }

  // Windows of ten bytes and a half, ten of them a page.
  val sizes1000: PieceSizes = MemoryPieces.Small.copy(windows = 1000, page = 100)

  def largeKey(windows: Int = 1000): Key = {
    val key = new Key(sizes1000)
    (0 until windows).foreach(i => key.at(i * 10L, i * 10L + 10).contents = f"$i%05d")
    key.reopen(sizes1000)
    key.stored.reads.clear()
    key
  }
}
