package dev.sparkwindowing.state

import dev.sparkwindowing.codec.{BlockReader, BlockTooLargeException, BlockWriter, CorruptBlockException, ValueCodec}
import dev.sparkwindowing.contents.AccumulatorContents
import dev.sparkwindowing.testing.Properties
import dev.sparkwindowing.windows.{GlobalWindow, TimeWindow, WindowCollector}
import org.scalacheck.Gen

/** The block of a key: all that is remembered comes back, contents stay bytes, and damage has one name. */
class KeyStateCodecSpec extends Properties {

  private final class CountingCodec extends ValueCodec[String] {
    var reads  = 0
    var writes = 0

    def write(value: String, out: BlockWriter): Unit = {
      writes += 1
      ValueCodec.string.write(value, out)
    }
    def read(in: BlockReader): String = {
      reads += 1
      ValueCodec.string.read(in)
    }
  }

  private final class Contents(val codec: CountingCodec) extends AccumulatorContents[String, String](codec) {
    def createAccumulator(): String                = ""
    def add(all: String, element: String): String  = all + element
    def merge(kept: String, other: String): String = kept + other
  }

  private case class Timer(time: Long, start: Long, end: Long)

  private case class Saved(
      start: Long,
      end: Long,
      timers: Int,
      numbers: Vector[Option[Long]],
      text: Option[String],
      number: Option[Long],
      contents: Option[String],
      firings: Option[Firings] = None
  )

  private case class Firings(count: Long, itself: Boolean, replaced: List[(Long, Long)], shown: Boolean)

  private case class Key(windows: Vector[Saved], event: List[Timer], clock: List[Timer])

  private val numberCount = 3
  private val valueCodecs = Vector(ValueCodec.string, ValueCodec.long)

  private val firings: Gen[Firings] =
    for {
      count    <- Gen.choose(1L, Long.MaxValue)
      itself   <- Gen.oneOf(true, false)
      replaced <- Gen.listOf(Gen.zip(anyLong, Gen.choose(1L, 1L << 40)).map { case (s, n) => (s, s + n) })
      shown    <- Gen.oneOf(replaced.nonEmpty, false)
    } yield Firings(count, itself, replaced, shown)

  private val saved: Gen[Saved] =
    for {
      isGlobal <- Gen.frequency(1 -> true, 9 -> false)
      start    <- if (isGlobal) Gen.const(Long.MinValue) else anyLong
      end      <- if (isGlobal) Gen.const(Long.MinValue) else Gen.choose(1L, 1L << 40).map(start + _)
      timers   <- Gen.choose(0, 7)
      numbers  <- Gen.containerOfN[Vector, Option[Long]](numberCount, Gen.option(anyLong))
      text     <- Gen.option(Gen.alphaStr)
      number   <- Gen.option(anyLong)
      contents <- Gen.option(Gen.alphaStr)
      firings  <- Gen.option(firings)
    } yield Saved(start, end, timers, numbers, text, number, contents, firings)

  private val timer = Gen.zip(anyLong, anyLong, anyLong).map((Timer.apply _).tupled)
  private val key   =
    for {
      n       <- Gen.choose(0, 12)
      windows <- Gen.containerOfN[Vector, Saved](n, saved)
      event   <- Gen.listOf(timer)
      clock   <- Gen.listOf(timer)
    } yield Key(
      windows.groupBy(w => (w.start, w.end)).toVector.sortBy(_._1).map(_._2.head),
      distinct(event),
      distinct(clock)
    )

  private def distinct(timers: List[Timer]) = timers.distinct.sortBy(t => (t.time, t.start, t.end))

  private def newState(contents: Contents = new Contents(new CountingCodec)): KeyState[String] =
    new KeyState[String](contents, numberCount, valueCodecs)

  private def encode(key: Key): Array[Byte] = {
    val contents = new Contents(new CountingCodec)
    val state    = newState(contents)
    key.windows.foreach { w =>
      val r = state.append(w.start, w.end)
      r.timers = w.timers
      for ((Some(n), i) <- w.numbers.zipWithIndex) {
        r.numbers(i) = n
        r.numbersSet |= 1L << i
      }
      w.text.foreach(r.values(0) = _)
      w.number.foreach(n => r.values(1) = java.lang.Long.valueOf(n))
      w.contents.foreach(r.contents = _)
      w.firings.foreach { f =>
        r.firings = f.count
        r.hasFired = f.itself
        f.replaced.foreach { case (start, end) => r.replace(start, end) }
        r.isReplacedShown = f.shown
      }
    }
    key.event.foreach(t => state.eventTimers.add(t.time, t.start, t.end))
    key.clock.foreach(t => state.processingTimers.add(t.time, t.start, t.end))
    new KeyStateCodec(contents).encode(state)
  }

  private def read(state: KeyState[String]): Key = Key(
    (0 until state.size).toVector.map { i =>
      val r = state.record(i)
      Saved(
        r.start,
        r.end,
        r.timers,
        Vector.tabulate(numberCount)(j => if ((r.numbersSet & (1L << j)) != 0) Some(r.numbers(j)) else None),
        Option(r.values(0)).map(_.toString),
        Option(r.values(1)).map(_.toString.toLong),
        Option(state.contentsOf(r)),
        if (r.hasPanes) Some(Firings(r.firings, r.hasFired, replaced(r), r.isReplacedShown)) else None
      )
    },
    drain(state.eventTimers),
    drain(state.processingTimers)
  )

  private def replaced(r: WindowRecord[String]): List[(Long, Long)] =
    Option(r.replaced).fold(List.empty[(Long, Long)])(w => List.tabulate(w.size)(i => (w.start(i), w.end(i))))

  private def drain(timers: TimerSet): List[Timer] = {
    val out = List.newBuilder[Timer]
    while (!timers.isEmpty) {
      out += Timer(timers.headTime, timers.headStart, timers.headEnd)
      timers.removeHead()
    }
    out.result()
  }

  property("all that is remembered comes back", key, 500) { k =>
    val state = newState()
    new KeyStateCodec(new Contents(new CountingCodec)).decode(encode(k), state)
    assert(state.isEmpty == (k.windows.isEmpty && k.event.isEmpty && k.clock.isEmpty))
    assert(!state.changed)
    assert(read(state) == k)
  }

  property("contents that nobody looked at are copied as bytes", key) { k =>
    val contents = new Contents(new CountingCodec)
    val state    = newState(contents)
    val codec    = new KeyStateCodec(contents)
    val block    = encode(k)
    codec.decode(block, state)
    assert(codec.encode(state).toSeq == block.toSeq)
    assert(contents.codec.reads == 0)
    read(state)
    assert(contents.codec.reads == k.windows.count(_.contents.nonEmpty))
  }

  property("contents that were read only are copied as bytes too, those to be changed are written anew", key) { k =>
    val contents = new Contents(new CountingCodec)
    val state    = newState(contents)
    val codec    = new KeyStateCodec(contents)
    val block    = encode(k)
    codec.decode(block, state)
    val found = (0 until state.size).map(i => Option(state.lookAt(state.record(i))))
    assert(found == k.windows.map(_.contents))
    (0 until state.size).foreach(i => state.lookAt(state.record(i)))
    assert(contents.codec.reads == k.windows.count(_.contents.nonEmpty))
    assert(codec.encode(state).toSeq == block.toSeq)
    assert(contents.codec.writes == 0)
    (0 until state.size).foreach(i => state.contentsOf(state.record(i)))
    assert(contents.codec.reads == k.windows.count(_.contents.nonEmpty))
    assert(codec.encode(state).toSeq == block.toSeq)
    assert(contents.codec.writes == k.windows.count(_.contents.nonEmpty))
  }

  property("one object serves one key after the other", Gen.zip(key, key)) { case (first, second) =>
    val contents = new Contents(new CountingCodec)
    val state    = newState(contents)
    val codec    = new KeyStateCodec(contents)
    codec.decode(encode(first), state)
    codec.decode(encode(second), state)
    assert(codec.encode(state).toSeq == encode(second).toSeq)
    assert(read(state) == second)
  }

  test("a block with more numbers or values than the trigger keeps is refused") {
    val w     = Saved(0, 10, 0, Vector(None, None, Some(1)), None, None, None)
    val block = encode(Key(Vector(w), Nil, Nil))
    val few   = new KeyState[String](new Contents(new CountingCodec), 2, valueCodecs)
    val e     = intercept[CorruptBlockException] {
      new KeyStateCodec(new Contents(new CountingCodec)).decode(block, few)
    }
    assert(e.getMessage.contains("more numbers than this trigger keeps (2)"))
  }

  test("records stay sorted and are found by their bounds") {
    val state = newState()
    for (start <- Seq(5L, -5L, 0L, Long.MaxValue - 1, Long.MinValue, 3L); end <- Seq(start + 1, start)) {
      val at = state.search(start, end)
      assert(at < 0)
      state.insert(-at - 1, start, end)
    }
    val bounds = (0 until state.size).map(i => state.record(i).start -> state.record(i).end)
    assert(bounds == bounds.sorted)
    assert(bounds.zipWithIndex.forall { case ((s, e), i) => state.search(s, e) == i })
  }

  test("the first records are taken out, and are there to be used again") {
    for (count <- 0 to 5) {
      val state = newState()
      (0 until 5).foreach(i => state.append(i.toLong, i.toLong + 1).contents = s"$i")
      state.removeFirst(count)
      assert((0 until state.size).map(i => state.record(i).contents) == (count until 5).map(_.toString))
      val all = (0 until 6).map(_ => state.append(9, 9)) ++ (0 until 5 - count).map(state.record)
      assert(all.toSet.size == 11 - count)
      assert((5 - count until state.size).forall(i => state.contentsOf(state.record(i)) == null))
    }
  }

  // [from, until) of the first five, replaced by the sixth.
  test("records are replaced by the last one") {
    for (from <- 0 until 5; until <- from + 1 to 5) {
      val state = newState()
      (0 until 6).foreach(i => state.append(i.toLong, i.toLong + 1))
      val last = state.record(5)
      assert(state.replace(from, until) eq last)
      val expected = (0 until from) ++ Seq(5) ++ (until until 5)
      assert((0 until state.size).map(state.record(_).start) == expected.map(_.toLong))
      // The freed records are all there to be used again.
      val all = (0 until 6 - state.size).map(_ => state.append(9, 9)) ++ (0 until 6).map(state.record)
      assert(all.toSet.size == 6)
    }
  }

  private def keyOf(windows: (Long, Long, String)*): KeyState[String] = {
    val state = newState()
    windows.foreach { case (start, end, contents) => state.append(start, end).contents = contents }
    state
  }

  test("what has the most bytes of a block is known") {
    val codec = new KeyStateCodec(new Contents(new CountingCodec))
    codec.encode(keyOf((0L, 10L, "a"), (10L, 20L, "a" * 50), (20L, 30L, "b")))
    assert(codec.largestShare == StateShare(Some(TimeWindow(10, 20)), 51))
    codec.encode(keyOf((0L, 10L, "a"), (WindowCollector.Global, WindowCollector.Global, "abc")))
    assert(codec.largestShare == StateShare(Some(GlobalWindow), 4))
    val functions = keyOf((0L, 10L, "a"))
    functions.functions.put(FunctionState.OfKey, "text", "b" * 60, ValueCodec.string)
    codec.encode(functions)
    assert(codec.largestShare.window.isEmpty && codec.largestShare.bytes > 60)
  }

  test("a block that is too large is refused, wherever it is, and the writer goes on with the next key") {
    val codec = new KeyStateCodec(new Contents(new CountingCodec), maxSize = 1000)
    val large = intercept[BlockTooLargeException](codec.encode(keyOf((0L, 10L, "a" * 300), (10L, 20L, "a" * 2000))))
    assert(large.bytes > 2000 && large.limit == 1000)
    assert(codec.writing.window == TimeWindow(10, 20), "the one that was being written")
    intercept[BlockTooLargeException](codec.encode(keyOf((0L, 10L, "a" * 600), (10L, 20L, "b" * 500))))
    val functions = keyOf((0L, 10L, "a"))
    functions.functions.put(FunctionState.OfKey, "text", "b" * 990, ValueCodec.string)
    intercept[BlockTooLargeException](codec.encode(functions))
    assert(codec.largestShare.window.isEmpty)
    val timers = keyOf()
    (0L until 1000L).foreach(t => timers.eventTimers.add(t, t, t + 1))
    intercept[BlockTooLargeException](codec.encode(timers))
    assert(codec.encode(keyOf((0L, 10L, "a" * 900))).length < 1000)
    assert(codec.writing == null)
  }
}
