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

  test("a punctuated input moves the watermark without a probe") {
    val in = new WatermarkInputs[Long](Vector(new Punctuated[Long]((e, _) => Some(e))))
    in.element(0, 4, 99)
    assert(in.watermark == 4)
  }
}
