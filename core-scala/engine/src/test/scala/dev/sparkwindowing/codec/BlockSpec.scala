package dev.sparkwindowing.codec

import dev.sparkwindowing.testing.Properties
import org.scalacheck.Gen

/** Numbers and bytes, written and read. */
class BlockSpec extends Properties {

  private def written(write: BlockWriter => Unit): Array[Byte] = {
    val out = new BlockWriter(1)
    write(out)
    assert(out.size == out.toBytes.length)
    out.toBytes
  }

  private def reader(bytes: Array[Byte]): BlockReader = new BlockReader().open(bytes, 0, bytes.length)

  private val edges =
    0L +: (0 to 63).map(1L << _).flatMap(n => Seq(n - 1, n, n + 1, -n)) :+ Long.MaxValue :+ Long.MinValue

  test("numbers at the edges of every length come back") {
    for (n <- edges) {
      val in = reader(written { out => out.signed(n); out.unsigned(n) })
      assert(in.signed() == n)
      assert(in.unsigned() == n)
      assert(in.remaining == 0)
    }
  }

  test("small numbers take one byte and none takes more than ten") {
    for (n <- -64L to 63L) assert(written(_.signed(n)).length == 1, n)
    for (n <- 0L to 127L) assert(written(_.unsigned(n)).length == 1, n)
    assert(written(_.unsigned(128)).length == 2)
    assert(written(_.unsigned(-1)).length == 10)
    assert(written(_.signed(Long.MinValue)).length == 10)
    assert(edges.forall(n => written(_.signed(n)).length <= 10))
  }

  property("numbers and texts in any order come back", Gen.listOf(Gen.either(anyLong, Gen.asciiStr))) { list =>
    val in = reader(written { out =>
      list.foreach {
        case Left(n)  => out.signed(n)
        case Right(s) => ValueCodec.string.write(s, out)
      }
    })
    list.foreach {
      case Left(n)  => assert(in.signed() == n)
      case Right(s) => assert(ValueCodec.string.read(in) == s)
    }
    assert(in.remaining == 0)
  }

  test("texts beyond ASCII and boxed numbers come back") {
    val text = "ä € 𝄞\u0000"
    assert(ValueCodec.string.read(reader(written(ValueCodec.string.write(text, _)))) == text)
    assert(ValueCodec.long.read(reader(written(ValueCodec.long.write(Long.MinValue, _)))) == Long.MinValue)
  }

  test("a writer that was reset starts anew and one can be appended to another") {
    val a = new BlockWriter(1)
    a.block(Array[Byte](1, 2, 3))
    a.reset()
    a.byte(255)
    val b = new BlockWriter(1)
    b.byte(7)
    b.append(a)
    assert(b.toBytes.toSeq == Seq[Byte](7, -1))
    assert(reader(b.toBytes).byte() == 7)
  }

  test("a reader stays within its part of the bytes") {
    val in = new BlockReader().open(Array[Byte](1, 2, 3, 4), 1, 2)
    assert(in.byte() == 2)
    assert(in.position == 2)
    in.skip(1)
    assert(in.remaining == 0)
    intercept[CorruptBlockException](in.byte())
  }

  test("what cannot be read is a corrupt block") {
    def corrupt(bytes: Int*)(read: BlockReader => Any): Unit = {
      val e = intercept[CorruptBlockException](read(reader(bytes.map(_.toByte).toArray)))
      assert(e.getMessage.startsWith("the state of a key cannot be read: "))
    }
    corrupt()(_.byte())
    corrupt(0x80)(_.unsigned())
    corrupt(Seq.fill(11)(0x80): _*)(_.signed())
    corrupt(3, 1, 2)(_.block())
    corrupt(2, 1, 2)(_.count(2))
    corrupt(1)(_.skip(2))
    corrupt(1)(_.skip(-1))
    corrupt(Seq.fill(9)(0xff) :+ 1: _*)(_.count(1))
    corrupt(Seq.fill(5)(0xff) :+ 0: _*)(_.count(0))
  }
}
