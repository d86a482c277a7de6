package dev.sparkwindowing.triggers

import dev.sparkwindowing.codec.{BlockReader, BlockWriter, CorruptBlockException}
import dev.sparkwindowing.testing.Properties
import org.scalacheck.Gen

/** Who has set which timer, written and read. */
class NestedTimersSpec extends Properties {

  private def bytes(timers: NestedTimers): Array[Byte] = {
    val out = new BlockWriter
    NestedTimers.Codec.write(timers, out)
    out.toBytes
  }

  private def reader(bytes: Array[Byte]) = new BlockReader().open(bytes, 0, bytes.length)

  private val timer =
    for {
      part      <- Gen.frequency(4 -> Gen.choose(0, 3), 1 -> Gen.choose(60, 200))
      eventTime <- Gen.oneOf(true, false)
      time      <- anyLong
    } yield NestedTimer(part, eventTime, time)

  private val timers = Gen.listOf(timer).map(t => NestedTimers(t.toSet))

  property("timers come back, and no byte is left", timers) { t =>
    val in = reader(bytes(t))
    assert(NestedTimers.Codec.read(in) == t)
    assert(in.remaining == 0)
  }

  property("the same timers are the same bytes, whatever order they were set in", Gen.listOf(timer)) { list =>
    assert(bytes(NestedTimers(list.toSet)).sameElements(bytes(NestedTimers(list.reverse.toSet))))
  }

  test("a count that the block cannot hold is refused") {
    val out = new BlockWriter
    out.unsigned(1000000)
    intercept[CorruptBlockException](NestedTimers.Codec.read(reader(out.toBytes)))
  }

  test("owners are those of the time and the clock, in the order of the parts") {
    val t = NestedTimers(
      Set(
        NestedTimer(2, eventTime = true, 5),
        NestedTimer(0, eventTime = true, 5),
        NestedTimer(1, eventTime = false, 5),
        NestedTimer(1, eventTime = true, 6)
      )
    )
    assert(t.owners(eventTime = true, 5) == Seq(0, 2))
    assert(t.owners(eventTime = false, 5) == Seq(1))
    assert(t.owners(eventTime = false, 6) == Nil)
    assert(
      t.without(eventTime = true, 5).timers == Set(
        NestedTimer(1, eventTime = false, 5),
        NestedTimer(1, eventTime = true, 6)
      )
    )
  }
}
