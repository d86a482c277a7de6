package dev.sparkwindowing.state

import dev.sparkwindowing.codec.{BlockReader, BlockWriter, CorruptBlockException, ValueCodec}
import dev.sparkwindowing.contents.AccumulatorContents
import dev.sparkwindowing.pieces.PieceSizes
import dev.sparkwindowing.testing.{MemoryPieces, Properties}
import org.scalacheck.Gen

import scala.util.Random

/** Windows of a key in pages, against a plain map. */
class PagesSpec extends Properties {
  import PagesSpec._

  private sealed trait Op
  private case class Add(start: Long, text: String)           extends Op
  private case class SetTimers(nth: Int, timers: Int)         extends Op
  private case class Remove(nth: Int)                         extends Op
  private case class RemoveFirst(count: Int)                  extends Op
  private case class RemoveEnding(until: Long)                extends Op
  private case class Join(nth: Int, count: Int)               extends Op
  private case class Blank(nth: Int, count: Int)              extends Op
  private case class Reopen(sizes: PieceSizes, lookedAt: Int) extends Op

  private val start = Gen.choose(-20L, 40L).map(_ * 10)
  private val nth   = Gen.choose(0, 60)
  private val text  = Gen.choose(0, 6).flatMap(Gen.listOfN(_, Gen.alphaChar)).map(_.mkString)
  // Also a change of the sizes, from one start of a query to the next.
  private val sizes = Gen.frequency(8 -> MemoryPieces.SmallPages, 1 -> MemoryPieces.Small)
  private val op    = Gen.frequency[Op](
    30 -> Gen.zip(start, text).map { case (s, t) => Add(s, t) },
    2  -> Gen.zip(nth, Gen.choose(0, 7)).map { case (n, t) => SetTimers(n, t) },
    2  -> nth.map(Remove),
    1  -> Gen.choose(0, 3).map(RemoveFirst),
    1  -> start.map(RemoveEnding),
    2  -> Gen.zip(nth, Gen.choose(1, 5)).map { case (n, c) => Join(n, c) },
    1  -> Gen.zip(nth, Gen.choose(1, 5)).map { case (n, c) => Blank(n, c) },
    4  -> Gen.zip(sizes, nth).map { case (s, n) => Reopen(s, n) }
  )

  private var paged = 0

  property("any change", Gen.choose(0, 120).flatMap(Gen.listOfN(_, op)), 2000) { ops =>
    val key   = new Key
    var model = Vector.empty[Window]
    ops.foreach {
      case Add(start, text) =>
        // Joined windows are longer, and no two overlap.
        val in = model.indexWhere(w => w.start <= start && start < w.end)
        if (in >= 0) {
          key.at(model(in).start, model(in).end).contents += text
          model = model.updated(in, model(in).copy(text = model(in).text + text))
        } else {
          key.at(start, start + 10).contents = text
          model = (model :+ Window(start, start + 10, text)).sortBy(_.start)
        }
      case SetTimers(nth, timers) if model.nonEmpty =>
        val i = nth % model.size
        key.state.record(i).timers = timers
        model = model.updated(i, model(i).copy(timers = timers))
      case Remove(nth) if model.nonEmpty =>
        key.state.remove(nth % model.size)
        model = model.patch(nth % model.size, Nil, 1)
      case RemoveFirst(count) =>
        key.state.removeFirst(math.min(count, model.size))
        model = model.drop(count)
      case RemoveEnding(until) =>
        key.state.removeFirst(key.state.firstEnding(until))
        model = model.filter(_.end >= until)
      case Join(nth, count) if model.nonEmpty =>
        val from  = nth % model.size
        val some  = model.slice(from, from + count)
        val whole = Window(some.head.start, some.last.end, some.map(_.text).mkString)
        key.join(from, from + some.size, whole)
        model = model.patch(from, Seq(whole), some.size)
      case Blank(nth, count) if model.nonEmpty =>
        val from = nth % model.size
        val gone = from until math.min(from + count, model.size)
        gone.foreach { i =>
          key.state.record(i).timers = 0
          key.state.removeContents(key.state.record(i))
        }
        key.state.removeBlanks()
        model = model.patch(from, Nil, gone.size)
      case Reopen(sizes, lookedAt) =>
        key.reopen(sizes)
        if (key.stored.stored.size > 2) paged += 1
        if (model.nonEmpty) assert(key.windowAt(lookedAt % model.size) == model(lookedAt % model.size))
      case _ => ()
    }
    assert(key.state.size == model.size)
    assert(model.indices.forall(i => key.state.search(model(i).start, model(i).end) == i))
    assert(model.forall(w => key.state.search(w.start, w.end - 1) < 0))
    assert(key.all == model)
    key.reopen()
    assert(key.all == model)
  }

  test("of the cases above, many have pages")(assert(paged > 5000))

  // Windows of ten bytes and a half, ten of them a page.
  private val sizes1000 = MemoryPieces.Small.copy(windows = 1000, page = 100)

  private def largeKey(windows: Int = 1000): Key = {
    val key = new Key(sizes1000)
    (0 until windows).foreach(i => key.at(i * 10L, i * 10L + 10).contents = f"$i%05d")
    key.reopen(sizes1000)
    key.stored.reads.clear()
    key
  }

  private def bytesOfPages(key: Key): Seq[Int] = key.stored.stored.values.map(_.length).toSeq

  test("a key is read without its pages, and its pages are not written again") {
    val key    = largeKey()
    val before = key.stored.stored.toMap
    assert(before.size > 50 && key.block.length < 30 * before.size)
    key.reopen(sizes1000)
    assert(key.stored.reads.isEmpty && key.stored.stored.toMap == before)
  }

  for (
    (what, change, reads) <- Seq[(String, Key => Unit, Int)](
      ("a window that changes", _.at(5000, 5010).contents += "!", 1),
      ("a window between others", _.at(5003, 5007).contents = "new", 1),
      ("a window behind all", _.at(20000, 20010).contents = "new", 1),
      ("a window before all", _.at(-10, 0).contents = "new", 1),
      ("the first windows removed", _.state.removeFirst(3), 1)
    )
  )
    test(s"$what costs one page") {
      val key    = largeKey()
      val before = key.stored.stored.toMap
      change(key)
      key.reopen(sizes1000)
      assert(key.stored.reads.size <= reads, "pages read")
      val written = key.stored.stored.keySet.toSet -- before.keySet
      assert(written.size == 1 && (before.keySet -- key.stored.stored.keySet).size == 1)
    }

  test("a window that is only looked at is not written") {
    val key    = largeKey()
    val before = key.stored.stored.toMap
    assert(key.windowAt(500).text == "00500" && key.stored.reads.size == 1)
    key.reopen(sizes1000)
    assert(key.stored.stored.toMap == before)
  }

  test("sessions that merge read the pages around them, and the last one") {
    val key = largeKey()
    assert(key.state.firstEnding(5005) == 500)
    key.join(500, 502, Window(5000, 5020, "both"))
    assert(key.stored.reads.size <= 3)
    key.reopen(sizes1000)
    assert(key.state.search(5000, 5020) == 500 && key.windowAt(500).text == "both" && key.state.size == 999)
  }

  test("pages that grow are cut, and those that shrink are joined") {
    val key = largeKey()
    (0 until 100).foreach { i =>
      (0 until 3).foreach(j => key.at(3000 + i * 10L + j, 3000 + i * 10L + j + 1).contents = "inserted")
      if (i % 7 == 0) key.reopen(sizes1000)
    }
    key.reopen(sizes1000)
    assert(bytesOfPages(key).forall(n => n >= 50 && n < 215), bytesOfPages(key))
    (0 until 100).foreach { i =>
      (0 until 8).foreach(_ => key.state.remove(203))
      if (i % 7 == 0) {
        key.reopen(sizes1000)
        assert(bytesOfPages(key).forall(n => n >= 50 && n < 215), bytesOfPages(key))
      }
    }
  }

  for (much <- Seq(500, 50000))
    test(s"a window of $much bytes is a page of its own when one beside it has changed") {
      val key = largeKey()
      key.at(5000, 5010).contents = "x" * much
      key.reopen(sizes1000)
      for (_ <- 1 to 3) {
        key.at(4990, 5000).contents += "y"
        key.reopen(sizes1000)
      }
      val before = key.stored.stored.keySet.toSet
      key.at(4990, 5000).contents += "y"
      key.reopen(sizes1000)
      assert((key.stored.stored.keySet.toSet -- before).toSeq.map(key.stored.stored(_).length).sum < 215)
      assert(key.windowAt(500).text.length == much && key.windowAt(499).text == "00499yyyy")
    }

  test("a window behind a large one is stored, though the large one is as it was") {
    val key = largeKey()
    key.at(9990, 10000).contents = "x" * 50000
    key.reopen(sizes1000)
    key.at(10000, 10010).contents = "new"
    key.reopen(sizes1000)
    assert(key.all.takeRight(2).map(_.text.length) == Seq(50000, 3))
  }

  test("a key that gets very much at once, behind its last window") {
    val key = largeKey()
    (1000 until 20000).foreach(i => key.at(i * 10L, i * 10L + 10).contents = f"$i%05d")
    key.reopen(sizes1000)
    assert(bytesOfPages(key).dropRight(1).forall(n => n >= 50 && n < 215))
    assert(key.state.size == 20000 && key.windowAt(15000).text == "15000")
  }

  test("a key that has lost all its windows leaves no page") {
    val key = largeKey()
    key.state.removeFirst(1000)
    assert(key.state.isEmpty)
    key.state.releasePagesIfEmpty()
    key.state.pieces.close()
    assert(key.stored.stored.isEmpty)
  }

  test("a key whose windows are few again has its block alone") {
    val key = largeKey()
    key.state.removeFirst(990)
    key.reopen(sizes1000)
    assert(key.block.head == KeyStateCodec.WithoutPieces && key.stored.stored.isEmpty)
    assert(key.all.map(_.start) == (9900L until 10000L by 10))
  }

  test("a host without pieces keeps all windows in the block") {
    val key = new Key(null)
    (0 until 1000).foreach(i => key.at(i * 10L, i * 10L + 10).contents = "some text")
    key.reopen(null)
    assert(key.block.head == KeyStateCodec.WithoutPieces && key.all.size == 1000)
  }

  test("the largest window is known, also of those that were not read") {
    val key = largeKey()
    key.at(5000, 5010).contents = "x" * 300
    key.reopen(sizes1000)
    assert(key.state.shares.maxBy(_.bytes) == StateShare(Some(dev.sparkwindowing.windows.TimeWindow(5000, 5010)), 302))
  }

  test("a page that is missing or another one is refused by its number") {
    for (
      (change, text) <- Seq[(MemoryPieces => Unit, String)](
        (_.stored.remove(3), "its piece 3 is missing"),
        (p => p.stored(3) = p.stored(4), "its piece 3, of "),
        (p => p.stored(3)(5) = (p.stored(3)(5) + 1).toByte, "its piece 3, of ")
      )
    ) {
      val key = largeKey()
      change(key.stored)
      val e = intercept[CorruptBlockException](key.all)
      assert(e.getMessage.contains(text))
    }
  }

  test("a page that is damaged, with a checksum that fits, is read or refused") {
    val random = new Random(17)
    val block  = largeKey(100)
    for (_ <- 1 to 20000) {
      val pieces = new MemoryPieces(sizes1000)
      val page   = block.stored.stored.values.head.clone()
      (0 to random.nextInt(3)).foreach(_ => page(random.nextInt(page.length)) = random.nextInt().toByte)
      val bytes = if (random.nextInt(3) == 0) page.take(1 + random.nextInt(page.length)) else page
      pieces.stored(0) = bytes
      val first = pageOf(block.block, 0)
      val entry =
        first.copy(number = 0, bytes = bytes.length.toLong, checksum = BlockReader.checksum(bytes) & 0xffffffffL)
      try new Key(sizes1000, pieces).open(blockOf(Seq(entry))).all
      catch { case e: CorruptBlockException => assert(e.getMessage.contains("cannot be read")) }
    }
  }

  test("a table that does not fit is refused") {
    val key    = largeKey(100)
    val pieces = key.stored
    def first  = pageOf(key.block, 0)
    def second = pageOf(key.block, 1)
    val most   = Long.MaxValue
    for (
      (pages, text) <- Seq(
        Seq.empty                                 -> "it has pages of windows, and none is there",
        Seq(second, first)                        -> "is not behind page",
        Seq(first.copy(count = 0))                -> "with 0 windows",
        Seq(first.copy(count = most))             -> s"with $most windows",
        Seq(first.copy(bytes = 1L << 31))         -> "bytes with",
        Seq(first.copy(bytes = 1001))             -> "pages of 1001 bytes, and all its pieces have 1000",
        Seq(first.copy(timers = first.count + 1)) -> "timers of",
        Seq(first.copy(start = -100))             -> "has other windows than its block says",
        Seq(first.copy(last = first.last - 10))   -> "has other windows than its block says",
        Seq(first.copy(count = first.count - 1))  -> "has other windows than its block says"
      )
    ) {
      val e = intercept[CorruptBlockException](new Key(sizes1000, pieces).open(blockOf(pages)).all)
      assert(e.getMessage.contains(text))
    }
    val whole = new Key(sizes1000, pieces).open(blockOf(Seq(first, second)))
    assert(whole.all == key.all.take((first.count + second.count).toInt))
  }
}

private object PagesSpec {
  final case class Window(start: Long, end: Long, text: String, timers: Int = 0)

  private object Texts extends AccumulatorContents[String, String](ValueCodec.string) {
    def createAccumulator(): String                = ""
    def add(all: String, element: String): String  = all + element
    def merge(kept: String, other: String): String = kept + other
  }

  /** A key whose windows have texts. */
  final class Key(sizes: PieceSizes = MemoryPieces.SmallPages, kept: MemoryPieces = null) {
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
      if (block != null) new KeyStateCodec[String](Texts).decode(block, fresh)
      fresh
    }

    def open(block: Array[Byte]): Key = {
      this.block = block
      state = opened(stored.sizes)
      this
    }

    /** Writes the key, and opens it again. */
    def reopen(sizes: PieceSizes = MemoryPieces.SmallPages): Unit = {
      block = new KeyStateCodec[String](Texts).encode(state)
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
}
