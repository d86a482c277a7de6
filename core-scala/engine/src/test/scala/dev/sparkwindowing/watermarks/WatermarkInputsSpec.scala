package dev.sparkwindowing.watermarks

import org.scalatest.funsuite.AnyFunSuite

import java.time.Duration

/** Generators and valve together. */
class WatermarkInputsSpec extends AnyFunSuite {

  test("the slowest input holds; marked idle it does not, until its next new watermark") {
    val in = new WatermarkInputs[Long](Vector.fill(2)(BoundedOutOfOrderness.of(Duration.ofMillis(2))))
    in.element(0, 10, 10)
    in.probe()
    assert(in.watermark == Long.MinValue)
    in.element(1, 5, 5)
    in.probe()
    assert(in.watermark == 2)
    in.idle(1)
    assert(in.watermark == 7)
    in.element(1, 9, 9) // 6 of its own: active again, but behind
    in.element(0, 20, 20)
    in.probe()
    assert(in.watermark == 17)
    in.element(1, 25, 25) // 22: caught up
    in.probe()
    in.element(0, 40, 40)
    in.probe()
    assert(in.watermark == 22)
  }

  test("an input that is marked active counts again once it has caught up, and the end is that of idle inputs too") {
    val in = new WatermarkInputs[Long](Vector.fill(3)(BoundedOutOfOrderness.of(Duration.ofMillis(2))))
    Seq(10L, 5L, 30L).zipWithIndex.foreach { case (time, input) => in.element(input, time, time) }
    in.probe()
    assert(in.watermark == 2)
    assert(in.idleInputs == Nil)
    in.idle(1)
    in.idle(0)
    assert(in.watermark == 27)
    assert(in.idleInputs == Seq(0, 1))
    in.active(1) // 2 of its own: behind, so it holds nothing
    assert(in.idleInputs == Seq(0))
    in.element(2, 40, 40)
    in.probe()
    assert(in.watermark == 37)
    in.element(1, 45, 45) // 42: caught up, and now the others wait for it
    in.probe()
    in.element(2, 90, 90)
    in.probe()
    assert(in.watermark == 42)
    in.end()
    assert(in.watermark == Long.MaxValue)
    assert(in.idleInputs == Nil)
  }

  test("an input that is active already is left as it is, and one that is ahead counts at once") {
    val in = new WatermarkInputs[Long](Vector.fill(2)(BoundedOutOfOrderness.of(Duration.ofMillis(2))))
    in.active(0)
    in.element(0, 50, 50)
    in.element(1, 10, 10)
    in.probe()
    in.idle(0)
    assert(in.watermark == 7)
    in.active(0) // 47 of its own, ahead: the minimum stays that of the other
    in.element(1, 90, 90)
    in.probe()
    assert(in.watermark == 47)
  }

  test("a punctuated input moves the watermark without a probe") {
    val in = new WatermarkInputs[Long](Vector(new Punctuated[Long]((e, _) => Some(e))))
    in.element(0, 4, 99)
    assert(in.watermark == 4)
  }
}
