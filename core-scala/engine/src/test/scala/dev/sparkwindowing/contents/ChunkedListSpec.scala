package dev.sparkwindowing.contents

import dev.sparkwindowing.codec.{BlockReader, BlockWriter, CorruptBlockException, ValueCodec}
import dev.sparkwindowing.pieces.{KeyPieces, PieceSizes}
import dev.sparkwindowing.testing.{MemoryPieces, Properties}
import org.scalacheck.Gen

/** Lists whose oldest elements are in pieces, against a plain sequence. */
class ChunkedListSpec extends Properties {
  private type Element = (String, Long)

  private final class Key(sizes: PieceSizes = MemoryPieces.Small) {
    val stored = new MemoryPieces(sizes)
    val pieces = new KeyPieces
    pieces.open(stored)
    val contents = new ListContents[String](ValueCodec.string, identity)
    contents.attach(pieces)

    def listOf(elements: Element*): ElementList[String] = {
      val list = contents.empty()
      elements.foreach { case (e, t) => list.add(e, t) }
      list
    }

    /** The list as the next step opens it. */
    def reopened(list: ElementList[String]): ElementList[String] = {
      val out = new BlockWriter
      contents.seal(list)
      contents.write(list, out)
      contents.read(new BlockReader().open(out.toBytes, 0, out.size))
    }
  }

  private def all(list: ElementList[String]): Seq[Element] = (0 until list.size).map(i => list(i) -> list.timestamp(i))

  private def inBlocks(blocks: ElementBlocks[String]): Seq[String] = {
    val found = Seq.newBuilder[String]
    (0 until blocks.size).foreach(blocks.foreach(_)(found += _))
    found.result()
  }

  private sealed trait Op
  private case class Add(elements: List[Element])                       extends Op
  private case class RemoveFirst(count: Int)                            extends Op
  private case class RemoveEvery(nth: Int, of: Int)                     extends Op
  private case class RemoveUntil(time: Long)                            extends Op
  private case class AddAll(other: List[Element], wasReopened: Boolean) extends Op
  private case object Reopen                                            extends Op
  private case object Snapshot                                          extends Op

  private val time     = Gen.choose(-20L, 20L)
  private val element  = Gen.zip(Gen.choose(0, 3).flatMap(Gen.listOfN(_, Gen.alphaChar)).map(_.mkString), time)
  private val elements = Gen.choose(0, 12).flatMap(Gen.listOfN(_, element))
  private val op       = Gen.frequency[Op](
    6 -> elements.map(Add),
    2 -> Gen.choose(-1, 12).map(RemoveFirst),
    2 -> Gen.zip(Gen.choose(0, 4), Gen.choose(1, 5)).map { case (nth, of) => RemoveEvery(nth, of) },
    2 -> time.map(RemoveUntil),
    3 -> Gen.zip(elements, Gen.oneOf(true, false)).map { case (other, wasReopened) => AddAll(other, wasReopened) },
    5 -> Gen.const(Reopen),
    2 -> Gen.const(Snapshot)
  )

  private var chunked = 0

  property("any change", Gen.choose(0, 40).flatMap(Gen.listOfN(_, op)), 2000) { ops =>
    val key       = new Key
    var list      = key.contents.empty()
    var model     = Vector.empty[Element]
    var snapshots = List.empty[(ElementBlocks[String], Seq[String])]
    ops.foreach { op =>
      op match {
        case Add(more) =>
          more.foreach { case (e, t) => list.add(e, t) }
          model ++= more
        case RemoveFirst(count) =>
          list.removeFirst(count)
          model = model.drop(count)
        case RemoveEvery(nth, of) =>
          // A rule may look at the list, which is as before the call up to the element in question.
          if (ops.size % 2 == 0) list.removeIf(i => i % of == nth && list(i) == model(i)._1)
          else {
            val view = list.viewed(e => s"<$e>")
            view.removeIf(i => i % of == nth && view(i) == s"<${model(i)._1}>" && view.timestamp(i) == model(i)._2)
          }
          model = model.zipWithIndex.collect { case (e, i) if i % of != nth => e }
        case RemoveUntil(time) =>
          list.removeUntil(time)
          model = model.filter(_._2 > time)
        case AddAll(more, wasReopened) =>
          val other = key.listOf(more: _*)
          list.addAll(if (wasReopened) key.reopened(other) else other)
          model ++= more
        case Reopen   => list = key.reopened(list)
        case Snapshot => snapshots ::= list.blocks -> model.map(_._1)
      }
      assert(list.size == model.size && list.isEmpty == model.isEmpty)
      assert(list.leastTimestamp == (Long.MaxValue +: model.map(_._2)).min)
      assert(list.greatestTimestamp == (Long.MinValue +: model.map(_._2)).max)
      chunked += key.pieces.count
    }
    assert(all(list) == model)
    assert(all(list).reverse == (0 until list.size).reverse.map(i => list(i) -> list.timestamp(i)))
    val seen = Vector.newBuilder[String]
    list.foreach(seen += _)
    assert(seen.result() == model.map(_._1))
    // Pieces that were released can be read until the key is stored.
    snapshots.foreach { case (blocks, elements) => assert(inBlocks(blocks) == elements) }
    key.pieces.removeReleased()
    assert(all(list) == model)
    assert(key.stored.stored.size == key.pieces.count)
    assert(key.stored.stored.values.map(_.length.toLong).sum == key.pieces.bytes)
    key.contents.release(list)
    key.pieces.removeReleased()
    assert(key.pieces.isEmpty && key.stored.stored.isEmpty)
  }

  test("of the cases above, many have chunks")(assert(chunked > 10000))

  private def inOrder(n: Int) = (1 to n).map(i => s"e$i" -> i.toLong)

  test("appends write what is appended, and read nothing") {
    val key  = new Key(MemoryPieces.Small.copy(tail = 100, chunk = 200))
    var list = key.contents.empty()
    inOrder(1000).grouped(10).foreach { more =>
      more.foreach { case (e, t) => list.add(e, t) }
      list = key.reopened(list)
    }
    assert(key.stored.reads.isEmpty)
    // 1000 elements of 5 to 8 bytes, of which at most a tail is not there.
    val bytes = key.stored.stored.values.map(_.length)
    assert(bytes.sum > 5000 && bytes.sum < 8000 && bytes.forall(b => b > 40 && b < 210))
    assert(all(list) == inOrder(1000))
  }

  test("a count from the front reads no chunk, in order each is read once") {
    val key  = new Key
    val list = key.reopened(key.listOf(inOrder(100): _*))
    list.removeFirst(50)
    assert(key.stored.reads.isEmpty)
    assert(all(list) == inOrder(100).drop(50))
    assert(key.stored.reads == key.stored.reads.distinct)
  }

  for (n <- Seq(100, 1000)) test(s"a view of $n elements removes from the list, which is held if it is not large") {
    val key  = new Key
    val list = key.reopened(key.listOf(inOrder(n): _*))
    val view = list.viewed(e => s"<$e>")
    def seen = {
      val found = Vector.newBuilder[String]
      view.foreach(found += _)
      found.result()
    }
    def readsOf(work: => Unit): Int = {
      key.stored.reads.clear()
      work
      key.stored.reads.size
    }
    assert(readsOf(assert(seen == inOrder(n).map { case (e, _) => s"<$e>" })) == key.pieces.count)
    assert((view.size, view.isEmpty, view.leastTimestamp, view.greatestTimestamp) == ((n, false, 1L, n.toLong)))
    // From one end to the other and back at each element.
    val reads = readsOf((0 until n).foreach(i => assert(view(i) == s"<e${i + 1}>" && view(0) == "<e1>")))
    assert(if (n == 100) reads <= key.pieces.count else reads > key.pieces.count)
    view.removeFirst(10)
    assert(view(0) == "<e11>" && view.timestamp(0) == 11)
    view.removeUntil(20)
    assert(view(0) == "<e21>")
    // A rule that fails removes nothing.
    intercept[IllegalStateException](view.removeIf(i => if (i < 40) true else throw new IllegalStateException))
    assert(all(list) == inOrder(n).drop(20))
    view.removeIf(i => view(i) != "<e50>")
    assert(view(0) == "<e50>" && seen == Vector("<e50>") && all(list) == Seq("e50" -> 50L))
    Seq[ElementList[String] => Any](_.add("e", 1), _.addAll(list), _.blocks).foreach { use =>
      assert(intercept[UnsupportedOperationException](use(view)).getMessage.startsWith("an evictor removes elements"))
    }
    view.removeFirst(1)
    assert(view.isEmpty && list.isEmpty)
    intercept[IndexOutOfBoundsException](view(-1))
  }

  test("a time removes whole chunks unread") {
    val key   = new Key
    val list  = key.reopened(key.listOf(inOrder(100): _*))
    val reads = (10 to 90 by 5).map { time =>
      key.stored.reads.clear()
      list.removeUntil(time.toLong)
      key.stored.reads.size
    }
    assert(reads.max == 1)
    assert(all(list) == inOrder(100).drop(90))
  }

  test("one element less at each firing: nothing is written, and a piece is read once") {
    val key     = new Key(MemoryPieces.Small.copy(tail = 100, chunk = 1000))
    val list    = key.reopened(key.listOf(inOrder(200): _*))
    val written = key.stored.stored.size
    (1 to 50).foreach { i =>
      if (i % 2 == 0) list.removeUntil(i.toLong) else list.removeIf(_ == 0)
      assert(list(0) == s"e${i + 1}")
      assert(list.leastTimestamp == i + 1 && list.greatestTimestamp == 200)
    }
    assert(key.stored.stored.size == written && key.stored.reads.size == key.stored.reads.distinct.size)
  }

  test("many elements of one timestamp in a piece, as over windows have them") {
    val key    = new Key(MemoryPieces.Small.copy(tail = 100, chunk = 10000))
    val groups = new TimestampContents[String, AnyRef](None, Some(new ListContents(ValueCodec.string, identity)), false)
    groups.attach(key.pieces)
    var group = groups.empty()
    (1 to 2000).foreach(i => group = groups.add(group, s"e$i", 7))
    val out = new BlockWriter
    groups.seal(group)
    groups.write(group, out)
    assert(out.size < 100 && key.pieces.count > 0)
    val read = groups.read(new BlockReader().open(out.toBytes, 0, out.size))
    assert(read.count == 2000 && all(read.elements) == (1 to 2000).map(i => s"e$i" -> 7L))
  }

  test("merging moves chunks") {
    val key    = new Key
    val (a, b) = (key.reopened(key.listOf(inOrder(50): _*)), key.reopened(key.listOf(inOrder(60): _*)))
    val before = key.stored.stored.size
    a.addAll(b)
    assert(key.stored.reads.isEmpty)
    assert(key.stored.stored.size <= before + 1) // the tail of the first
    assert(all(a) == inOrder(50) ++ inOrder(60))
  }

  test("a host without pieces keeps the list whole") {
    val contents = new ListContents[String](ValueCodec.string, identity)
    contents.attach(new KeyPieces)
    val list = contents.empty()
    inOrder(100000).foreach { case (e, t) => list.add(e, t) }
    val out = new BlockWriter
    contents.seal(list)
    contents.write(list, out)
    assert(all(contents.read(new BlockReader().open(out.toBytes, 0, out.size))) == inOrder(100000))
  }

  test("a piece that is not the one that was written is refused by its number") {
    val changes = Seq[(String, MemoryPieces => Unit)](
      "its piece 3 is missing"                               -> (p => p.remove(3L)),
      "its piece 3, of 13 bytes, is not the one of 15 bytes" -> (p => p.stored(3L) = p.stored(3L).drop(2)),
      "its piece 3, of 15 bytes, is not the one of 15 bytes" -> (p => p.stored(3L) = p.stored(5L)),
      "its piece 3, of 15 bytes, is not the one of 15 bytes" -> (p => p.stored(3L)(7) = 99)
    )
    for ((message, change) <- changes) {
      val key  = new Key
      val list = key.reopened(key.listOf((10 to 60).map(i => s"e$i" -> i.toLong): _*))
      change(key.stored)
      val e = intercept[CorruptBlockException](all(list))
      assert(e.getMessage.contains(message))
    }
  }
}
