package dev.sparkwindowing.spark

import dev.sparkwindowing.testing.{Replay, Scenario, ScenarioFile, ScenarioRun}
import org.scalatest.funsuite.AnyFunSuite

/** The time lines of tests/scenarios on real streaming queries: here one a rule, in one of three sizes of micro-batch;
  * all in all sizes in `make test-long`.
  */
class StreamScenarioSpec extends AnyFunSuite with SharedSpark {

  private val sizes = Seq(Replay.Batches(1), Replay.Batches(2), Replay.Batches(Int.MaxValue))

  private val possible = for {
    file <- ScenarioFile.files
    s    <- ScenarioFile.read(file)
    if StreamPlayer.canPlay(s)
  } yield s

  private val chosen: Seq[(Scenario, Replay.Batches)] =
    if (Cases.areAll) possible.flatMap(s => sizes.map(s -> _))
    else possible.distinctBy(_.rule).zipWithIndex.map { case (s, i) => s -> sizes(i % sizes.size) }

  for ((s, size) <- chosen) test(s"${s.rule}: ${s.name}, ${size.name}") {
    // A stream shows what it puts out, not what it cleans up or waits for.
    val shown  = s.copy(steps = s.steps.map(_.copy(cleared = None, timers = None, reaches = None)))
    val player = new StreamPlayer(spark, shown)
    try
      ScenarioRun
        .played(shown, player, size.groups(shown.steps))
        .foreach(m => fail(ScenarioRun.explain(s, size.name, m)))
    finally player.stop()
  }

  test("many scenarios can be played, and many rules are chosen") {
    assert(possible.size >= 100)
    assert(chosen.size >= 30)
  }
}
