package dev.sparkwindowing.operator

import dev.sparkwindowing.assigners.{
  EventTimeSessionWindows,
  GlobalWindows,
  MergingWindowAssigner,
  TumblingEventTimeWindows,
  WindowAssigner
}
import dev.sparkwindowing.codec.ValueCodec
import dev.sparkwindowing.contents.ElementList
import dev.sparkwindowing.testing.{Happened, Kept, Outputs, ScenarioEvent, ScenarioStep, Shown, SteadyPlayer}
import dev.sparkwindowing.triggers.TriggerResult.{Continue, Fire, FireAndPurge, Purge}
import dev.sparkwindowing.triggers.{
  OnMergeContext,
  ProcessingTimeTrigger,
  Trigger,
  TriggerContext,
  TriggerMemory,
  TriggerResult
}
import dev.sparkwindowing.windows.{GlobalWindow, TimeWindow, Window, WindowCollector}
import org.scalatest.funsuite.AnyFunSuite

import java.time.Duration.ofMillis

/** Fires when the element that opened the window arrives again, 5 ms after the window's start in event time, and 100 ms
  * after its first element in processing time. Stores the opening element as a value and the processing-time timer as a
  * number.
  */
object EchoTrigger extends Trigger[String] {
  private val opening = 0
  private val wakeUp  = 0

  override def memory: TriggerMemory =
    TriggerMemory.time("wake_up") ++ TriggerMemory.value("opening", ValueCodec.string)
  override def canMerge: Boolean = true

  def onElement(element: String, timestamp: Long, window: Window, ctx: TriggerContext): TriggerResult =
    if (ctx.value[String](opening).contains(element)) Fire
    else {
      if (ctx.value[String](opening).isEmpty) ctx.setValue(opening, element)
      if (!ctx.hasNumber(wakeUp)) setWakeUp(ctx.currentProcessingTime + 100, ctx)
      ctx.registerEventTimeTimer(reminder(window))
      Continue
    }

  def onEventTime(time: Long, window: Window, ctx: TriggerContext): TriggerResult =
    if (time == reminder(window)) Fire else Continue

  def onProcessingTime(time: Long, window: Window, ctx: TriggerContext): TriggerResult =
    if (ctx.hasNumber(wakeUp) && ctx.number(wakeUp) == time) Fire else Continue

  // The earliest window comes first.
  override def onMerge(window: Window, ctx: OnMergeContext): Unit = {
    val windows = 0 until ctx.mergedWindows
    windows.flatMap(w => ctx.mergedValue[String](w, opening)).headOption.foreach(ctx.setValue(opening, _))
    windows
      .filter(ctx.mergedHasNumber(_, wakeUp))
      .map(ctx.mergedNumber(_, wakeUp))
      .reduceOption(_ min _)
      .foreach(setWakeUp(_, ctx))
    ctx.registerEventTimeTimer(reminder(window))
  }

  def clear(window: Window, ctx: TriggerContext): Unit = {
    ctx.deleteEventTimeTimer(reminder(window))
    if (ctx.hasNumber(wakeUp)) ctx.deleteProcessingTimeTimer(ctx.number(wakeUp))
    ctx.clearNumber(wakeUp)
    ctx.clearValue(opening)
  }

  private def setWakeUp(time: Long, ctx: TriggerContext): Unit = {
    ctx.setNumber(wakeUp, time)
    ctx.registerProcessingTimeTimer(time)
  }

  private def reminder(window: Window): Long = window match {
    case TimeWindow(start, _) => start + 5
    case GlobalWindow         => Long.MaxValue
  }
}

/** Answers every element and event timer with a function of the test. */
final class ScriptTrigger(
    element: (Long, TriggerContext) => TriggerResult,
    eventTime: (Long, TriggerContext) => TriggerResult
) extends Trigger[String] {
  def onElement(e: String, timestamp: Long, window: Window, ctx: TriggerContext): TriggerResult =
    element(timestamp, ctx)
  def onEventTime(time: Long, window: Window, ctx: TriggerContext): TriggerResult      = eventTime(time, ctx)
  def onProcessingTime(time: Long, window: Window, ctx: TriggerContext): TriggerResult = Continue
  def clear(window: Window, ctx: TriggerContext): Unit                                 = ()
  override def toString: String                                                        = "ScriptTrigger"
}

class UserTriggerSpec extends AnyFunSuite {
  private type Contents = ElementList[String]

  /** A time line with the key kept open, then with a restore after every step. */
  private final class TimeLine(spec: => OperatorRules[String, Contents]) {
    private val players =
      Seq(false, true).map(new SteadyPlayer(spec, Kept.AsList, Shown.Plain, _))

    def row(value: String, at: Long): Happened = play(ScenarioEvent.Row("k", value, at))
    def watermark(time: Long): Happened        = play(ScenarioEvent.Watermark(time))
    def clock(time: Long): Happened            = play(ScenarioEvent.Clock(time))
    def timers: (Int, Int)                     = {
      val counts = players.map(_.timers)
      assert(counts.distinct.size == 1)
      (counts.head.event, counts.head.clock)
    }

    private def play(event: ScenarioEvent): Happened = {
      val all = players.map(_.play(Seq(ScenarioStep(event.toString, event, Nil, Nil, None, None, None))))
      assert(all.distinct.size == 1)
      all.head
    }
  }

  private val nothing = Happened(Nil, Nil, Nil)

  private def fires(lines: String*): Happened = Happened(lines.map("k " + _), Nil, Nil)

  private def spec(assigner: WindowAssigner[String], trigger: Trigger[String], lateness: Long = 0) =
    OperatorRules[String, Contents](assigner, trigger, lateness, Kept.AsList.contents)

  private val sessions = EventTimeSessionWindows.withGap(ofMillis(10))
  private val tumbling = TumblingEventTimeWindows.of(ofMillis(10))

  test("values, numbers and timers of both clocks belong to one window") {
    val line = new TimeLine(spec(tumbling, EchoTrigger))
    assert(line.clock(1000) == nothing)
    assert(line.row("x", 1) == nothing)
    assert(line.row("y", 12) == nothing)
    assert(line.timers == (4, 2))
    assert(line.row("y", 3) == nothing)
    assert(line.row("x", 2) == fires("[0, 10) x y x"))
    assert(line.watermark(5) == fires("[0, 10) x y x"))
    assert(line.clock(1099) == nothing)
    assert(line.clock(1100) == fires("[0, 10) x y x", "[10, 20) y"))
    assert(line.watermark(9) == Happened(Nil, Nil, Seq("k [0, 10)")))
    assert(line.timers == (2, 0))
  }

  test("what a trigger remembers is carried over when windows merge") {
    val line = new TimeLine(spec(sessions, EchoTrigger))
    assert(line.clock(1000) == nothing)
    assert(line.row("x", 20) == nothing)
    assert(line.clock(1050) == nothing)
    assert(line.row("y", 0) == nothing)
    assert(line.timers == (4, 2))
    // [0, 10) and [20, 30) become [0, 30), opened by y; the earlier wake-up is that of x.
    assert(line.row("z", 10) == nothing)
    assert(line.timers == (2, 1))
    assert(line.row("x", 11) == nothing)
    assert(line.row("y", 12) == fires("[0, 30) y x z x y"))
    assert(line.watermark(5) == fires("[0, 30) y x z x y"))
    assert(line.clock(1100) == fires("[0, 30) y x z x y"))
    assert(line.watermark(29) == Happened(Nil, Nil, Seq("k [0, 30)")))
    assert(line.timers == (0, 0))
  }

  test("a timer at or before the watermark waits for the next one") {
    val behind = new ScriptTrigger(
      (timestamp, ctx) => { ctx.registerEventTimeTimer(timestamp); Continue },
      (_, _) => Fire
    )
    val line = new TimeLine(spec(GlobalWindows.create(), behind))
    assert(line.watermark(1000) == nothing)
    assert(line.row("a", 400) == nothing)
    assert(line.row("b", 1000) == nothing)
    assert(line.timers == (2, 0))
    assert(line.watermark(1001) == fires("[global] a b", "[global] a b"))
    assert(line.timers == (0, 0))
  }

  test("timers that are registered meanwhile fire in the same advance, earliest first") {
    val every4 = new ScriptTrigger(
      (timestamp, ctx) => { ctx.registerEventTimeTimer(timestamp + 4); Continue },
      (time, ctx) => { if (time % 10 < 6) ctx.registerEventTimeTimer(time + 4); Fire }
    )
    val line = new TimeLine(spec(tumbling, every4, lateness = 100))
    assert(line.row("a", 0) == nothing)
    assert(line.row("b", 11) == nothing)
    assert(line.row("c", 3) == nothing)
    // a: 4, 8; c: 7; end of the window: none is set; b: 15, 19, which is the window's end
    val got = line.watermark(50)
    assert(got == fires("[0, 10) a c", "[0, 10) a c", "[0, 10) a c", "[10, 20) b", "[10, 20) b"))
  }

  test("a deleted timer does not fire, also if it was deleted while others of its time fire") {
    val deleting = new ScriptTrigger(
      (_, ctx) => {
        ctx.registerEventTimeTimer(5)
        ctx.registerEventTimeTimer(7)
        ctx.registerEventTimeTimer(9)
        ctx.deleteEventTimeTimer(8)
        Continue
      },
      (time, ctx) => {
        if (time == 5) {
          ctx.deleteEventTimeTimer(7)
          ctx.deleteEventTimeTimer(9)
        }
        Fire
      }
    )
    val line = new TimeLine(spec(tumbling, deleting, lateness = 100))
    assert(line.row("a", 0) == nothing)
    assert(line.timers == (4, 0))
    assert(line.watermark(50) == fires("[0, 10) a"))
    assert(line.timers == (1, 0))
  }

  test("the trigger is asked for the clean-up timer and may fire a last time") {
    val always = new ScriptTrigger((_, _) => Continue, (_, _) => Fire)
    val line   = new TimeLine(spec(tumbling, always, lateness = 5))
    assert(line.row("a", 0) == nothing)
    assert(line.watermark(13) == nothing)
    assert(line.watermark(14) == Happened(Seq("k [0, 10) a"), Nil, Seq("k [0, 10)")))
  }

  test("the trigger of a window whose contents are gone is asked, and nothing comes of it") {
    var asked   = 0
    val purging = new ScriptTrigger(
      (_, ctx) => { ctx.registerEventTimeTimer(50); Purge },
      (_, _) => { asked += 1; Fire }
    )
    val line = new TimeLine(spec(GlobalWindows.create(), purging))
    assert(line.row("a", 0) == nothing)
    assert(line.timers == (1, 0))
    assert(line.watermark(50) == nothing)
    assert(asked == 2)
  }

  test("a timer left behind by a merge is ignored") {
    val forgetful = new Trigger[String] {
      def onElement(e: String, timestamp: Long, window: Window, ctx: TriggerContext): TriggerResult = {
        ctx.registerEventTimeTimer(timestamp + 3)
        Continue
      }
      def onEventTime(time: Long, window: Window, ctx: TriggerContext): TriggerResult      = Fire
      def onProcessingTime(time: Long, window: Window, ctx: TriggerContext): TriggerResult = Continue
      override def canMerge: Boolean                                                       = true
      override def onMerge(window: Window, ctx: OnMergeContext): Unit                      = ()
      def clear(window: Window, ctx: TriggerContext): Unit                                 = ()
    }
    val line = new TimeLine(spec(sessions, forgetful))
    assert(line.row("a", 0) == nothing)
    assert(line.row("b", 8) == nothing)
    assert(line.watermark(10) == nothing)
    assert(line.watermark(11) == fires("[0, 18) a b"))
  }

  private def endless(answer: TriggerResult) = {
    var calls = 0
    new ScriptTrigger(
      (_, ctx) => { ctx.registerEventTimeTimer(50); Continue },
      (time, ctx) => {
        calls += 1
        assert(calls <= 2 * TriggerContext.MaxTimerCalls, "the operator did not give up")
        ctx.registerEventTimeTimer(time)
        answer
      }
    )
  }

  for (answer <- Seq(Continue, Purge, FireAndPurge))
    test(s"a trigger that answers $answer and sets its timer again without end is stopped by name") {
      val operator = new WindowOperator(spec(GlobalWindows.create(), endless(answer)), new Outputs(Kept.AsList))
      operator.open(null)
      operator.processElement("a", 0)
      val e = intercept[IllegalStateException](operator.advanceWatermark(50))
      assert(e.getMessage.contains("timers called ScriptTrigger more than 1000000 times for the window [global]"))
    }

  /** Processing-time sessions, as a user may write them. */
  private final class ClockSessions(gap: Long) extends MergingWindowAssigner[Any] {
    def assignWindows(element: Any, timestamp: Long, processingTime: Long, windows: WindowCollector): Unit =
      windows.add(processingTime, processingTime + gap)
    def defaultTrigger: Trigger[Any] = ProcessingTimeTrigger.create()
    def isEventTime: Boolean         = false
  }

  test("sessions by the clock merge and end by the clock") {
    val line = new TimeLine(spec(new ClockSessions(10), ProcessingTimeTrigger.create()))
    assert(line.clock(0) == nothing)
    assert(line.row("a", 99) == nothing)
    assert(line.clock(8) == nothing)
    assert(line.row("b", 0) == nothing)
    assert(line.timers == (0, 1))
    assert(line.clock(16) == nothing)
    assert(line.clock(17) == Happened(Seq("k [0, 18) a b"), Nil, Seq("k [0, 18)")))
  }

  test("a merge into a session that the clock has passed is refused") {
    val operator =
      new WindowOperator(spec(new ClockSessions(1), ProcessingTimeTrigger.create()), new Outputs(Kept.AsList))
    operator.open(null)
    operator.setProcessingTime(0)
    operator.processElement("a", 0)
    operator.setProcessingTime(1)
    val e = intercept[UnsupportedOperationException](operator.processElement("b", 0))
    assert(e.getMessage.contains("windows merged into [0, 2), which processing time 1 has passed"))
  }

  test("what does not go together is refused when it is put together") {
    val cannotMerge = intercept[UnsupportedOperationException](spec(sessions, endless(Continue)))
    assert(cannotMerge.getMessage.contains("ScriptTrigger cannot be used with EventTimeSessionWindows.withGap(10 ms)"))
    val negative = intercept[IllegalArgumentException](spec(tumbling, EchoTrigger, lateness = -1))
    assert(negative.getMessage.contains("allowed lateness must not be negative, got -1 ms"))
  }
}
