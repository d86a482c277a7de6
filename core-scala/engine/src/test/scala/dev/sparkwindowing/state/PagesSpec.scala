package dev.sparkwindowing.state

import dev.sparkwindowing.pieces.PieceSizes
import dev.sparkwindowing.testing.{MemoryPieces, Properties}
import dev.sparkwindowing.windows.TimeWindow
import org.scalacheck.Gen

/** Windows of a key in pages, against a plain map. */
class PagesSpec extends Properties {
  import PagedKeys._

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

  private def bytesOfPages(key: Key): Seq[Int] = KeyStateCodec.pages(key.block).map(key.stored.stored(_).length)

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

  test("sessions that merge read the pages around them") {
    val key = largeKey()
    assert(key.state.firstEnding(5005) == 500)
    key.join(500, 502, Window(5000, 5020, "both"))
    assert(key.stored.reads.size <= 2)
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

  test("a small window before a large one is read alone, however many pages follow") {
    for (much <- Seq(150, 50000)) {
      val key = largeKey()
      key.at(3, 7).contents = "x" * much
      key.reopen(sizes1000)
      for (_ <- 1 to 3) {
        key.at(0, 10).contents = "other"
        key.stored.reads.clear()
        key.reopen(sizes1000)
      }
      key.at(0, 10).contents = "changed"
      key.stored.reads.clear()
      key.reopen(sizes1000)
      assert(key.stored.reads.isEmpty, much)
    }
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
    key.stored.reads.clear()
    assert(key.state.largestShare(StateShare(None, 301)) == StateShare(Some(TimeWindow(5000, 5010)), 302))
    assert(key.state.largestShare(StateShare(None, 302)) == StateShare(None, 302))
    assert(key.stored.reads.size == 2 * key.stored.stored.size, "each time all pages, which are not kept")
    assert(key.windowAt(500).text == "x" * 300)
  }

  test("one object serves one key after the other, also after one that has lost its windows to the first") {
    val other = largeKey()
    val key   = largeKey()
    key.state.eventTimers.add(1, 0, 10)
    (1 to 1000).foreach(_ => key.state.remove(0))
    key.codec.encode(key.state)
    key.state.pieces.open(other.stored)
    key.codec.decode(other.block, key.state)
    assert(key.windowAt(0).text == "00000" && key.state.search(5000, 5010) == 500 && key.windowAt(999).text == "00999")
    assert(key.all == other.all)
  }
}
