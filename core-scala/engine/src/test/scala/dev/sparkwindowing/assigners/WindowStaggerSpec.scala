package dev.sparkwindowing.assigners

import dev.sparkwindowing.contents.ElementList
import dev.sparkwindowing.operator.{OperatorRules, WindowOperator}
import dev.sparkwindowing.testing.{Kept, Outputs, Properties}
import dev.sparkwindowing.triggers.{CountTrigger, Trigger}
import org.scalacheck.Gen

import java.time.Duration.ofMillis

/** The shift of a staggered grid: taken at the first element of an operator, and kept for all its keys. */
class WindowStaggerSpec extends Properties {
  private type Contents = ElementList[String]

  /** Window start of each element: its key, its event time and the processing time of its arrival. */
  private def starts(windows: WindowAssigner[Any])(elements: (String, Long, Long)*): Seq[Long] = {
    val each: Trigger[Any] = CountTrigger.of(1)
    val out                = new Outputs(Kept.AsList)
    val spec               = OperatorRules[String, Contents](windows, each, 0L, Kept.AsList.contents)
    val operator           = new WindowOperator(spec, out)
    val blocks             = scala.collection.mutable.Map.empty[String, Array[Byte]]
    elements.map { case (key, at, clock) =>
      out.key = key
      operator.open(blocks.getOrElse(key, null))
      operator.setProcessingTime(clock)
      operator.processElement("x", at)
      blocks(key) = operator.close()
      val fired = out.take().fires
      assert(fired.size == 1, fired)
      fired.head.drop(key.length + 2).takeWhile(_ != ',').toLong
    }
  }

  test("a natural shift is that of the first element, for all keys and however the clock goes on") {
    val windows = TumblingEventTimeWindows.of(ofMillis(10), ofMillis(0), WindowStagger.Natural)
    val found   = starts(windows)(("a", 0, 23), ("b", 0, 27), ("a", 3, 48), ("c", 12, 99))
    assert(found == Seq(-7, -7, 3, 3))
  }

  test("each operator takes a natural shift of its own") {
    val windows = TumblingEventTimeWindows.of(ofMillis(10), ofMillis(0), WindowStagger.Natural)
    assert(starts(windows)(("a", 0, 23)) == Seq(-7))
    assert(starts(windows)(("a", 0, 26)) == Seq(-4))
  }

  property(
    "a random shift is the same for all keys and the whole run of an operator",
    Gen.zip(Gen.choose(1L, 1000L), Gen.listOf(Gen.zip(Gen.oneOf("a", "b", "c"), Gen.choose(-9000L, 9000L))))
  ) { case (size, elements) =>
    val events = elements.zipWithIndex.map { case ((key, at), i) => (key, at, i * 7L) }
    for {
      windows <- Seq(
        TumblingEventTimeWindows.of(ofMillis(size), ofMillis(0), WindowStagger.Random),
        TumblingEventTimeWindows.of(ofMillis(size), ofMillis(1 - size), WindowStagger.Random)
      )
    } {
      val found = starts(windows)(events: _*)
      assert(found.map(Math.floorMod(_, size)).distinct.size <= 1, found)
      found.zip(events).foreach { case (start, (_, at, _)) => assert(start <= at && at < start + size) }
    }
  }

  test("random shifts lie within the size, reach all of it and differ from operator to operator") {
    val drawn = Seq.fill(2000)(WindowStagger.Random.shift(0L, 4L))
    assert(drawn.toSet == Set(0L, 1L, 2L, 3L))
    val windows = TumblingEventTimeWindows.of(ofMillis(1000000007), ofMillis(0), WindowStagger.Random)
    assert(Seq.fill(5)(starts(windows)(("a", 0, 0))).distinct.size > 1)
  }

  property("a natural shift lies within the size", Gen.zip(Gen.choose(1L, 1000000L), Gen.choose(-9999999L, 9999999L))) {
    case (size, clock) =>
      val shift = WindowStagger.Natural.shift(clock, size)
      assert(shift >= 0 && shift < size)
      assert((clock - shift) % size == 0)
  }

  property(
    "the shift is added to the offset modulo the size",
    Gen.choose(1L, 50L).flatMap(s => Gen.zip(Gen.const(s), Gen.choose(1 - s, s - 1), Gen.choose(0L, s - 1)))
  ) { case (size, offset, clock) =>
    val natural = TumblingEventTimeWindows.of(ofMillis(size), ofMillis(offset), WindowStagger.Natural)
    val aligned = TumblingEventTimeWindows.of(ofMillis(size), ofMillis((offset + clock) % size))
    val times   = Seq(-100L, -1L, 0L, 1L, 77L)
    assert(starts(natural)(times.map(("a", _, clock)): _*) == starts(aligned)(times.map(("a", _, clock)): _*))
  }
}
