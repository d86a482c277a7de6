package dev.sparkwindowing.assigners

import dev.sparkwindowing.testing.Properties
import dev.sparkwindowing.windows.{GlobalWindow, TimeWindow, Window, WindowCollector}
import org.scalacheck.Gen

import java.time.Duration.ofMillis

/** Compares the windows of an element with the definition: all on the grid that contain its timestamp. */
class WindowArithmeticSpec extends Properties {

  private def windows(assigner: WindowAssigner[Any], timestamp: Long, clock: Long): Seq[Window] = {
    val collector = new WindowCollector
    assigner.assignWindows("", timestamp, clock, collector)
    (0 until collector.size).map(collector.window)
  }

  private def grid(length: Gen[Long]): Gen[(Long, Long)] =
    for {
      every  <- length
      offset <- Gen.choose(-every + 1, every - 1)
    } yield every -> offset

  private val timestamp = Gen.frequency(3 -> Gen.choose(-200L, 200L), 1 -> Gen.choose(-(1L << 50), 1L << 50))
  private val tumbling  = Gen.zip(timestamp, grid(Gen.choose(1L, 60L)))
  private val sliding   = Gen.zip(timestamp, Gen.choose(1L, 60L), grid(Gen.choose(1L, 60L)))

  property("a tumbling window lies on its grid and contains the timestamp", tumbling, 1000) {
    case (t, (size, offset)) =>
      windows(TumblingEventTimeWindows.of(ofMillis(size), ofMillis(offset)), t, 0) match {
        case Seq(TimeWindow(start, end)) =>
          assert(start <= t && t < end && end - start == size)
          assert(Math.floorMod(start - offset, size) == 0L)
        case other => fail(s"not one window: $other")
      }
  }

  property("a tumbling window of the clock is that of event time at the clock", tumbling) { case (t, (size, offset)) =>
    val byClock = windows(TumblingProcessingTimeWindows.of(ofMillis(size), ofMillis(offset)), Long.MinValue, t)
    assert(byClock == windows(TumblingEventTimeWindows.of(ofMillis(size), ofMillis(offset)), t, 0))
  }

  property("sliding windows are all on the grid that contain the timestamp, newest first", sliding, 1000) {
    case (t, size, (slide, offset)) =>
      val starts = (t to t - size + 1 by -1).filter(s => Math.floorMod(s - offset, slide) == 0L)
      val got    = windows(SlidingEventTimeWindows.of(ofMillis(size), ofMillis(slide), ofMillis(offset)), t, 0)
      assert(got == starts.map(s => TimeWindow(s, s + size)))
  }

  private val cumulative =
    Gen.zip(timestamp, Gen.choose(1L, 20L), Gen.choose(1L, 9L)).flatMap { case (t, step, steps) =>
      Gen.zip(Gen.const(t), Gen.const(step), Gen.const(steps), Gen.choose(1 - step * steps, step * steps - 1))
    }

  property(
    "cumulative windows are all prefixes of a period that contain the timestamp, longest first",
    cumulative,
    1000
  ) { case (t, step, steps, offset) =>
    val start = (t to t - step * steps + 1 by -1).find(s => Math.floorMod(s - offset, step * steps) == 0L).get
    val ends  = (steps to 1L by -1).map(k => start + k * step).filter(_ > t)
    val size  = ofMillis(step * steps)
    val got   = windows(CumulativeEventTimeWindows.of(size, ofMillis(step), ofMillis(offset)), t, 0)
    assert(got == ends.map(TimeWindow(start, _)))
    if (steps == 1) assert(got == windows(TumblingEventTimeWindows.of(size, ofMillis(offset)), t, 0))
  }

  property("sliding by the size is tumbling", tumbling) { case (t, (size, offset)) =>
    val s = SlidingEventTimeWindows.of(ofMillis(size), ofMillis(size), ofMillis(offset))
    assert(windows(s, t, 0) == windows(TumblingEventTimeWindows.of(ofMillis(size), ofMillis(offset)), t, 0))
  }

  test("the smallest of all offsets is refused, although it has no absolute value") {
    val least    = ofMillis(Long.MinValue)
    val tumbling = intercept[IllegalArgumentException](TumblingEventTimeWindows.of(ofMillis(10), least))
    val clock    = intercept[IllegalArgumentException](TumblingProcessingTimeWindows.of(ofMillis(10), least))
    val sliding  = intercept[IllegalArgumentException](SlidingEventTimeWindows.of(ofMillis(10), ofMillis(5), least))
    for (e <- Seq(tumbling, clock)) assert(e.getMessage.contains("abs(offset) < size, got size = 10 ms"))
    assert(sliding.getMessage.contains("abs(offset) < slide, got size = 10 ms, slide = 5 ms"))
  }

  test("a session element opens a window of one gap, the global assigner the global window") {
    assert(windows(EventTimeSessionWindows.withGap(ofMillis(10)), -3, 99) == Seq(TimeWindow(-3, 7)))
    assert(windows(GlobalWindows.create(), Long.MinValue, 99) == Seq(GlobalWindow))
  }

  test("the last millisecond is one before the end, and that of the global window the largest time") {
    assert(TimeWindow(-10, 0).maxTimestamp == -1)
    assert(GlobalWindow.maxTimestamp == Long.MaxValue)
  }

  private val window = Gen.zip(Gen.choose(-20L, 20L), Gen.choose(1L, 10L)).map { case (s, l) => TimeWindow(s, s + l) }

  property("windows intersect iff they share a point, ends included", Gen.zip(window, window), 500) { case (a, b) =>
    val shared = (a.start to a.end).toSet.intersect((b.start to b.end).toSet).nonEmpty
    assert(a.intersects(b) == shared)
    assert(b.intersects(a) == shared)
  }

  property("the cover is the smallest window that contains both", Gen.zip(window, window)) { case (a, b) =>
    val c = a.cover(b)
    assert(c == b.cover(a))
    assert(Set(a.start, b.start)(c.start) && Set(a.end, b.end)(c.end))
    assert(c.start <= math.min(a.start, b.start) && c.end >= math.max(a.end, b.end))
  }
}
