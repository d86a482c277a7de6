package dev.sparkwindowing.contents

import dev.sparkwindowing.codec.{BlockReader, BlockWriter, ValueCodec}
import dev.sparkwindowing.testing.Properties
import org.scalacheck.Gen

/** The list of elements against a plain sequence. */
class ElementListSpec extends Properties {
  private type Element = (String, Long)

  private final class CountingCodec extends ValueCodec[String] {
    var reads = 0

    def write(value: String, out: BlockWriter): Unit = ValueCodec.string.write(value, out)
    def read(in: BlockReader): String                = {
      reads += 1
      ValueCodec.string.read(in)
    }
  }

  private sealed trait Op
  private case class Add(element: Element)                             extends Op
  private case class RemoveFirst(count: Int)                           extends Op
  private case class RemoveEvery(nth: Int)                             extends Op
  private case class AddAll(other: List[Element], wasWritten: Boolean) extends Op
  private case class WriteAndRead(bytesBefore: Int)                    extends Op
  private case object Look                                             extends Op

  private val element  = Gen.zip(Gen.alphaStr, anyLong)
  private val elements = Gen.choose(0, 12).flatMap(Gen.listOfN(_, element))
  private val op       = Gen.frequency[Op](
    8 -> element.map(Add),
    2 -> Gen.choose(-1, 5).map(RemoveFirst),
    2 -> Gen.choose(1, 4).map(RemoveEvery),
    2 -> Gen.zip(elements, Gen.oneOf(true, false)).map { case (other, written) => AddAll(other, written) },
    4 -> Gen.choose(0, 3).map(WriteAndRead),
    1 -> Gen.const(Look)
  )

  private def listOf(elements: Seq[Element], codec: ValueCodec[String]): ElementList[String] = {
    val list = new ElementList[String](codec)
    elements.foreach { case (e, t) => list.add(e, t) }
    list
  }

  // Into the middle of other bytes, as in the block of a key.
  private def written(list: ElementList[String], codec: ValueCodec[String], before: Int): ElementList[String] = {
    val out = new BlockWriter(1)
    (1 to before).foreach(out.byte)
    list.write(out)
    val length = out.size - before
    out.byte(99)
    new ElementList[String](codec).open(new BlockReader().open(out.toBytes, before, length))
  }

  private def all(list: ElementList[String]): Seq[Element] = (0 until list.size).map(i => list(i) -> list.timestamp(i))

  property("any change", Gen.choose(0, 40).flatMap(Gen.listOfN(_, op)), 500) { ops =>
    val codec = new CountingCodec
    var list  = new ElementList[String](codec)
    var model = Vector.empty[Element]
    ops.foreach {
      case Add((e, t)) =>
        list.add(e, t)
        model :+= (e -> t)
      case RemoveFirst(count) =>
        list.removeFirst(count)
        model = model.drop(count)
      case RemoveEvery(nth) =>
        list.removeIf(_ % nth == 0)
        model = model.zipWithIndex.collect { case (e, i) if i % nth != 0 => e }
      case AddAll(other, wasWritten) =>
        val plain = listOf(other, codec)
        list.addAll(if (wasWritten) written(plain, codec, 2) else plain)
        model ++= other
      case WriteAndRead(before) => list = written(list, codec, before)
      case Look                 => assert(all(list) == model)
    }
    assert(list.size == model.size)
    assert(list.isEmpty == model.isEmpty)
    val seen = Vector.newBuilder[String]
    list.foreach(seen += _)
    assert(seen.result() == model.map(_._1))
    assert(all(list) == model)
  }

  test("a list that only grows is copied, not decoded") {
    val codec = new CountingCodec
    var list  = written(listOf(Seq("a" -> 1L, "b" -> 2L), codec), codec, 0)
    list.add("c", 3)
    list = written(list, codec, 5)
    list.add("d", 4)
    list = written(list, codec, 0)
    assert(list.size == 4)
    assert(codec.reads == 0)
    assert(all(list) == Seq("a" -> 1L, "b" -> 2L, "c" -> 3L, "d" -> 4L))
    assert(codec.reads == 4)
    assert(list(0) == "a")
    assert(codec.reads == 4)
  }

  test("removing no element decodes nothing") {
    val codec = new CountingCodec
    val list  = written(listOf(Seq("a" -> 1L), codec), codec, 0)
    list.removeFirst(0)
    assert(codec.reads == 0)
  }

  test("an element that may be a reused buffer is copied when it is kept") {
    val contents = new ListContents[StringBuilder](
      new ValueCodec[StringBuilder] {
        def write(value: StringBuilder, out: BlockWriter): Unit = ValueCodec.string.write(value.toString, out)
        def read(in: BlockReader): StringBuilder                = new StringBuilder(ValueCodec.string.read(in))
      },
      b => new StringBuilder(b.toString)
    )
    val buffer = new StringBuilder("a")
    val list   = contents.add(contents.empty(), buffer, 1)
    buffer.append("b")
    contents.add(list, buffer, 2)
    assert(Seq(list(0).toString, list(1).toString) == Seq("a", "ab"))
  }
}
