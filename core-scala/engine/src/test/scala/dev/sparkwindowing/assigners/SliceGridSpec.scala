package dev.sparkwindowing.assigners

import dev.sparkwindowing.testing.Properties
import dev.sparkwindowing.windows.{SliceGrid, TimeWindow, Window, WindowCollector}
import org.scalacheck.Gen

import java.time.Duration.ofMillis

/** Slices against what the assigners say of windows: all times of a slice have the same, and no slice is cut in vain.
  */
class SliceGridSpec extends Properties {

  private val sizes =
    for {
      size   <- Gen.choose(1L, 60L)
      slide  <- Gen.choose(1L, size)
      offset <- Gen.choose(-slide + 1, slide - 1)
    } yield SlidingEventTimeWindows.of(ofMillis(size), ofMillis(slide), ofMillis(offset))

  private val cumulative =
    for {
      step   <- Gen.choose(1L, 20L)
      steps  <- Gen.choose(1L, 9L)
      offset <- Gen.choose(-step * steps + 1, step * steps - 1)
    } yield CumulativeEventTimeWindows.of(ofMillis(step * steps), ofMillis(step), ofMillis(offset))

  private val time  = Gen.frequency(3 -> Gen.choose(-200L, 200L), 1 -> Gen.choose(-(1L << 50), 1L << 50))
  private val cases = Gen.zip(Gen.oneOf[WindowAssigner[Any]](sizes, cumulative), time)

  private def windows(assigner: WindowAssigner[Any], time: Long): Seq[Window] = {
    val collector = new WindowCollector
    assigner.assignWindows("", time, 0, collector)
    (0 until collector.size).map(collector.window)
  }

  private def grid(assigner: WindowAssigner[Any]): SliceGrid = assigner.slices.getOrElse(fail(s"$assigner"))

  private def slices(grid: SliceGrid, from: Long, until: Long): Seq[String] =
    Iterator
      .iterate(grid.sliceStart(from))(grid.sliceEnd)
      .takeWhile(_ < until)
      .map(s => s"[$s, ${grid.sliceEnd(s)})")
      .toSeq

  test("windows are cut where one starts") {
    //  0        10        20        30
    //  [------------------)
    //           [------------------)
    val windows = SlidingEventTimeWindows.of(ofMillis(20), ofMillis(10))
    assert(slices(grid(windows), 0, 30) == Seq("[0, 10)", "[10, 20)", "[20, 30)"))
  }

  test("windows are cut where one starts and where one ends") {
    // -2    3    8    13   18   23   28
    //  [------------------------)
    //            [------------------------)
    val windows = SlidingEventTimeWindows.of(ofMillis(25), ofMillis(10), ofMillis(-2))
    assert(slices(grid(windows), -2, 18) == Seq("[-2, 3)", "[3, 8)", "[8, 13)", "[13, 18)"))
    assert(slices(grid(windows), -15, -2) == Seq("[-17, -12)", "[-12, -7)", "[-7, -2)"))
  }

  test("cumulative windows are cut where one ends") {
    //  0         10        20        30        40        50        60
    //  [---------)                             [---------)
    //  [-------------------)                   [-------------------)
    //  [-----------------------------)
    //  [---------------------------------------)
    val windows = CumulativeEventTimeWindows.of(ofMillis(40), ofMillis(10))
    val g       = grid(windows)
    assert(slices(g, 0, 60) == Seq("[0, 10)", "[10, 20)", "[20, 30)", "[30, 40)", "[40, 50)", "[50, 60)"))
    assert(g.overlaps && g.isCumulative)
    assert(!grid(CumulativeEventTimeWindows.of(ofMillis(10), ofMillis(10))).overlaps)
  }

  test("a tumbling window is a slice") {
    val day = TumblingEventTimeWindows.of(ofMillis(24), ofMillis(-8))
    assert(slices(grid(day), -10, 30) == Seq("[-32, -8)", "[-8, 16)", "[16, 40)"))
  }

  property("a time is in its slice, and the start of a slice in that slice", cases, 1000) { case (w, t) =>
    val g     = grid(w)
    val start = g.sliceStart(t)
    val end   = g.sliceEnd(t)
    assert(start <= t && t < end)
    assert((g.sliceStart(start), g.sliceEnd(start)) == ((start, end)))
    assert((g.sliceStart(end - 1), g.sliceStart(end)) == ((start, end)))
  }

  property("all times of a slice have the same windows, those of the slices beside it others", cases, 1000) {
    case (w, t) =>
      val g     = grid(w)
      val start = g.sliceStart(t)
      val end   = g.sliceEnd(t)
      val same  = windows(w, t)
      for (other <- start until end) assert(windows(w, other) == same, s"at $other")
      assert(windows(w, start - 1) != same && windows(w, end) != same)
      assert(same.forall { case TimeWindow(s, e) => s <= start && end <= e; case _ => false })
  }

  property("the ends of the first and the last window of a time", cases, 1000) { case (w, t) =>
    val g    = grid(w)
    val ends = windows(w, t).map(_.maxTimestamp + 1)
    assert((g.oldestEnd(t), g.newestEnd(t)) == ((ends.last, ends.head)))
    assert(TimeWindow(g.windowStart(g.newestEnd(t)), g.newestEnd(t)) == windows(w, t).head)
    assert(g.lastEndUpTo(t) <= t && g.nextEnd(g.lastEndUpTo(t)) == g.oldestEnd(t))
    assert(g.lastEndUpTo(g.oldestEnd(t)) == g.oldestEnd(t))
    windows(w, t).foreach {
      case TimeWindow(start, end) =>
        assert(g.windowStart(end) == start)
        assert(g.nextStart(end) == g.windowStart(g.nextEnd(end)))
      case other => fail(s"$other")
    }
  }

  test("only windows of event time without gaps on a known grid have slices") {
    val natural = TumblingEventTimeWindows.of(ofMillis(10), ofMillis(3), WindowStagger.Natural)
    val none    = Seq[WindowAssigner[Any]](
      natural,
      SlidingEventTimeWindows.of(ofMillis(10), ofMillis(11)),
      TumblingProcessingTimeWindows.of(ofMillis(10)),
      SlidingProcessingTimeWindows.of(ofMillis(10), ofMillis(5)),
      EventTimeSessionWindows.withGap(ofMillis(10)),
      GlobalWindows.create()
    )
    none.foreach(w => assert(w.slices.isEmpty, w))
    assert(slices(grid(natural.shifted(4)), 7, 17) == Seq("[7, 17)"))
  }

  test("a time whose windows have no bounds is an error, not a wrong slice") {
    val g = grid(SlidingEventTimeWindows.of(ofMillis(25), ofMillis(10), ofMillis(-2)))
    intercept[ArithmeticException](g.oldestEnd(Long.MinValue + 20))
    intercept[ArithmeticException](g.newestEnd(Long.MaxValue - 5))
    intercept[ArithmeticException](g.sliceStart(Long.MinValue + 1))
  }
}
