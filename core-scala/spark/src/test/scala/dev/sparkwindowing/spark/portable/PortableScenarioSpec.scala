package dev.sparkwindowing.spark.portable

import dev.sparkwindowing.assigners.WindowAssigner
import dev.sparkwindowing.spark.links.OperatorSetting
import dev.sparkwindowing.spark.{SharedSpark, StateStores, StreamPlayer}
import dev.sparkwindowing.testing._
import dev.sparkwindowing.triggers.Trigger
import org.apache.spark.sql.catalyst.InternalRow
import org.scalatest.funsuite.AnyFunSuite

/** The time lines of tests/scenarios through the portable operator: all that it can do on Spark's `TestGroupState`, in
  * several sizes of micro-batch, and some on real streams.
  */
class PortableScenarioSpec extends AnyFunSuite with SharedSpark {
  private val all = ScenarioFile.files.flatMap(ScenarioFile.read)

  // Spark's watermark is never below 0 and has no timeout before 1 ms; its clock begins at 0.
  private def isPossible(s: Scenario): Boolean = s.error.isEmpty && s.mustFail.isEmpty && !s.isCompound && {
    val events = s.steps.map(_.event)
    val marks  = events.collect { case ScenarioEvent.Watermark(time) => time }
    val clocks = events.collect { case ScenarioEvent.Clock(time) => time }
    marks.forall(t => t > 0 && t < Long.MaxValue) && clocks.forall(t => t >= 0 && t < Long.MaxValue)
  }

  private def timersOf(s: Scenario): Either[String, PortableTimers] = {
    val assigner = s.window().asInstanceOf[WindowAssigner[InternalRow]]
    val trigger  =
      s.trigger.fold[Trigger[InternalRow]](assigner.defaultTrigger)(_.apply().asInstanceOf[Trigger[InternalRow]])
    PortableTimers.of(Kept.plan[InternalRow](assigner, trigger), _ => false, hasWatermark = true)
  }

  private val (possible, refused) = all.filter(isPossible).map(s => s -> timersOf(s)).partition(_._2.isRight)

  private def check[C <: AnyRef](s: Scenario, kept: Kept[C], timers: PortableTimers): Seq[String] = {
    val sizes = if (s.sameInBatches) Seq(1, 2, Int.MaxValue).map(Replay.Batches(_)) else Seq(Replay.EventByEvent)
    sizes.flatMap { size =>
      val player = new PortablePlayer(kept.operator(s), kept, Shown.of(s), timers)
      ScenarioRun.played(s, player, size.groups(s.steps)).map(m => ScenarioRun.explain(s, size.name, m))
    }
  }

  test("every time line with timers of one clock gives its results on TestGroupState") {
    val wrong = for {
      (s, Right(timers)) <- possible
      kept               <- Kept.allFor(s)
      mismatch           <- check(s, kept, timers)
    } yield mismatch
    assert(wrong.isEmpty, s"${wrong.size} differ, the first: ${wrong.headOption.getOrElse("")}")
    assert(possible.size > 200)
    assert(possible.flatMap(_._2.toOption).toSet.size == 3, "timers of event time, of processing time, and none")
  }

  test("every time line with timers of both clocks is refused by name") {
    val texts = refused.collect { case (s, Left(text)) => s.name -> text }
    assert(texts.nonEmpty)
    texts.foreach { case (name, text) => assert(text.contains("timers of event time and of processing time"), name) }
  }

  // One of each file with time lines that a stream can play, in one of three sizes of micro-batch.
  private val sizes   = Seq(1, 2, Int.MaxValue).map(Replay.Batches(_))
  private val streams = ScenarioFile.files
    .flatMap(file => ScenarioFile.read(file).find(s => StreamPlayer.canPlay(s) && isPossible(s) && timersOf(s).isRight))
    .zipWithIndex

  for ((s, i) <- streams.take(5)) test(s"on a stream: ${s.name}, ${sizes(i % 3).name}") {
    val session = StateStores.session(spark, Map.empty)
    session.conf.set(OperatorSetting.Name, "portable")
    val shown  = s.copy(steps = s.steps.map(_.copy(cleared = None, timers = None, reaches = None)))
    val player = new StreamPlayer(session, shown)
    try
      ScenarioRun
        .played(shown, player, sizes(i % 3).groups(shown.steps))
        .foreach(m => fail(ScenarioRun.explain(s, sizes(i % 3).name, m)))
    finally player.stop()
  }

  test("several time lines can be played on a stream") {
    assert(streams.size >= 5)
  }
}
