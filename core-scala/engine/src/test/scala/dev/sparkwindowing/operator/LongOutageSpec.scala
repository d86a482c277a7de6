package dev.sparkwindowing.operator

import dev.sparkwindowing.assigners.{GlobalWindows, TumblingEventTimeWindows, WindowAssigner}
import dev.sparkwindowing.contents.ElementList
import dev.sparkwindowing.testing.Kept
import dev.sparkwindowing.triggers.TriggerResult.{Continue, Fire}
import dev.sparkwindowing.triggers.{
  AfterWatermark,
  AnyTrigger,
  ContinuousEventTimeTrigger,
  ContinuousProcessingTimeTrigger,
  EventTimeTrigger,
  OnceTrigger,
  ProcessingTimeTrigger,
  ProcessingTimeoutTrigger,
  PurgingTrigger,
  Trigger,
  TriggerContext,
  TriggerResult
}
import dev.sparkwindowing.windows.Window
import org.scalatest.funsuite.AnyFunSuite

import java.time.Duration.{ofDays, ofMillis}

/** Steps of time so long that more timers came due than an operator calls: none may stop a query for ever. */
class LongOutageSpec extends AnyFunSuite {
  private val many = TriggerContext.MaxTimerCalls.toLong

  /** One key with one element at time 1, added at processing time 1. */
  private final class Line(trigger: Trigger[String], assigner: WindowAssigner[Any] = GlobalWindows.create()) {
    var fired   = 0L
    var skipped = 0L

    private val contents = Kept.AsList.contents
    private val out      = new WindowOutput[String, ElementList[String]] {
      def fire(window: Window, contents: ElementList[String], pane: PaneInfo): Unit = fired += 1
      def late(element: String, timestamp: Long, missed: Option[Window]): Unit      = ()
      def cleared(window: Window): Unit                                             = ()
      override def skippedFirings(firings: Long): Unit                              = skipped += firings
    }
    val operator = new WindowOperator(
      OperatorRules[String, ElementList[String]](assigner, trigger, 0L, contents),
      out
    )
    operator.open(null)
    operator.setProcessingTime(1)
    operator.processElement("a", 1)

    /** Firings, and skipped firings, of an advance of processing time. */
    def clock(time: Long): (Long, Long) = counted(operator.advanceProcessingTime(time, time))

    /** The same of a rise of the watermark. */
    def watermark(time: Long): (Long, Long) = counted(operator.advanceWatermark(time, time))

    private def counted(move: => Unit): (Long, Long) = {
      fired = 0
      skipped = 0
      move
      (fired, skipped)
    }
  }

  private val year = ofDays(365)

  test("every multiple that was jumped over fires up to the limit, beyond it one, and the rest are counted") {
    val line = new Line(ContinuousProcessingTimeTrigger.of(ofMillis(10)))
    assert(line.clock(10 * many) == ((many, 0)))
    assert(line.clock(10 * many + 9) == ((0, 0)))
    assert(line.clock(20 * many) == ((many, 0)))
    assert(line.clock(30 * many + 10) == ((1, many)))
    assert(line.clock(30 * many + 19) == ((0, 0)))
    assert(line.clock(30 * many + 20) == ((1, 0)))
    assert(line.clock(1000 * many + 25) == ((1, 97 * many - 1)))
    assert(line.operator.nextProcessingTimer == 1000 * many + 30)
  }

  test("the same of event time, with a watermark that is not the last of all") {
    val line = new Line(ContinuousEventTimeTrigger.of(ofMillis(10)))
    assert(line.watermark(10 * many) == ((many, 0)))
    assert(line.watermark(20 * many + 10) == ((1, many)))
    assert(line.watermark(Long.MaxValue - 1) == ((1, (Long.MaxValue - 1) / 10 - 2 * many - 2)))
    val e = intercept[IllegalStateException](
      new Line(ContinuousEventTimeTrigger.of(ofMillis(10))).watermark(Long.MaxValue)
    )
    assert(e.getMessage.contains("would fire without end"))
  }

  test("a window that has an end fires there too, once") {
    def fired(trigger: Trigger[String], size: Long) = {
      val line = new Line(trigger, TumblingEventTimeWindows.of(ofMillis(size)))
      Seq(line.watermark(Long.MaxValue / 2), line.clock(Long.MaxValue / 2))
    }
    val byWatermark = ContinuousEventTimeTrigger.of(ofMillis(10))
    assert(fired(byWatermark, 10 * many + 10) == Seq((many + 1, 0L), (0L, 0L)))
    assert(fired(byWatermark, 10 * many + 12) == Seq((2L, many), (0L, 0L)))
    // The last multiple is the end.
    assert(fired(byWatermark, 10 * many + 11) == Seq((2L, many - 1), (0L, 0L)))
    // No watermark ends these before processing time does.
    def byClock(size: Long) = {
      val line = new Line(
        ContinuousProcessingTimeTrigger.of(ofMillis(10)),
        TumblingEventTimeWindows.of(ofMillis(size))
      )
      line.clock(Long.MaxValue / 2)
    }
    assert(byClock(10 * many + 10) == ((many + 1, 0)))
    assert(byClock(10 * many + 12) == ((2, many)))
    assert(byClock(10 * many + 11) == ((2, many - 1)))
  }

  // Each fires as often as without an outage: once for what was jumped over, since one part is nested in another.
  for (
    (name, trigger, wanted) <- Seq[(String, Trigger[String], (Long, Long))](
      ("PurgingTrigger", PurgingTrigger.of(ContinuousProcessingTimeTrigger.of(ofMillis(10))), (1, 2 * many)),
      ("OnceTrigger", OnceTrigger.of(ContinuousProcessingTimeTrigger.of(ofMillis(10))), (1, 2 * many)),
      (
        "AnyTrigger",
        AnyTrigger.of[String](
          restartOnFire = false,
          ContinuousProcessingTimeTrigger.of(ofMillis(10)),
          ContinuousProcessingTimeTrigger.of(ofMillis(40))
        ),
        (many / 2 + 1, 2 * many)
      ),
      (
        "AnyTrigger that restarts its parts",
        AnyTrigger.of[String](
          ContinuousProcessingTimeTrigger.of(ofMillis(10)),
          ContinuousProcessingTimeTrigger.of(ofMillis(40))
        ),
        (1, 2 * many)
      ),
      (
        "ProcessingTimeoutTrigger",
        ProcessingTimeoutTrigger.of(
          ContinuousProcessingTimeTrigger.of(ofMillis(10)),
          ofMillis(7),
          shouldClearOnTimeout = false
        ),
        (2, 2 * many)
      )
    )
  ) test(s"within $name") {
    val line = new Line(trigger)
    assert(line.clock(20 * many + 10) == wanted)
    assert(line.clock(20 * many + 19) == ((0, 0)))
  }

  test("no trigger of this project stops the operator, however long the step") {
    val triggers = Seq[Trigger[String]](
      AfterWatermark.of(early = ofMillis(1), late = ofMillis(1)),
      AnyTrigger.of[String](AfterWatermark.of(early = ofMillis(1)), ContinuousEventTimeTrigger.of(ofMillis(1))),
      ProcessingTimeoutTrigger.of(ContinuousEventTimeTrigger.of(ofMillis(1)), ofMillis(1)),
      ProcessingTimeoutTrigger.of(AfterWatermark.of(early = ofMillis(1)), ofMillis(1), shouldClearOnTimeout = false),
      ContinuousEventTimeTrigger.of(ofMillis(1)),
      ContinuousProcessingTimeTrigger.of(ofMillis(1)),
      EventTimeTrigger.create(),
      ProcessingTimeTrigger.create()
    )
    for {
      trigger <- triggers
      window  <- Seq[WindowAssigner[Any]](GlobalWindows.create(), TumblingEventTimeWindows.of(year))
    } {
      val line = new Line(trigger, window)
      assert(line.watermark(100 * year.toMillis)._1 <= 3, s"$trigger, $window")
      assert(line.clock(100 * year.toMillis)._1 <= 3, s"$trigger, $window")
    }
  }

  // Trigger that sets its next processing-time timer when one fires.
  private def setting(next: Long => Long): Trigger[String] = new Trigger[String] {
    def onElement(e: String, timestamp: Long, window: Window, ctx: TriggerContext): TriggerResult = {
      ctx.registerProcessingTimeTimer(2)
      Continue
    }
    def onEventTime(time: Long, window: Window, ctx: TriggerContext): TriggerResult      = Continue
    def onProcessingTime(time: Long, window: Window, ctx: TriggerContext): TriggerResult = {
      ctx.registerProcessingTimeTimer(next(time))
      Fire
    }
    def clear(window: Window, ctx: TriggerContext): Unit = ()
    override def toString: String                        = "setting"
  }

  test("a trigger of a user's that sets a later timer at each is called up to the clock") {
    val line = new Line(setting(_ + 1))
    assert(line.clock(2 * many) == ((2 * many - 1, 0)))
    assert(line.operator.nextProcessingTimer == 2 * many + 1)
  }

  test("timers that do not get past a time are stopped, whatever the clock") {
    for (next <- Seq[Long => Long](identity, _ - 1, time => if (time == 2) 1 else 2)) {
      val e = intercept[IllegalStateException](new Line(setting(next)).clock(5))
      assert(e.getMessage.contains("timers called setting more than 1000000 times for the window [global]"))
    }
  }
}
