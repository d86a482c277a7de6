package dev.sparkwindowing.operator

import dev.sparkwindowing.assigners.{
  CumulativeEventTimeWindows,
  SlidingEventTimeWindows,
  TumblingEventTimeWindows,
  WindowAssigner
}
import dev.sparkwindowing.codec.CorruptBlockException
import dev.sparkwindowing.testing.{Bag, BagContents, BagLines}
import dev.sparkwindowing.triggers.EventTimeTrigger
import org.scalatest.funsuite.AnyFunSuite

import java.time.Duration.ofMillis

/** Windows made of slices, as time lines. */
class SlicedOperatorSpec extends AnyFunSuite {

  private final class Line(windows: WindowAssigner[Any]) {
    val contents       = new BagContents
    val out            = new BagLines
    private def fresh  = new SlicedOperator[String, Bag](windows.slices.get, contents, out)
    private var latest = fresh
    latest.open(null)

    def operator: SlicedOperator[String, Bag] = latest

    def elements(all: (String, Long)*): Unit = all.foreach { case (e, at) => latest.processElement(e, at) }

    /** Output of an advance of the watermark. */
    def watermark(to: Long): Vector[String] = {
      latest.advanceWatermark(to, to)
      out.takeResults()
    }

    /** The key in the next micro-batch. */
    def reopen(): Unit = {
      val block = latest.close()
      val at    = latest.currentWatermark
      latest = fresh
      latest.open(block)
      latest.setWatermark(at)
    }
  }

  //  0        10        20        30        40
  //  [ a    b ][ c      ][        ][ d      ]
  private val sliding = SlidingEventTimeWindows.of(ofMillis(30), ofMillis(10))
  private def line()  = {
    val line = new Line(sliding)
    line.elements("d" -> 34, "a" -> 1, "c" -> 12, "b" -> 7)
    line
  }

  test("a window is what its slices hold") {
    val l = line()
    assert(l.watermark(8) == Nil)
    assert(l.watermark(9) == Seq("[-20, 10) a b"))
    assert(l.watermark(29) == Seq("[-10, 20) a b c", "[0, 30) a b c"))
    assert(l.watermark(1000) == Seq("[10, 40) c d", "[20, 50) d", "[30, 60) d"))
    assert(l.operator.isEmpty)
  }

  test("each window is cleaned up behind its firing") {
    val l = line()
    l.operator.advanceWatermark(19, 19)
    assert(l.out.take() == Seq("[-20, 10) a b", "cleared [-20, 10)", "[-10, 20) a b c", "cleared [-10, 20)"))
  }

  test("an element comes into the windows that have not fired, and is late when all have") {
    val l = line()
    assert(l.watermark(19).size == 2)
    l.elements("e" -> 3, "f" -> -1)
    assert(l.out.take() == Seq("late f [-10, 20)"))
    assert(l.watermark(29) == Seq("[0, 30) a b c e"))
    l.elements("g" -> 9, "h" -> 10)
    assert(l.out.take() == Seq("late g [0, 30)"))
    assert(l.watermark(49) == Seq("[10, 40) c d h", "[20, 50) d"))
  }

  test("windows without elements are stepped over, however many they are") {
    val l = new Line(SlidingEventTimeWindows.of(ofMillis(2), ofMillis(1)))
    l.elements("a" -> 0, "b" -> (1L << 50))
    assert(
      l.watermark(1L << 51) == Seq(
        "[-1, 1) a",
        "[0, 2) a",
        s"[${(1L << 50) - 1}, ${(1L << 50) + 1}) b",
        s"[${1L << 50}, ${(1L << 50) + 2}) b"
      )
    )
  }

  test("the end of the input fires all that is left") {
    val l = line()
    assert(l.watermark(Long.MaxValue).size == 6)
    assert(l.operator.isEmpty)
    l.elements("e" -> (1L << 60))
    assert(l.out.take().size == 1)
  }

  test("a size that is no multiple of the slide") {
    //  0    5    10   15   20   25
    //  [----- b --- c ---------)       with a at -3
    val l = new Line(SlidingEventTimeWindows.of(ofMillis(25), ofMillis(10)))
    l.elements("a" -> -3, "b" -> 6, "c" -> 14)
    assert(l.watermark(5) == Seq("[-20, 5) a"))
    assert(l.operator.windowCount == 3)
    assert(l.watermark(15) == Seq("[-10, 15) a b c"))
    assert(l.operator.windowCount == 2)
    assert(l.watermark(99) == Seq("[0, 25) b c", "[10, 35) c"))
  }

  test("cumulative windows: what has fired is one slice, and later elements of its time are beside it") {
    //  0    10   20   30   40
    //  [ a  )
    //  [ a    b )
    //  [ a    b   c )             with d at 3, e at 15, when the watermark is at 19
    //  [ ..           )
    val l = new Line(CumulativeEventTimeWindows.of(ofMillis(40), ofMillis(10)))
    l.elements("a" -> 1, "b" -> 12, "c" -> 25, "z" -> 41)
    assert(l.watermark(19) == Seq("[0, 10) a", "[0, 20) a b"))
    assert((l.operator.windowCount, l.operator.nextEventTimer) == ((3, 29L)))
    l.reopen()
    l.elements("d" -> 3, "e" -> 15)
    assert(l.operator.windowCount == 5)
    l.reopen()
    assert(l.watermark(29) == Seq("[0, 30) a b c d e"))
    assert(l.operator.windowCount == 2)
    assert(l.watermark(45) == Seq("[0, 40) a b c d e"))
    l.elements("f" -> 39, "g" -> 44)
    assert(l.out.take().contains("late f [0, 40)"))
    assert(l.watermark(59) == Seq("[40, 50) g z", "[40, 60) g z"))
    assert(l.watermark(1000) == Seq("[40, 70) g z", "[40, 80) g z") && l.operator.isEmpty)
  }

  test("a tumbling window is its slice") {
    val l = new Line(TumblingEventTimeWindows.of(ofMillis(10), ofMillis(3)))
    l.elements("a" -> 1, "b" -> 3, "c" -> 12)
    assert(l.watermark(2) == Seq("[-7, 3) a"))
    l.elements("d" -> 2, "e" -> 4)
    assert(l.out.take() == Seq("late d [-7, 3)"))
    assert(l.watermark(12) == Seq("[3, 13) b c e"))
  }

  test("a key remembers its slices and one timer") {
    val l = line()
    assert((l.operator.windowCount, l.operator.eventTimerCount, l.operator.nextEventTimer) == ((3, 1, 9L)))
    l.watermark(29)
    assert((l.operator.windowCount, l.operator.eventTimerCount, l.operator.nextEventTimer) == ((2, 1, 39L)))
    l.watermark(59)
    assert((l.operator.windowCount, l.operator.eventTimerCount) == ((0, 0)))
    assert(l.operator.nextEventTimer == StateCell.NoTimer)
    assert((l.operator.processingTimerCount, l.operator.nextProcessingTimer) == ((0, StateCell.NoTimer)))
  }

  test("late elements and watermarks that fire nothing change nothing") {
    val l = line()
    l.watermark(19)
    l.reopen()
    l.elements("e" -> -20)
    l.watermark(28)
    assert(!l.operator.hasChanged)
    l.watermark(29)
    assert(l.operator.hasChanged)
  }

  test("slices that nobody added to are copied as bytes, also those that fired") {
    val l = line()
    l.reopen()
    assert(l.contents.writes == 3)
    l.elements("e" -> 13)
    l.reopen()
    assert((l.contents.reads, l.contents.writes) == ((1, 4)))
    assert(l.watermark(20) == Seq("[-20, 10) a b", "[-10, 20) a b c e"))
    l.reopen()
    assert((l.contents.reads, l.contents.writes) == ((3, 4)))
    assert(l.watermark(1000) == Seq("[0, 30) a b c e", "[10, 40) c d e", "[20, 50) d", "[30, 60) d"))
  }

  test("an element without a timestamp is refused as by the assigners") {
    val e = intercept[IllegalStateException](line().elements("x" -> Long.MinValue))
    assert(e.getMessage.contains("an element without a timestamp (Long.MinValue) came to an event-time window"))
  }

  test("the state of an operator that keeps windows is refused") {
    val contents = new BagContents
    val windows  = new WindowOperator(
      OperatorRules[String, Bag](sliding, EventTimeTrigger.create(), 0L, contents),
      new BagLines
    )
    windows.open(null)
    windows.processElement("a", 1)
    val e = intercept[CorruptBlockException](line().operator.open(windows.close()))
    assert(e.getMessage.contains("it holds windows, and this query keeps slices"))
  }
}
