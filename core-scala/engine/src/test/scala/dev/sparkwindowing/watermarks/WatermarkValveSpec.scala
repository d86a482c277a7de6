package dev.sparkwindowing.watermarks

import org.scalatest.funsuite.AnyFunSuite

/** Time lines of several inputs. */
class WatermarkValveSpec extends AnyFunSuite {

  private final class Inputs(count: Int) {
    private[this] val heard               = new Heard
    private[this] val valve               = new WatermarkValve(count, heard)
    private def after(u: => Unit): String = {
      u
      heard.take()
    }
    def watermark(input: Int, time: Long): String = after(valve.inputWatermark(input, time))
    def idle(input: Int): String                  = after(valve.inputIdle(input))
    def active(input: Int): String                = after(valve.inputActive(input))
    def now: Long                                 = valve.watermark
  }

  test("the least of the inputs, from when each has sent one") {
    val in = new Inputs(2)
    assert(in.watermark(0, 10) == "")
    assert(in.now == Long.MinValue)
    assert(in.watermark(1, 7) == "7")
    assert(in.watermark(1, 12) == "10")
    assert(in.watermark(0, 11) == "11")
    assert(in.now == 11)
  }

  test("a lower or equal watermark of an input is ignored") {
    val in = new Inputs(1)
    assert(in.watermark(0, 10) == "10")
    assert(in.watermark(0, 10) + in.watermark(0, 9) == "")
  }

  test("an input that goes idle leaves the minimum") {
    val in = new Inputs(2)
    in.watermark(0, 10)
    in.watermark(1, 7)
    assert(in.idle(1) == "10")
    assert(in.watermark(1, 30) == "") // of an idle input: ignored
    assert(in.watermark(0, 11) == "11")
  }

  test("the last active input goes idle: the greatest of all, if its own was the result, then the idleness") {
    val in = new Inputs(3)
    in.watermark(0, 10)
    in.watermark(1, 20)
    assert(in.watermark(2, 15) == "10")
    assert(in.idle(1) == "")
    assert(in.idle(2) == "")
    assert(in.idle(0) == "20 idle")
    assert(in.idle(0) == "")
    assert(in.active(0) == "active")
    assert(in.watermark(0, 20) == "")
    assert(in.watermark(0, 21) == "21")
  }

  test("the last active input goes idle behind the result: nothing but the idleness") {
    val in = new Inputs(3)
    in.watermark(0, 10)
    in.watermark(1, 30)
    assert(in.watermark(2, 20) == "10")
    assert(in.idle(1) == "")
    assert(in.idle(0) == "20")
    assert(in.active(0) == "")
    assert(in.idle(2) == "") // the other has not caught up
    assert(in.now == 20)
    assert(in.idle(0) == "idle")
  }

  test("an input back from idleness counts again when it has caught up") {
    val in = new Inputs(2)
    in.watermark(0, 10)
    in.watermark(1, 5)
    in.idle(1)
    in.watermark(0, 20)
    assert(in.active(1) == "")
    assert(in.watermark(1, 12) == "") // behind: does not hold the other back
    assert(in.watermark(0, 25) == "25")
    assert(in.watermark(1, 25) == "") // caught up: from now on it holds
    assert(in.watermark(0, 40) == "")
    assert(in.watermark(1, 30) == "30")
  }

  test("an input that was ahead when it went idle counts again at once") {
    val in = new Inputs(2)
    in.watermark(0, 10)
    in.watermark(1, 50)
    in.idle(1)
    in.active(1)
    assert(in.watermark(0, 60) == "50")
  }
}
