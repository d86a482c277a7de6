package dev.sparkwindowing.scenarios

import dev.sparkwindowing.testing.{Kept, Replay, Scenario, ScenarioFile, ScenarioRun}
import org.scalatest.funsuite.AnyFunSuite

/** Every time line of tests/scenarios, with all kinds of contents, in every way to cut it into calls. */
class ScenarioSpec extends AnyFunSuite {

  private val scenarios = ScenarioFile.files.map(f => f -> ScenarioFile.read(f))

  for ((file, list) <- scenarios; s <- list) test(s"${file.getFileName}: ${s.name}") {
    s.mustFail match {
      case None       => holds(s)
      case Some(kind) => breaks(s, kind)
    }
  }

  private def holds(s: Scenario): Unit =
    for {
      kept     <- Kept.allFor(s)
      replay   <- Replay.allFor(s)
      mismatch <- ScenarioRun.check(s, kept, replay)
    } fail(ScenarioRun.explain(s, s"${replay.name}, contents as ${kept.name}", mismatch))

  // A wrong expectation, to see that the runner sees it.
  private def breaks(s: Scenario, kind: String): Unit =
    for (kept <- Kept.allFor(s); replay <- Seq(Replay.Steadily, Replay.EventByEvent)) {
      val found = ScenarioRun.check(s, kept, replay)
      assert(found.map(_.kind) == Some(kind), s"${replay.name}, contents as ${kept.name}")
    }

  test("names are not used twice") {
    val names = scenarios.flatMap(_._2).map(_.name)
    assert(names.diff(names.distinct) == Nil)
  }

  test("each kind of mismatch has a scenario that must fail") {
    val kinds = scenarios.flatMap(_._2).flatMap(_.mustFail).toSet
    assert(kinds == Set("fires", "late", "cleared", "timers", "reaches", "error"))
  }

  test("whatever is easily mistaken has a scenario, but for what functions do") {
    val Mistake = """mistake (\d+): .*""".r
    val rows    = scenarios.flatMap(_._2).map(_.name).collect { case Mistake(row) => row.toInt }.toSet
    assert(rows == (1 to 20).toSet -- Set(16, 17, 18))
  }

  test("the explanation shows all steps, marks the failing one and says what came") {
    val s = scenarios.flatMap(_._2).find(_.name == "must fail: a firing that does not come")
    val m = s.flatMap(x => ScenarioRun.check(x, Kept.AsList, Replay.Steadily).map(x -> _))
    val t = m.map { case (x, found) => ScenarioRun.explain(x, "once", found) }.getOrElse("")
    assert(t.contains("    {row: a 1, at: 2000}\n--> {watermark: 9998, fires: [a [0, 10000) 1]}\n"), t)
    assert(t.endsWith("expected: a [0, 10000) 1\ngot:      nothing"), t)
  }
}
