package dev.sparkwindowing.watermarks

import org.scalacheck.Gen
import org.scalatest.funsuite.AnyFunSuite
import org.scalatestplus.scalacheck.ScalaCheckPropertyChecks

/** Time lines of an input that is polled, and may have nothing new. Timeout 1000, delay 50, so a step is 100. */
class QuietInputSpec extends AnyFunSuite with ScalaCheckPropertyChecks {

  private final class Polled(bounded: Boolean = true) {
    private[this] val input            = new QuietInput(1000, 50, bounded)
    var watermark: Option[Long]        = None
    var others: Option[Long]           = None
    def found(now: Long): Option[Long] = input.poll(now, foundNothing = false, watermark, others)
    def quiet(now: Long): Option[Long] = input.poll(now, foundNothing = true, watermark, others)
  }

  test("the watermark rises as the clock does, a step at a time, once the input was quiet for the timeout") {
    val in = new Polled(bounded = false)
    in.watermark = Some(5000)
    assert(in.found(10000).isEmpty)
    assert(in.quiet(10100).isEmpty) // quiet since 10000
    assert(in.quiet(11000).isEmpty) // known up to 10100
    assert(in.quiet(11001) == Some(6000L))
    assert(in.quiet(11050).isEmpty) // by 1 ms: less than a step
    assert(in.quiet(11200).isEmpty)
    assert(in.quiet(11300) == Some(6200L))
  }

  test("it claims quiet time up to the last poll that is known to have found nothing, not up to now") {
    val in = new Polled(bounded = false)
    in.watermark = Some(5000)
    in.found(10000)
    assert(in.quiet(90000).isEmpty)
    assert(in.quiet(90001) == Some(85000L))
  }

  test("bounded by the clock it stays behind it by timeout and delay") {
    val in = new Polled()
    in.watermark = Some(9950) // rows at the time of the clock
    in.found(10000)
    in.quiet(10001)
    assert(in.quiet(11200).isEmpty)
    assert(in.quiet(11201) == Some(10150L))
    in.watermark = Some(20000) // rows from the future
    in.found(11300)
    in.quiet(11301)
    assert(in.quiet(20000).isEmpty)
    assert(in.quiet(20001).isEmpty)
    in.quiet(21151)
    assert(in.quiet(21152) == Some(20101L))
  }

  test("a poll that finds something ends the quiet time") {
    val in = new Polled(bounded = false)
    in.watermark = Some(5000)
    in.found(10000)
    in.quiet(10900)
    in.found(11000)
    assert(in.quiet(11800).isEmpty)
    assert(in.quiet(11999).isEmpty)
    assert(in.quiet(12001).isEmpty)
    assert(in.quiet(12002) == Some(6001L))
  }

  test("a backlog that is read more slowly than the timeout is not quiet") {
    val in = new Polled(bounded = false)
    in.watermark = Some(5000)
    assert((1 to 20).forall(i => in.found(10000L + i * 5000).isEmpty))
  }

  test("a watermark of its own making does not make it rise faster") {
    val in = new Polled(bounded = false)
    in.watermark = Some(5000)
    in.found(10000)
    in.quiet(11000)
    assert(in.quiet(11001) == Some(6000L))
    in.watermark = Some(6000) // seen some time after
    assert(in.quiet(11900).isEmpty)
    assert(in.quiet(12000) == Some(6900L))
  }

  test("without a watermark nothing rises, unless the other inputs have one") {
    val in = new Polled()
    in.found(10000)
    in.quiet(12000)
    assert(in.quiet(14000).isEmpty)
    in.others = Some(11000)
    assert(in.quiet(14001) == Some(11000L))
    in.others = Some(13900)
    assert(in.quiet(14002) == Some(12951L))
    val free = new Polled(bounded = false)
    free.others = Some(99000)
    free.found(10000)
    free.quiet(12000)
    assert(free.quiet(12001) == Some(99000L))
  }

  test("a clock that goes back starts the count anew") {
    val in = new Polled(bounded = false)
    in.watermark = Some(5000)
    in.found(10000)
    in.quiet(10999)
    assert(in.quiet(8000).isEmpty)
    assert(in.quiet(9000).isEmpty)
    assert(in.quiet(9001) == Some(6000L))
  }

  test("a step is a tenth of the timeout, from 100 ms to 10 s") {
    def step(timeout: Long) = new QuietInput(timeout, 0, true).step
    assert(Seq(1L, 999L, 5000L, 60000L, 3600000L).map(step) == Seq(100, 100, 500, 6000, 10000))
  }

  test("any polls: it rises only after the timeout, never further than the idle time or the bound, and never back") {
    val poll = for {
      after     <- Gen.choose(0L, 700L)
      isQuiet   <- Gen.frequency(9 -> true, 1 -> false)
      watermark <- Gen.choose(0L, 300L)
    } yield (after, isQuiet, watermark)
    forAll(Gen.listOfN(60, poll), Gen.oneOf(true, false)) { (polls, bounded) =>
      val input     = new QuietInput(1000, 50, bounded)
      var now       = 1000000L
      var watermark = 900000L
      var least     = 0L
      var known     = List.empty[(Long, Long)] // quiet polls, with the watermark then; newest first
      var before    = now
      polls.foreach { case (after, isQuiet, rowsMove) =>
        val previous = now
        now += after
        if (!isQuiet) watermark += rowsMove
        known = if (isQuiet && before != now) (previous, watermark) :: known else if (isQuiet) known else Nil
        before = previous
        input.poll(now, isQuiet, Some(watermark), None).foreach { to =>
          val until = previous
          assert(known.nonEmpty && until - known.last._1 >= 1000)
          assert(to <= watermark + (until - known.last._1))
          assert(!bounded || to <= until - 1050)
          assert(to >= math.max(least, watermark) + 100)
          least = to
        }
      }
    }
  }

  test("a heartbeat: at intervals from the last one, from the first look before the first one") {
    val beat = new Heartbeat(1000)
    assert(!beat.isDue(None, 5000))
    assert(!beat.isDue(None, 5999))
    assert(beat.isDue(None, 6000))
    assert(!beat.isDue(Some(6000), 6999))
    assert(beat.isDue(Some(6000), 7000))
    assert(beat.isDue(Some(6000), 5000))                 // the clock was set back
    assert(new Heartbeat(1000).isDue(Some(6000), 99000)) // in a later run
  }
}
