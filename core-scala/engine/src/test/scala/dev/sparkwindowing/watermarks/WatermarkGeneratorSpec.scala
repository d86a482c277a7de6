package dev.sparkwindowing.watermarks

import org.scalatest.funsuite.AnyFunSuite

import java.time.Duration

/** Time lines of one input: elements and probes in, watermarks and idleness out. */
class WatermarkGeneratorSpec extends AnyFunSuite {

  private final class Input(make: (() => Long) => WatermarkGenerator[Long]) {
    private[this] var now       = 0L
    private[this] val heard     = new Heard
    private[this] val out       = new RisingWatermarks(heard)
    private[this] val generator = make(() => now)

    /** Elements are their own event times. */
    def element(timestamp: Long): String = {
      generator.onEvent(timestamp, timestamp, out)
      heard.take()
    }

    def probe(at: Long): String = {
      now = at
      generator.onPeriodicEmit(out)
      heard.take()
    }
  }

  test("bounded out-of-orderness: nothing before an element, then highest - d - 1 at each probe, if that is new") {
    val in = new Input(_ => BoundedOutOfOrderness.of(Duration.ofMillis(5)))
    assert(in.probe(0) == "")
    assert(in.element(20) == "")
    assert(in.probe(200) == "14")
    assert(in.element(18) == "")
    assert(in.probe(400) == "")
    assert(in.element(30) + in.element(25) == "")
    assert(in.probe(600) == "24")
  }

  test("monotonous: the highest less 1 ms") {
    val in = new Input(_ => BoundedOutOfOrderness.monotonous())
    in.element(0)
    assert(in.probe(1) == "-1")
    in.element(7)
    assert(in.probe(2) == "6")
  }

  test("times near the beginning of time do not wrap around") {
    val in = new Input(_ => BoundedOutOfOrderness.of(Duration.ofMillis(5)))
    in.element(Long.MinValue)
    assert(in.probe(0) == "")
    in.element(Long.MinValue + 5)
    assert(in.probe(1) == "")
    in.element(Long.MinValue + 7)
    assert(in.probe(2) == (Long.MinValue + 1).toString)
  }

  test("punctuated: with the element, not at probes, and never backwards") {
    val in = new Input(_ => new Punctuated[Long]((e, _) => if (e % 10 == 0) Some(e) else None))
    assert(in.element(7) == "")
    assert(in.element(20) == "20")
    assert(in.element(10) == "")
    assert(in.probe(5) == "")
    assert(in.element(30) == "30")
  }

  test("none: never") {
    val in = new Input(_ => NoWatermarks)
    assert(in.element(7) + in.probe(1000) == "")
  }

  test("idleness: the first quiet probe starts the count, and more than the timeout must pass") {
    //  element 100    probe 10   20 (starts)   70   71 (51 later)  72
    val in = new Input(Idleness.of(BoundedOutOfOrderness.monotonous(), Duration.ofMillis(50), _))
    in.element(100)
    assert(in.probe(10) == "99")
    assert(in.probe(20) == "")
    assert(in.probe(70) == "")
    assert(in.probe(71) == "idle")
    assert(in.probe(72) == "") // announced once
  }

  test("idleness: an element without a new watermark starts the count anew but does not make the input active") {
    val in = new Input(Idleness.of(BoundedOutOfOrderness.monotonous(), Duration.ofMillis(50), _))
    in.element(100)
    in.probe(10)
    in.probe(20)
    assert(in.probe(71) == "idle")
    assert(in.element(40) == "")
    assert(in.probe(80) == "")
    assert(in.probe(90) == "")
    assert(in.probe(141) == "") // idle still, and said so
    assert(in.element(101) == "")
    assert(in.probe(150) == "active 100")
  }

  test("idleness: an input that never had an element goes idle too, also at the time 0") {
    val in = new Input(Idleness.of(NoWatermarks, Duration.ofMillis(50), _))
    assert(in.probe(0) == "")
    assert(in.probe(50) == "")
    assert(in.probe(51) == "idle")
  }

  test("ahead of the clock: the watermark follows no element further than clock and allowance") {
    val in = new Input(AheadOfClock.of(BoundedOutOfOrderness.of(Duration.ofMillis(5)), Duration.ofMillis(100), _))
    in.probe(1000)
    in.element(1050)
    assert(in.probe(1000) == "1044")
    in.element(999999)
    assert(in.probe(1001) == "1094") // 1000 + 100 - 5 - 1: the processing time when the element arrived
    in.element(999999)
    assert(in.probe(1002) == "1095")
  }

  test("ahead of the clock: a punctuated watermark too") {
    val in = new Input(AheadOfClock.of(new Punctuated[Long]((e, _) => Some(e)), Duration.ofMillis(100), _))
    in.probe(1000)
    assert(in.element(1040) == "1040")
    assert(in.element(5000) == "1100")
    assert(in.element(6000) == "")
    in.probe(1001)
    assert(in.element(Long.MaxValue) == "1101")
  }

  test("ahead of the clock: the longest allowance is none") {
    val in = new Input(AheadOfClock.of(new Punctuated[Long]((e, _) => Some(e)), Duration.ofMillis(Long.MaxValue), _))
    in.probe(1000)
    assert(in.element(Long.MaxValue - 1) == (Long.MaxValue - 1).toString)
  }

  private def refused(body: => Any): String = intercept[IllegalArgumentException](body).getMessage

  test("arguments: no negative out-of-orderness, no idle timeout of nothing, no negative allowance") {
    val clock = () => 0L
    assert(
      refused(BoundedOutOfOrderness.of(Duration.ofMillis(-1))) == "out-of-orderness must not be negative, got -1 ms"
    )
    assert(refused(Idleness.of(NoWatermarks, Duration.ZERO, clock)) == "idle timeout must be positive, got 0 ms")
    assert(
      refused(Idleness.of(NoWatermarks, Duration.ofSeconds(-1), clock)) == "idle timeout must be positive, got -1 s"
    )
    assert(
      refused(AheadOfClock.of(NoWatermarks, Duration.ofSeconds(-1), clock)) ==
        "max ahead of clock must not be negative, got -1 s"
    )
    assert(refused(new WatermarkValve(0, new Heard)) == "inputs must be at least 1, got 0")
    intercept[NullPointerException](BoundedOutOfOrderness.of(null))
  }
}
