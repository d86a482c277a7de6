package dev.sparkwindowing.operator

import dev.sparkwindowing.assigners.{CumulativeEventTimeWindows, SlidingEventTimeWindows, WindowAssigner}
import dev.sparkwindowing.testing.{Bag, BagContents, BagLines}
import org.scalatest.funsuite.AnyFunSuite

import java.time.Duration.ofMillis

/** Counts merges and copies of slice contents; slides are 10 long. */
class SliceMergesSpec extends AnyFunSuite {

  private final class Counted(windows: WindowAssigner[Any]) {
    def this(size: Long) = this(SlidingEventTimeWindows.of(ofMillis(size), ofMillis(10)))
    val contents = new BagContents
    val out      = new BagLines
    val operator = new SlicedOperator[String, Bag](
      windows.slices.get,
      contents,
      out
    )
    operator.open(null)

    /** The key in the next micro-batch. */
    def reopen(): Unit = operator.open(operator.close())

    /** The windows that fire up to `watermark`, and the merges and copies that it takes. */
    def fire(watermark: Long): (Int, Int, Int) = {
      val (merges, copies) = (contents.merges, contents.copies)
      operator.advanceWatermark(watermark, watermark)
      (out.takeResults().size, contents.merges - merges, contents.copies - copies)
    }
  }

  for (slides <- Seq(1, 2, 6, 60, 600)) test(s"a slice is merged a few times in a window of $slides slides") {
    val slices = 2000
    val all    = new Counted(slides * 10L)
    (0 until slices).foreach(i => all.operator.processElement(i.toString, i * 10L))
    val (fired, merges, copies) = all.fire(Long.MaxValue)
    assert(fired == slices + slides - 1)
    assert(merges <= 2 * slices + fired)
    assert(copies == 0)
  }

  test("two slices a slide") {
    val slices = 2000
    val all    = new Counted(605L)
    (0 until slices).foreach(i => all.operator.processElement(i.toString, i * 5L))
    val (fired, merges, copies) = all.fire(Long.MaxValue)
    assert(fired == 1060)
    assert(merges <= 2 * slices + fired)
    assert(copies == 0)
  }

  test("of windows that fire in several calls, each call merges the slices of one window and a few for each window") {
    val all = new Counted(600L)
    (0 until 2000).foreach(i => all.operator.processElement(i.toString, i * 10L))
    all.fire(999)
    for (windows <- Seq(1, 2, 5, 30, 60, 200)) {
      val (fired, merges, copies) = all.fire(all.operator.currentWatermark + windows * 10)
      assert(fired == windows)
      assert(merges <= 59 + 3 * (windows - 1), windows)
      assert(copies <= 1 + windows / 60, windows)
    }
  }

  test("a window that fires alone is merged without a copy") {
    val all = new Counted(600L)
    (0 until 100).foreach(i => all.operator.processElement(i.toString, i * 10L))
    all.fire(599)
    assert(all.fire(609) == ((1, 59, 0)))
  }

  test("a window of one slice is that slice: neither merged nor copied, by whatever windows it fires") {
    val sparse = new Counted(600L)
    sparse.operator.processElement("a", 0)
    sparse.operator.processElement("b", 600)
    sparse.operator.processElement("c", 5000)
    assert(sparse.fire(309) == ((31, 0, 0)))
    assert(sparse.fire(10000) == ((149, 0, 0)))
  }

  private def cumulative(steps: Int) =
    new Counted(CumulativeEventTimeWindows.of(ofMillis(steps * 10L), ofMillis(10)))

  test("cumulative windows: all firings of a period merge each slice once, without a copy") {
    val all = cumulative(600)
    (0 until 1200).foreach(i => all.operator.processElement(i.toString, i * 10L))
    assert(all.fire(5999) == ((600, 599, 0)))
    assert(all.fire(Long.MaxValue) == ((600, 599, 0)))
  }

  test("cumulative windows: also if each fires in a micro-batch of its own, with elements of the past between") {
    val all = cumulative(600)
    (0 until 600).foreach(i => all.operator.processElement(i.toString, i * 10L))
    for (i <- 0 until 599) {
      val (fired, merges, copies) = all.fire(i * 10L + 9)
      assert((fired, merges, copies) == ((1, if (i == 0) 0 else if (i % 5 == 1 && i > 1) 2 else 1, 0)), i)
      if (i % 5 == 0 && i > 0) all.operator.processElement("late", (i - 1) * 10L)
      if (i % 100 == 50) all.reopen()
      assert(all.operator.windowCount == 600 - i + (if (i % 5 == 0 && i > 0) 1 else 0) - 0, i)
    }
    assert(all.fire(Long.MaxValue)._1 == 1 && all.operator.isEmpty)
  }

  test("windows of the same slices are merged once") {
    val sparse = new Counted(600L)
    sparse.operator.processElement("a", 0)
    sparse.operator.processElement("b", 100)
    val (fired, merges, copies) = sparse.fire(10000)
    assert(fired == 70)
    assert((merges, copies) == ((1, 0)))
  }
}
