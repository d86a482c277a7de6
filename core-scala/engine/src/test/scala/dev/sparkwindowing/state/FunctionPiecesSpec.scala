package dev.sparkwindowing.state

import dev.sparkwindowing.codec.{BlockReader, BlockWriter, CorruptBlockException, ValueCodec}
import dev.sparkwindowing.functions.{ListStateDescriptor, MapStateDescriptor, TimeDomain, ValueStateDescriptor}
import dev.sparkwindowing.pieces.KeyPieces
import dev.sparkwindowing.testing.{Kept, MemoryPieces, Properties}
import org.scalacheck.Gen

import scala.collection.mutable

/** Function state that is too large for the block of its key, against plain collections. */
class FunctionPiecesSpec extends Properties {
  private val contents = Kept.AsAccumulator.contents
  private val text     = ValueStateDescriptor("text", ValueCodec.string)
  private val list     = ListStateDescriptor("list", ValueCodec.string)
  private val map      = MapStateDescriptor("map", ValueCodec.string, ValueCodec.string)

  /** A key that is closed and opened again. */
  private final class Key {
    val stored             = new MemoryPieces
    private val state      = new KeyState[String](contents, 0, IndexedSeq.empty)
    private val codec      = new KeyStateCodec[String](contents)
    var block: Array[Byte] = _
    state.pieces.open(stored)

    def functions: FunctionState                             = state.functions
    def of(scope: FunctionState.Scope = FunctionState.OfKey) = new ScopedStateStore(state.functions, scope)
    def largest: Long                                        = codec.largestShare.bytes

    def leave(): Unit = {
      block = if (state.isEmpty) null else codec.encode(state)
      state.pieces.close()
      stored.requireThoseOf(block)
    }

    def open(): Unit = {
      stored.reads.clear()
      state.pieces.open(stored)
      if (block == null) state.clear() else codec.decode(block, state)
    }

    def reopen(): this.type = {
      leave()
      open()
      this
    }
  }

  private sealed trait Op
  private case class Put(value: String)              extends Op
  private case class Add(values: List[String])       extends Op
  private case class Update(values: List[String])    extends Op
  private case class Set(key: String, value: String) extends Op
  private case class Unset(key: String)              extends Op
  private case class Clear(kind: Int)                extends Op
  private case object Reopen                         extends Op

  private val word  = Gen.choose(0, 60).flatMap(Gen.listOfN(_, Gen.alphaChar)).map(_.mkString)
  private val words = Gen.choose(0, 8).flatMap(Gen.listOfN(_, word))
  private val name  = Gen.choose(0, 12).map(i => s"k$i")
  private val op    = Gen.frequency[Op](
    2  -> word.map(Put),
    3  -> words.map(Add),
    1  -> words.map(Update),
    10 -> Gen.zip(name, word).map { case (k, v) => Set(k, v) },
    3  -> name.map(Unset),
    1  -> Gen.choose(0, 11).map(Clear),
    6  -> Gen.const(Reopen)
  )

  private val seen = mutable.Set.empty[Int]

  property("any change", Gen.choose(0, 60).flatMap(Gen.listOfN(_, op)), 2000) { ops =>
    val key    = new Key
    val scope  = if (ops.size % 2 == 0) FunctionState.OfKey else FunctionState.OfWindow(-5, 5)
    var value  = Option.empty[String]
    var values = Seq.empty[String]
    val pairs  = mutable.LinkedHashMap.empty[String, String]
    ops.foreach { op =>
      val of = key.of(scope)
      op match {
        case Put(word) =>
          of.getState(text).update(word)
          value = Some(word)
        case Add(more) =>
          if (more.size == 1) of.getListState(list).add(more.head) else of.getListState(list).addAll(more)
          values ++= more
        case Update(all) =>
          of.getListState(list).update(if (all.size == 3) of.getListState(list).get.drop(1) else all)
          values = if (all.size == 3) values.drop(1) else all
        case Set(k, v) =>
          of.getMapState(map).put(k, v)
          pairs(k) = v
        case Unset(k) =>
          of.getMapState(map).remove(k)
          pairs -= k
        case Clear(kind) =>
          if (kind == 0) of.getState(text).clear()
          if (kind == 1) of.getListState(list).clear()
          if (kind == 2) of.getMapState(map).clear()
          if (kind == 0) value = None
          if (kind == 1) values = Nil
          if (kind == 2) pairs.clear()
        case Reopen => key.reopen()
      }
      seen += key.stored.stored.size
      if (ops.size % 3 == 0 || ops.size % 3 == 1 && op.isInstanceOf[Add]) {
        assert(of.getState(text).value == value)
        assert(of.getListState(list).get == values)
        assert(of.getMapState(map).entries == pairs.toSeq && of.getMapState(map).isEmpty == pairs.isEmpty)
        assert(
          of.getMapState(map).get("k3") == pairs.get("k3") && of.getMapState(map).contains("k4") == pairs.contains("k4")
        )
      }
    }
    key.reopen()
    assert(key.of(scope).getListState(list).get == values && key.of(scope).getMapState(map).entries == pairs.toSeq)
  }

  test("any number of pieces was met") {
    assert((0 to 20).forall(seen.contains), seen)
  }

  test("what nobody asks for is not read, and not written again") {
    val key = new Key
    key.of().getState(text).update("a" * 50)
    key.of().getListState(list).addAll((1 to 40).map(i => s"value $i"))
    (1 to 40).foreach(i => key.of().getMapState(map).put(s"k$i", s"value $i"))
    key.reopen()
    val before = key.stored.stored.keySet.toSet
    key.of(FunctionState.OfWindow(0, 10)).getState(text).update("another")
    key.leave()
    assert(key.stored.reads.isEmpty && key.stored.stored.keySet == before)
    assert(key.largest > 500, "with its pieces")
  }

  test("a value added to a list reads no chunk, and a value of a map reads one bucket") {
    val key = new Key
    key.of().getListState(list).addAll((1 to 40).map(i => s"value $i"))
    (1 to 40).foreach(i => key.of().getMapState(map).put(s"k$i", s"value $i"))
    key.reopen()
    val before = key.stored.stored.keySet.toSet
    key.of().getListState(list).add("one more")
    key.leave()
    assert(key.stored.reads.isEmpty && before.subsetOf(key.stored.stored.keySet))
    key.open()
    assert(key.of().getMapState(map).get("k7").contains("value 7") && key.stored.reads.size == 1)
    key.of().getMapState(map).put("k7", "another")
    key.leave()
    assert((before -- key.stored.stored.keySet).size == 1)
    key.open()
    assert(key.of().getMapState(map).entries.map(_._1) == (1 to 40).map(i => s"k$i"), "a new value has the old place")
  }

  test("the values of a list are read chunk by chunk, and not after the call") {
    val key = new Key
    key.of().getListState(list).addAll((1 to 40).map(i => s"value $i"))
    key.reopen()
    val values = key.of().getListState(list).get
    key.of().getListState(list).update(Seq("one"))
    assert(values(39) == "value 40" && values.head == "value 1" && values.size == 40)
    assert(values == (1 to 40).map(i => s"value $i"), "as they were, whatever has become of the list")
    intercept[IndexOutOfBoundsException](values(40))
    intercept[IndexOutOfBoundsException](values(-1))
    key.reopen()
    val e = intercept[IllegalStateException](values(3))
    assert(e.getMessage.contains(".toVector"))
    assert(key.of().getListState(list).get == Seq("one") && key.stored.stored.isEmpty)
  }

  test("a value that a function changes in place is stored, as without pieces") {
    val builders = ValueStateDescriptor[StringBuilder](
      "builder",
      new ValueCodec[StringBuilder] {
        def write(value: StringBuilder, out: BlockWriter): Unit = ValueCodec.string.write(value.toString, out)
        def read(in: BlockReader): StringBuilder                = new StringBuilder(ValueCodec.string.read(in))
      }
    )
    val key = new Key
    key.of().getState(builders).update(new StringBuilder("a" * 50))
    key.reopen().of().getState(builders).value.foreach(_.append("b"))
    assert(key.reopen().of().getState(builders).value.map(_.toString).contains("a" * 50 + "b"))
  }

  test("keys of every known kind find their bucket, and other keys make the map one piece") {
    def mapOf[K](codec: ValueCodec[K])(keys: K*): Int = {
      val of  = MapStateDescriptor[K, String]("keys", codec, ValueCodec.string)
      val key = new Key
      keys.foreach(k => key.of().getMapState(of).put(k, s"value of $k"))
      key.reopen()
      assert(keys.forall(k => key.of().getMapState(of).get(k).contains(s"value of $k")))
      assert(key.of().getMapState(of).entries.map(_._1) == keys)
      val pieces = key.stored.stored.size
      keys.drop(2).foreach(key.of().getMapState(of).remove)
      assert(key.reopen().of().getMapState(of).entries.map(_._1) == keys.take(2) && key.stored.stored.size <= 4)
      pieces
    }
    def by[K](of: Long => K, to: K => Long): ValueCodec[K] = new ValueCodec[K] {
      def write(value: K, out: BlockWriter): Unit = out.signed(to(value))
      def read(in: BlockReader): K                = of(in.signed())
    }
    import KeyHash.{isKnown, of => hash}
    assert(mapOf(ValueCodec.long)((1 to 40).map(i => Long.box(i - 20L)): _*) > 5)
    assert(mapOf(by[Double](_ / 4.0, x => (x * 4).toLong))((1 to 40).map(_ / 4.0): _*) > 5)
    assert(mapOf(by[(Int, String)](i => (i.toInt, s"$i"), _._1.toLong))((1 to 40).map(i => (i, s"$i")): _*) > 5)
    assert(
      mapOf(by[java.time.Instant](java.time.Instant.ofEpochMilli, _.toEpochMilli))(
        (1 to 40).map(i => java.time.Instant.ofEpochMilli(i * 1000L + 7)): _*
      ) > 5
    )
    assert(
      mapOf(
        by[TimeDomain](
          i => if (i == 0) TimeDomain.EventTime else TimeDomain.ProcessingTime,
          d => if (d == TimeDomain.EventTime) 0 else 1
        )
      )(TimeDomain.EventTime, TimeDomain.ProcessingTime) <= 1,
      "its hash is another one in each JVM"
    )
    val known = Seq[Any](
      null,
      "a",
      true,
      'a',
      1.toByte,
      1.toShort,
      1.5f,
      new java.math.BigDecimal("1.50"),
      java.math.BigInteger.TEN,
      new java.util.UUID(1, 2),
      java.time.LocalDate.of(2026, 1, 2),
      Vector[Any](1, "b"),
      (1, (2.5, Seq("c")))
    )
    assert(known.forall(isKnown))
    val now = Seq(0, -791936819, 1057532958, -791936819, -125990791, -125990791, 1964541932, -398365228, 831284488,
      241334957, -1356960767, 550463947, -1636256482)
    assert(known.map(hash) == now, "stored maps depend on it")
    assert(hash(1.0) == hash(1L) && hash(-0.0) == hash(0) && hash('a') == hash(97) && hash(List(1)) == hash(Vector(1L)))
    assert(
      !isKnown(Seq(Array(1))) && !isKnown(BigDecimal(1)) && !isKnown(Some(1)) && !isKnown((1, TimeDomain.EventTime))
    )
  }

  test("a map goes into buckets when its keys are known, and out when one is not") {
    val any = MapStateDescriptor[Any, String](
      "any",
      new ValueCodec[Any] {
        def write(value: Any, out: BlockWriter): Unit = ValueCodec.string.write(
          value match {
            case n: BigInt => s"n$n"
            case other     => s"s$other"
          },
          out
        )
        def read(in: BlockReader): Any = {
          val text = ValueCodec.string.read(in)
          if (text.startsWith("n")) BigInt(text.drop(1)) else text.drop(1)
        }
      },
      ValueCodec.string
    )
    val key = new Key
    (1 to 40).foreach(i => key.of().getMapState(any).put(s"$i", "text"))
    key.reopen()
    assert(key.stored.stored.size > 5)
    assert(key.of().getMapState(any).get(BigInt(7)).isEmpty && key.of().getMapState(any).get("7").contains("text"))
    key.of().getMapState(any).remove(BigInt(7))
    key.of().getMapState(any).put(BigInt(7), "number")
    key.reopen()
    assert(key.stored.stored.size == 1)
    assert(key.of().getMapState(any).get(BigInt(7)).contains("number"))
    key.of().getMapState(any).remove(BigInt(7))
    key.reopen()
    assert(key.stored.stored.size > 5 && key.of().getMapState(any).entries.map(_._1) == (1 to 40).map(_.toString))
  }

  test("keys that their codec reads as others are those that it reads, in a large map") {
    // Writes three digits behind the point, as a decimal type of Spark does.
    val decimals = new ValueCodec[java.math.BigDecimal] {
      def write(value: java.math.BigDecimal, out: BlockWriter): Unit =
        out.signed(value.movePointRight(3).longValueExact)
      def read(in: BlockReader): java.math.BigDecimal = java.math.BigDecimal.valueOf(in.signed(), 3)
    }
    val of              = MapStateDescriptor("decimals", decimals, ValueCodec.string)
    val key             = new Key
    def decimal(i: Int) = new java.math.BigDecimal(s"$i.5")
    (1 to 40).foreach(i => key.of().getMapState(of).put(decimal(i), s"value $i"))
    for (_ <- 1 to 2) {
      key.reopen()
      assert(key.stored.stored.size > 5)
      assert((1 to 40).forall(i => key.of().getMapState(of).get(decimal(i)).contains(s"value $i")))
      key.of().getMapState(of).put(new java.math.BigDecimal("7.50"), "value 7")
      assert(key.of().getMapState(of).entries.map(_._1) == (1 to 40).map(decimal(_).setScale(3)))
    }
    (2 to 40).foreach(i => key.of().getMapState(of).remove(decimal(i)))
    assert(key.reopen().of().getMapState(of).entries.map(_._2) == Seq("value 1"))
    // Spark reads an array as a mutable sequence.
    val buffers = new ValueCodec[scala.collection.Seq[Long]] {
      def write(value: scala.collection.Seq[Long], out: BlockWriter): Unit = out.signed(value.head)
      def read(in: BlockReader): scala.collection.Seq[Long]                = mutable.ArrayBuffer(in.signed())
    }
    val lists = MapStateDescriptor("lists", buffers, ValueCodec.string)
    (1 to 40).foreach(i => key.of().getMapState(lists).put(List(i.toLong), s"value $i"))
    assert((1 to 40).forall(i => key.reopen().of().getMapState(lists).get(Vector(i.toLong)).contains(s"value $i")))
    assert(key.stored.stored.size > 5)
  }

  test("an update that fails leaves the list as it was") {
    val key = new Key
    key.of().getListState(list).addAll((1 to 40).map(i => s"value $i"))
    key.reopen()
    def failing: Seq[String] =
      key.of().getListState(list).get.to(LazyList).map(v => if (v == "value 30") sys.error(v) else v)
    intercept[RuntimeException](key.of().getListState(list).update(failing))
    intercept[RuntimeException](key.of().getListState(list).addAll(failing))
    assert(key.reopen().of().getListState(list).get == (1 to 40).map(i => s"value $i"))
  }

  test("a value that expires takes its piece along, read or not") {
    for (isRead <- Seq(true, false)) {
      val key = new Key
      key.of().getState(text).update("a" * 50)
      key.functions.setExpiry("text", TimeDomain.EventTime, 10)
      key.reopen()
      assert(key.stored.stored.size == 1 && key.functions.expiry("text") == 10)
      if (isRead) assert(key.of().getState(text).value.nonEmpty)
      key.functions.expire(TimeDomain.EventTime, 10)
      key.leave()
      assert(key.block == null && key.stored.stored.isEmpty)
    }
  }

  test("a piece that is missing, or another one, is refused") {
    val key = new Key
    key.of().getState(text).update("a" * 50)
    key.of().getListState(list).addAll((1 to 10).map(i => s"value $i"))
    (1 to 40).foreach(i => key.of().getMapState(map).put(s"k$i", s"value $i"))
    key.leave()
    val all = key.stored.stored.toMap
    for {
      number  <- all.keys
      another <- Seq(None, Some(all(all.keys.filter(_ != number).min)))
    } {
      key.stored.stored.clear()
      key.stored.stored ++= all - number ++ another.map(number -> _)
      key.open()
      val failed = Seq[() => Any](
        () => key.of().getState(text).value,
        () => key.of().getListState(list).get.toVector,
        () => key.of().getMapState(map).entries
      ).count(read => scala.util.Try(read()).failed.toOption.exists(_.isInstanceOf[CorruptBlockException]))
      assert(failed >= 1, s"piece $number")
      assert(intercept[CorruptBlockException](key.leave()).getMessage.contains(s"piece $number"))
    }
  }

  test("a bucket that holds a key of another one is refused, and pieces where none are stored") {
    val pieces = new KeyPieces
    pieces.open(new MemoryPieces)
    def newMap = new StoredMap[String, String](ValueCodec.string, ValueCodec.string, pieces)
    val all    = newMap
    (1 to 40).foreach(i => all.put(s"k$i", s"value $i"))
    val next                                                     = all.encode(new BlockWriter)
    def read(stored: Seq[StatePiece]): StoredMap[String, String] = {
      val map = newMap
      map.read(new BlockReader().open(next, 0, next.length), stored.toVector)
      map
    }
    assert(read(all.inPieces).entries.size == 40)
    intercept[CorruptBlockException](read(all.inPieces.tail :+ all.inPieces.head).entries)
    assert(
      intercept[CorruptBlockException](pieces.close()).getMessage.contains("a key of another one"),
      "is not forgotten"
    )
    intercept[CorruptBlockException](read(all.inPieces.take(3)))

    val key = new Key
    key.of().getState(text).update("a" * 50)
    key.leave()
    intercept[CorruptBlockException](
      new KeyStateCodec[String](contents).decode(key.block, new KeyState[String](contents, 0, IndexedSeq.empty))
    )
  }
}
