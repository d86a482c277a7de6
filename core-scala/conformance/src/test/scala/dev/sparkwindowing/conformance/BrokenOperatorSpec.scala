package dev.sparkwindowing.conformance

import dev.sparkwindowing.triggers.{OnMergeContext, Trigger, TriggerContext, TriggerMemory, TriggerResult}
import dev.sparkwindowing.windows.Window
import org.scalatest.funsuite.AnyFunSuite

import java.lang.{Long => JLong}

/** The comparison can fail: small errors in this project's specification are found. */
class BrokenOperatorSpec extends AnyFunSuite {

  private def finds(error: String, alter: OurSide.Alter = (_, trigger) => trigger)(
      distort: PartialFunction[Setup, Setup]
  ): Unit =
    test(s"$error is found within 500 cases") {
      val broken = new CaseRun(setup => distort.applyOrElse(setup, identity[Setup]), compareTimers = false, alter)
      val cases  = Iterator.from(1).map(s => new Generator(s.toLong).make()).filter(c => distort.isDefinedAt(c.setup))
      val found  = cases.take(500).find(broken.run(_).isInstanceOf[CaseResult.Differed])
      val report = found.fold(fail("nothing differed"))(broken.report)
      assert(report.contains("  --> ") && report.contains("-Dseed="))
      assert(report.linesIterator.size < 25, report)
    }

  finds("a lateness one millisecond too long") {
    case s if s.lateness >= 0 && s.lateness < 1000 =>
      s.copy(lateness = s.lateness + 1)
  }

  finds("a session gap one millisecond too long") { case s @ Setup(AssignerSetup.Session(gap), _, _, _, _, _) =>
    s.copy(assigner = AssignerSetup.Session(gap + 1))
  }

  finds("a trigger that does not purge") { case s @ Setup(_, Some(TriggerSetup.Purging(nested)), _, _, _, _) =>
    s.copy(trigger = Some(nested))
  }

  finds("an evictor on the wrong side of the function") { case s @ Setup(_, _, Some(e: EvictorSetup.Count), _, _, _) =>
    s.copy(evictor = Some(e.copy(after = !e.after)))
  }

  finds("a time evictor that keeps the element at the cutoff") {
    case s @ Setup(_, _, Some(e: EvictorSetup.Time), _, _, _) => s.copy(evictor = Some(e.copy(size = e.size + 1)))
  }

  finds("a delta evictor that keeps the element at the threshold") {
    case s @ Setup(_, _, Some(e: EvictorSetup.Delta), _, _, _) =>
      s.copy(evictor = Some(e.copy(threshold = Math.nextUp(e.threshold))))
  }

  finds("a delta trigger that fires at the threshold") { case s @ Setup(_, Some(t: TriggerSetup.Delta), _, _, _, _) =>
    s.copy(trigger = Some(t.copy(threshold = Math.nextDown(t.threshold))))
  }

  finds("a timeout that does not clear") {
    case s @ Setup(_, Some(t @ TriggerSetup.Timeout(_, _, _, true)), _, _, _, _) =>
      s.copy(trigger = Some(t.copy(clear = false)))
  }

  finds("a continuous trigger that rounds down", alter = roundedDown) {
    case s if s.hasTrigger("continuous event time") => s
  }

  // Rounded down here, the timestamp is a multiple, which the trigger leaves as it is.
  private def roundedDown: OurSide.Alter = {
    case (TriggerSetup.ContinuousEventTime(interval), trigger) =>
      new BrokenOperatorSpec.OtherTimestamps(trigger, t => t - Math.floorMod(t, interval))
    case (_, trigger) => trigger
  }

  test("a failing case is cut to the events that matter") {
    val late   = (s: Setup) => s.copy(lateness = s.lateness + 1)
    val broken = new CaseRun(late, compareTimers = false)
    val setup  =
      Setup(AssignerSetup.TumblingEventTime(10, 0), None, None, 0, ContentsSetup.Apply, lateOutput = true)
    val events = Vector(
      Event.Clock(3),
      Event.Element("a", 1, 12),
      Event.Watermark(9),
      Event.Element("b", 2, 30),
      Event.Element("a", 3, 5)
    )
    val shrunk = broken.shrink(RandomCase(0, setup, 0, events))
    assert(shrunk.events == Vector(Event.Watermark(9), Event.Element("a", 3, 5)))
  }
}

object BrokenOperatorSpec {

  /** A trigger that sees other timestamps than those of the elements. */
  final class OtherTimestamps(inner: Trigger[JLong], change: Long => Long) extends Trigger[JLong] {
    def onElement(element: JLong, timestamp: Long, window: Window, ctx: TriggerContext): TriggerResult =
      inner.onElement(element, change(timestamp), window, ctx)
    def onEventTime(time: Long, window: Window, ctx: TriggerContext): TriggerResult =
      inner.onEventTime(time, window, ctx)
    def onProcessingTime(time: Long, window: Window, ctx: TriggerContext): TriggerResult =
      inner.onProcessingTime(time, window, ctx)
    override def canMerge: Boolean                                  = inner.canMerge
    override def onMerge(window: Window, ctx: OnMergeContext): Unit = inner.onMerge(window, ctx)
    def clear(window: Window, ctx: TriggerContext): Unit            = inner.clear(window, ctx)
    override def memory: TriggerMemory                              = inner.memory
    override def nested: Seq[Trigger[JLong]]                        = Seq(inner)
  }
}
