package dev.sparkwindowing.operator

import dev.sparkwindowing.windows.TimeWindow
import org.scalatest.funsuite.AnyFunSuite

/** Of the firings of a window in one step with equal contents only the last is kept. */
class RepeatedFiringsSpec extends AnyFunSuite {
  import PaneTiming.{Early, Late, OnTime}

  private val window = TimeWindow(0, 10)

  // Firings of one step: timing, and whether the contents are those of the firing before. Which each repeats, and its
  // timing then.
  private def kept(firings: (PaneTiming, Boolean)*): Seq[(Int, PaneTiming)] = {
    val repeats = new RepeatedFirings
    firings.zipWithIndex.map { case ((timing, isRepeat), i) =>
      val pane = new PaneInfo
      pane.timing = timing
      pane.isRepeat = isRepeat
      repeats.repeated(window, pane, i) -> pane.timing
    }
  }

  test("a repeat of the firing on time takes its place and its timing") {
    assert(kept(OnTime -> false, Late -> true) == Seq(-1 -> OnTime, 0 -> OnTime))
    assert(kept(OnTime -> false, Late -> true, Late -> true) == Seq(-1 -> OnTime, 0 -> OnTime, 1 -> OnTime))
  }

  test("a repeat of another firing keeps its own timing") {
    assert(kept(Early -> false, OnTime -> true) == Seq(-1 -> Early, 0 -> OnTime))
    assert(kept(Early -> false, Early -> true) == Seq(-1 -> Early, 0 -> Early))
  }

  test("other contents repeat nothing, nor does the first firing of a step") {
    assert(kept(OnTime -> false, Late -> false) == Seq(-1 -> OnTime, -1 -> Late))
    assert(kept(Late -> true) == Seq(-1 -> Late))
  }
}
