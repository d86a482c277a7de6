package dev.sparkwindowing.operator

import dev.sparkwindowing.assigners.{EventTimeSessionWindows, TumblingEventTimeWindows, TumblingProcessingTimeWindows}
import dev.sparkwindowing.testing.ResumedKey
import dev.sparkwindowing.triggers.{
  AfterWatermark,
  ContinuousEventTimeTrigger,
  ContinuousProcessingTimeTrigger,
  CountTrigger,
  EventTimeTrigger,
  FiringInterval,
  MicroBatchTrigger,
  NeverTrigger,
  ProcessingTimeTrigger,
  PurgingTrigger,
  Trigger,
  TriggerContext,
  TriggerResult
}
import org.scalatest.funsuite.AnyFunSuite

import java.time.Duration.ofMillis

/** State that was kept under a shorter lateness, or another trigger, and is taken over. */
class ResumeSpec extends AnyFunSuite {

  private val tumbling                    = TumblingEventTimeWindows.of(ofMillis(10))
  private val onTime: Trigger[String]     = EventTimeTrigger.create()
  private val never: Trigger[String]      = NeverTrigger.create()
  private val byTheClock: Trigger[String] = ProcessingTimeTrigger.create()

  test("from no lateness to some: a window that is open takes late rows, and is cleaned up later") {
    val host = new ResumedKey(tumbling).under(onTime, 0)
    assert(host.batch(0, 1) == Nil)
    host.under(onTime, 5)
    assert(host.cell.nextEventTimer == 9)
    assert(host.batch(9) == Seq("[0, 10) 1"))
    assert(host.batch(10, 2) == Seq("[0, 10) 1 2"))
    assert(host.batch(14) == Seq("cleared [0, 10)"))
    assert(host.cell.block == null)
  }

  test("a longer lateness holds for a window that has fired: nothing happens at the earlier time of its clean-up") {
    val host = new ResumedKey(tumbling).under(onTime, 5)
    assert(host.batch(0, 1) == Nil)
    assert(host.batch(9) == Seq("[0, 10) 1"))
    host.under(onTime, 20)
    assert(host.cell.nextEventTimer == 29)
    assert(host.batch(15, 2) == Seq("[0, 10) 1 2"))
    assert(host.batch(29) == Seq("cleared [0, 10)"))
    assert(host.cell.block == null)
  }

  test("a trigger's own timer at what is the clean-up now does not clean up twice") {
    val host = new ResumedKey(tumbling).under(AtTwenty, 0)
    assert(host.batch(0, 1) == Nil)
    host.under(AtTwenty, 11)
    assert(host.batch(20) == Seq("[0, 10) 1", "cleared [0, 10)"))
    assert(host.cell.block == null)
  }

  test("from never to event time: a window that is open fires at its end") {
    val host = new ResumedKey(tumbling).under(never, 5)
    assert(host.batch(0, 1) == Nil)
    host.under(onTime, 5)
    assert(host.batch(9) == Seq("[0, 10) 1"))
  }

  test("from never to event time: a window whose end has passed fires with its next late row, and only then") {
    val host = new ResumedKey(tumbling).under(never, 5)
    assert(host.batch(0, 1) == Nil)
    assert(host.batch(10) == Nil)
    host.under(onTime, 5)
    assert(host.batch(11) == Nil)
    assert(host.batch(12, 2) == Seq("[0, 10) 1 2"))
    assert(host.batch(14) == Seq("cleared [0, 10)"))
  }

  test("from event time to never, with lateness and without: no firing, and a clean-up") {
    for (lateness <- Seq(0L, 5L)) {
      val host = new ResumedKey(tumbling).under(onTime, lateness)
      assert(host.batch(0, 1) == Nil)
      host.under(never, lateness)
      assert(host.batch(30) == Seq("cleared [0, 10)"))
      assert(host.cell.block == null)
    }
  }

  test("from event time to the clock: the window fires by the clock, its clean-up stays in event time") {
    val host = new ResumedKey(tumbling).under(onTime, 0)
    host.cell.processingTime = 3
    assert(host.batch(0, 1) == Nil)
    host.under(byTheClock, 0)
    assert(host.cell.nextProcessingTimer == 9)
    assert(host.clock(10) == Seq("[0, 10) 1"))
    assert(host.batch(9) == Seq("cleared [0, 10)"))
    assert(host.cell.block == null)
  }

  test("from the clock to event time: no timer of the clock is left") {
    val host = new ResumedKey(tumbling).under(byTheClock, 0)
    host.cell.processingTime = 3
    assert(host.batch(0, 1) == Nil)
    host.under(onTime, 0)
    assert(host.cell.nextProcessingTimer == StateCell.NoTimer)
    assert(host.clock(10) == Nil)
    assert(host.batch(9) == Seq("[0, 10) 1", "cleared [0, 10)"))
  }

  test("windows of the clock keep their clean-up by the clock") {
    val host = new ResumedKey(TumblingProcessingTimeWindows.of(ofMillis(10))).under(byTheClock, 0)
    assert(host.clock(3, 1) == Nil)
    host.under(never, 0)
    assert(host.clock(9) == Seq("cleared [0, 10)"))
    assert(host.cell.block == null)
  }

  test("to purging and back") {
    val host = new ResumedKey(tumbling).under(onTime, 5)
    assert(host.batch(0, 1) == Nil)
    host.under(PurgingTrigger.of(onTime), 5)
    assert(host.batch(9) == Seq("[0, 10) 1"))
    assert(host.batch(10, 2) == Seq("[0, 10) 2"))
    host.under(onTime, 5)
    assert(host.batch(11, 3) == Seq("[0, 10) 3"))
    assert(host.batch(12, 4) == Seq("[0, 10) 3 4"))
  }

  private def early(millis: Long): Trigger[String] = AfterWatermark.of(early = ofMillis(millis))

  test("early firings from the change on: an open window fires at the next multiple, and at its end") {
    val host = new ResumedKey(tumbling).under(onTime, 5)
    host.cell.processingTime = 100
    assert(host.batch(0, 1) == Nil)
    host.under(early(30), 5)
    assert(host.cell.nextProcessingTimer == 120)
    assert(host.clock(120) == Seq("[0, 10) 1"))
    assert(host.clock(150) == Nil)
    assert(host.clock(155, 2) == Nil)
    assert(host.batch(9) == Seq("[0, 10) 1 2"))
    assert(host.cell.nextProcessingTimer == StateCell.NoTimer)
    assert(host.batch(10, 3) == Seq("[0, 10) 1 2 3"))
  }

  test("early firings no more, at another interval, and by micro-batch") {
    val host = new ResumedKey(tumbling).under(early(30), 5)
    host.cell.processingTime = 100
    assert(host.batch(0, 1) == Nil)
    host.under(early(7), 5)
    assert(host.clock(105) == Seq("[0, 10) 1"))
    host.under(AfterWatermark.of(early = FiringInterval.MicroBatch), 5)
    assert(host.clock(112) == Nil)
    assert(host.batch(1, 2) == Seq("[0, 10) 1 2"))
    host.under(onTime, 5)
    assert(host.cell.nextProcessingTimer == StateCell.NoTimer)
    assert(host.clock(150, 3) == Nil)
    assert(host.batch(9) == Seq("[0, 10) 1 2 3"))
  }

  test("a window that has fired at its end does not fire again, for triggers that remember what is pending") {
    for (trigger <- Seq(early(30), MicroBatchTrigger.create(), ContinuousEventTimeTrigger.of(ofMillis(3)))) {
      val host = new ResumedKey(tumbling).under(onTime, 5)
      assert(host.batch(0, 1) == Nil)
      assert(host.batch(9) == Seq("[0, 10) 1"))
      host.under(trigger, 5)
      assert(host.batch(10) == Nil)
      assert(host.batch(11, 2) == Seq("[0, 10) 1 2"))
      assert(host.batch(14) == Seq("cleared [0, 10)"))
      assert(host.cell.block == null)
    }
  }

  test("elements that wait for the clock in a window that has ended fire with the next advance, once") {
    val late: Trigger[String]  = AfterWatermark.of(late = ofMillis(30))
    val every: Trigger[String] = ContinuousProcessingTimeTrigger.of(ofMillis(30))
    for {
      (before, atEnd) <- Seq(late -> Seq("[0, 10) 1"), every -> Nil)
      after           <- Seq(onTime, early(50), MicroBatchTrigger.create(), ContinuousEventTimeTrigger.of(ofMillis(3)))
    } {
      val host = new ResumedKey(tumbling).under(before, 5)
      host.cell.processingTime = 1
      assert(host.batch(0, 1) == Nil)
      assert(host.batch(9) == atEnd)
      assert(host.batch(10, 2) == Nil)
      host.under(after, 5)
      assert(host.batch(11) == Seq("[0, 10) 1 2"), s"$before $after")
      assert(host.batch(12) == Nil)
      assert(host.batch(13, 3) == Seq("[0, 10) 1 2 3"))
      assert(host.batch(14) == Seq("cleared [0, 10)"))
      assert(host.cell.block == null)
    }
  }

  test("elements that wait for the clock fire by the clock, if the other trigger does so") {
    val host = new ResumedKey(tumbling).under(AfterWatermark.of(late = ofMillis(30)), 5)
    host.cell.processingTime = 100
    assert(host.batch(9) == Nil)
    assert(host.batch(10, 2) == Nil)
    host.under(byTheClock, 5)
    assert(host.clock(101) == Seq("[0, 10) 2"))
    assert(host.clock(130) == Nil)
  }

  test("a count begins at 0, and what another trigger has counted is forgotten") {
    val host = new ResumedKey(tumbling).under(onTime, 0)
    assert(host.batch(0, 1) == Nil)
    host.under(CountTrigger.of(2), 0)
    assert(host.batch(0, 2) == Nil)
    host.under(ContinuousEventTimeTrigger.of(ofMillis(4)), 0)
    assert(host.batch(3, 6) == Nil)
    assert(host.cell.nextEventTimer == 8)
    assert(host.batch(8) == Seq("[0, 10) 1 2 6"))
    host.under(CountTrigger.of(2), 0)
    assert(host.batch(8, 7) == Nil)
    assert(host.batch(8, 8) == Seq("[0, 10) 1 2 6 7 8"))
    assert(host.batch(9) == Seq("cleared [0, 10)"))
  }

  test("continuous by the clock: the next multiple from the change on") {
    val host = new ResumedKey(TumblingProcessingTimeWindows.of(ofMillis(100))).under(byTheClock, 0)
    assert(host.clock(3, 1) == Nil)
    host.under(ContinuousProcessingTimeTrigger.of(ofMillis(40)), 0)
    assert(host.cell.nextProcessingTimer == 40)
    assert(host.clock(41) == Seq("[0, 100) 1"))
  }

  test("sessions that an element ends keep the time of their last element") {
    val ending = EventTimeSessionWindows.withGap(ofMillis(7)).endsAt[String]((_: String) == "9")
    val host   = new ResumedKey(ending).under(early(30), 0)
    assert(host.batch(0, 5) == Nil)
    host.under(onTime, 0)
    host.under(CountTrigger.of(9), 0)
    host.under(early(30), 0)
    assert(host.batch(1, 9) == Nil)
    assert(host.batch(9) == Seq("[5, 10) 5 9", "cleared [5, 10)"))
  }

  private object AtTwenty extends Trigger[String] {
    import dev.sparkwindowing.windows.Window
    def onElement(element: String, timestamp: Long, window: Window, ctx: TriggerContext): TriggerResult = {
      ctx.registerEventTimeTimer(20)
      TriggerResult.Continue
    }
    def onEventTime(time: Long, window: Window, ctx: TriggerContext): TriggerResult =
      if (time == 20) TriggerResult.Fire else TriggerResult.Continue
    def onProcessingTime(time: Long, window: Window, ctx: TriggerContext): TriggerResult = TriggerResult.Continue
    def clear(window: Window, ctx: TriggerContext): Unit                                 = ctx.deleteEventTimeTimer(20)
  }
}
