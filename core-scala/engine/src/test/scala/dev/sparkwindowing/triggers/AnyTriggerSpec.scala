package dev.sparkwindowing.triggers

import dev.sparkwindowing.assigners.{EventTimeSessionWindows, TumblingEventTimeWindows, WindowAssigner}
import dev.sparkwindowing.contents.ElementList
import dev.sparkwindowing.operator.OperatorRules
import dev.sparkwindowing.testing.{Kept, ScenarioEvent, ScenarioStep, Shown, SteadyPlayer}
import dev.sparkwindowing.triggers.TriggerResult.Continue
import dev.sparkwindowing.windows.Window
import org.scalatest.funsuite.AnyFunSuite

import java.time.Duration.ofMillis
import scala.collection.mutable

/** Executes the commands in elements and logs the calls it gets: for `A+e5` the nested trigger A sets an event-time
  * timer at 5, for `A-c7` it deletes a processing-time timer at 7. Stores the last event-time timer that it set; for
  * merged windows the earliest, set anew.
  */
final class ProbeTrigger(part: String, log: mutable.Buffer[String]) extends Trigger[String] {
  private val command = s"$part([+-])([ec])(-?\\d+)".r

  override def memory: TriggerMemory = TriggerMemory.time("timer")
  override def canMerge: Boolean     = true

  def onElement(element: String, timestamp: Long, window: Window, ctx: TriggerContext): TriggerResult = {
    element.split(",").foreach {
      case command("+", "e", time) => setEvent(time.toLong, ctx)
      case command("-", "e", time) => ctx.deleteEventTimeTimer(time.toLong)
      case command("+", "c", time) => ctx.registerProcessingTimeTimer(time.toLong)
      case command("-", "c", time) => ctx.deleteProcessingTimeTimer(time.toLong)
      case _                       => ()
    }
    Continue
  }

  def onEventTime(time: Long, window: Window, ctx: TriggerContext): TriggerResult = {
    log += s"$part e$time $window"
    Continue
  }

  def onProcessingTime(time: Long, window: Window, ctx: TriggerContext): TriggerResult = {
    log += s"$part c$time $window"
    Continue
  }

  override def onMerge(window: Window, ctx: OnMergeContext): Unit =
    MergedNumbers.least(0, ctx).foreach(setEvent(_, ctx))

  def clear(window: Window, ctx: TriggerContext): Unit = {
    if (ctx.hasNumber(0)) ctx.deleteEventTimeTimer(ctx.number(0))
    ctx.clearNumber(0)
  }

  private def setEvent(time: Long, ctx: TriggerContext): Unit = {
    ctx.registerEventTimeTimer(time)
    ctx.setNumber(0, time)
  }
}

/** Tests which part of a composite trigger is called for which timer, and how long a timer lives. */
class AnyTriggerSpec extends AnyFunSuite {

  private final class TimeLine(assigner: WindowAssigner[String], lateness: Long, alwaysRestore: Boolean) {
    private val log     = mutable.Buffer.empty[String]
    private val trigger = AnyTrigger.of(new ProbeTrigger("A", log), new ProbeTrigger("B", log))
    private val spec    = OperatorRules[String, ElementList[String]](assigner, trigger, lateness, Kept.AsList.contents)
    private val player  = new SteadyPlayer(spec, Kept.AsList, Shown.Plain, alwaysRestore)

    def row(value: String, at: Long): Seq[String] = play(ScenarioEvent.Row("k", value, at))
    def watermark(time: Long): Seq[String]        = play(ScenarioEvent.Watermark(time))
    def clock(time: Long): Seq[String]            = play(ScenarioEvent.Clock(time))
    def timers: (Int, Int)                        = (player.timers.event, player.timers.clock)

    private def play(event: ScenarioEvent): Seq[String] = {
      log.clear()
      player.play(Seq(ScenarioStep(event.toString, event, Nil, Nil, None, None, None)))
      log.toSeq
    }
  }

  private val tumbling = TumblingEventTimeWindows.of(ofMillis(10))
  private val sessions = EventTimeSessionWindows.withGap(ofMillis(10))

  for ((how, alwaysRestore) <- Seq("" -> false, ", with a snapshot after every step" -> true)) {
    def line(assigner: WindowAssigner[String], lateness: Long = 0) = new TimeLine(assigner, lateness, alwaysRestore)

    test(s"a part is asked about its own timers only, and about the clean-up with all$how") {
      val l = line(tumbling, lateness = 5)
      l.clock(0)
      l.row("A+e3,A+e5,B+e5,B+e6,A+c100,B+c200", 1)
      assert(l.timers == (4, 2))
      assert(l.watermark(3) == Seq("A e3 [0, 10)"))
      assert(l.watermark(5) == Seq("A e5 [0, 10)", "B e5 [0, 10)"))
      assert(l.watermark(8) == Seq("B e6 [0, 10)"))
      assert(l.clock(100) == Seq("A c100 [0, 10)"))
      assert(l.clock(200) == Seq("B c200 [0, 10)"))
      assert(l.watermark(14) == Seq("A e14 [0, 10)", "B e14 [0, 10)"))
      assert(l.timers == (0, 0))
    }

    test(s"all are asked about a clean-up that one of them has set too$how") {
      val l = line(tumbling)
      l.row("A+e9", 1)
      assert(l.timers == (1, 0))
      assert(l.watermark(9) == Seq("A e9 [0, 10)", "B e9 [0, 10)"))
    }

    test(s"a time is one timer of each clock$how") {
      val l = line(tumbling)
      l.clock(0)
      l.row("A+e5,B+c5", 1)
      assert(l.watermark(5) == Seq("A e5 [0, 10)"))
      assert(l.clock(5) == Seq("B c5 [0, 10)"))
    }

    test(s"a timer lives while one part wants it$how") {
      val l = line(tumbling)
      l.row("A+e5,B+e5,A+e6,B+e6", 1)
      l.row("A-e5", 1)
      assert(l.timers == (3, 0))
      l.row("B-e6,A-e6", 1)
      assert(l.timers == (2, 0))
      assert(l.watermark(7) == Seq("B e5 [0, 10)"))
    }

    test(s"a part cannot delete the timer of another$how") {
      val l = line(tumbling)
      l.clock(0)
      l.row("A+e5,A+c5", 1)
      l.row("B-e5,B-c5", 1)
      assert(l.watermark(5) == Seq("A e5 [0, 10)"))
      assert(l.clock(5) == Seq("A c5 [0, 10)"))
    }

    test(s"a timer that was set twice is called once, and may be set again$how") {
      val l = line(tumbling)
      l.row("A+e5,A+e5", 1)
      assert(l.watermark(5) == Seq("A e5 [0, 10)"))
      l.row("B+e5", 1)
      assert(l.watermark(6) == Seq("B e5 [0, 10)"))
      assert(l.watermark(7) == Nil)
    }

    test(s"the clean-up takes the timers of all parts away$how") {
      val l = line(tumbling)
      l.row("A+e9,B+e50", 1)
      assert(l.timers == (2, 0))
      assert(l.watermark(9) == Seq("A e9 [0, 10)", "B e9 [0, 10)"))
      assert(l.timers == (0, 0))
    }

    test(s"a timer left behind the clean-up asks nobody$how") {
      val l = line(tumbling)
      l.row("B+e50,B+e60", 1)
      assert(l.watermark(9) == Seq("A e9 [0, 10)", "B e9 [0, 10)"))
      assert(l.timers == (1, 0))
      assert(l.watermark(70) == Nil)
      assert(l.timers == (0, 0))
    }

    test(s"timers of merged windows stay with their parts$how") {
      val l = line(sessions)
      l.row("A+e25,B+e26", 0)
      l.row("A+e27,B+e24", 20)
      assert(l.timers == (6, 0))
      l.row("-", 10)
      assert(l.timers == (3, 0))
      assert(l.watermark(24) == Seq("B e24 [0, 30)"))
      assert(l.watermark(25) == Seq("A e25 [0, 30)"))
      assert(l.watermark(28) == Nil)
      assert(l.watermark(29) == Seq("A e29 [0, 30)", "B e29 [0, 30)"))
      assert(l.timers == (0, 0))
    }

    test(s"a timer that parts share after a merge lives while one wants it$how") {
      val l = line(sessions)
      l.row("A+e12", 0)
      l.row("B+e12", 15)
      l.row("-", 8)
      assert(l.timers == (2, 0))
      l.row("A-e12", 9)
      assert(l.timers == (2, 0))
      assert(l.watermark(12) == Seq("B e12 [0, 25)"))
    }
  }

  test("more than one part in a part are told apart") {
    val log       = mutable.Buffer.empty[String]
    val Seq(a, b) = Seq("A", "B").map(new ProbeTrigger(_, log))
    val nested    = AnyTrigger.of(a, AnyTrigger.of(b, new ProbeTrigger("C", log)))
    val spec      = OperatorRules[String, ElementList[String]](tumbling, nested, 5L, Kept.AsList.contents)
    val player    = new SteadyPlayer(spec, Kept.AsList, Shown.Plain, true)
    for (
      event <- Seq(
        ScenarioEvent.Row("k", "A+e3,B+e4,C+e4,C+e5,A+e5", 1),
        ScenarioEvent.Row("k", "B-e4", 1),
        ScenarioEvent.Watermark(6)
      )
    ) player.play(Seq(ScenarioStep(event.toString, event, Nil, Nil, None, None, None)))
    assert(log.toSeq == Seq("A e3 [0, 10)", "C e4 [0, 10)", "A e5 [0, 10)", "C e5 [0, 10)"))
  }
}
