package dev.sparkwindowing.conformance

import org.scalatest.funsuite.AnyFunSuite

/** The comparison can fail: small errors in this project's specification are found. */
class BrokenOperatorSpec extends AnyFunSuite {

  private def finds(error: String)(distort: PartialFunction[Setup, Setup]): Unit =
    test(s"$error is found within 500 cases") {
      val broken = new CaseRun(setup => distort.applyOrElse(setup, identity[Setup]), compareTimers = false)
      val found  = Iterator.range(1, 501).map(s => new Generator(s.toLong).make()).find { c =>
        distort.isDefinedAt(c.setup) && broken.run(c).isInstanceOf[CaseResult.Differed]
      }
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

  finds("an evictor on the wrong side of the function") { case s @ Setup(_, _, Some(e), _, _, _) =>
    s.copy(evictor = Some(e.copy(after = !e.after)))
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
