package dev.sparkwindowing.operator

import dev.sparkwindowing.assigners.{
  EventTimeSessionWindows,
  MergingWindowAssigner,
  SlidingEventTimeWindows,
  TumblingEventTimeWindows,
  WindowAssigner
}
import dev.sparkwindowing.contents.ElementList
import dev.sparkwindowing.evictors.{CountEvictor, Evictor, EvictorContext}
import dev.sparkwindowing.testing.ScenarioEvent.{Clock, Row, Watermark}
import dev.sparkwindowing.testing._
import dev.sparkwindowing.triggers._
import dev.sparkwindowing.windows.Window
import org.scalacheck.Gen

import java.time.Duration.ofMillis

/** Firings and their panes do not depend on where micro-batches end, under triggers that do not look at them: a key in
  * one piece, its rows in micro-batches that end anywhere, and a restart after each.
  */
class PaneCutsSpec extends Properties {

  private val windows: Gen[WindowAssigner[String]] = Gen.frequency(
    6 -> Gen.choose(2L, 9L).map(gap => EventTimeSessionWindows.withGap(ofMillis(gap))),
    3 -> Gen.choose(2L, 9L).map(gap => EventTimeSessionWindows.withGap(ofMillis(gap)).withMaxLength(ofMillis(2 * gap))),
    1 -> Gen.const(TumblingEventTimeWindows.of(ofMillis(10))),
    1 -> Gen.const(SlidingEventTimeWindows.of(ofMillis(12), ofMillis(4)))
  )

  private val plain: Gen[Trigger[String]] = Gen.oneOf(
    CountTrigger.of(1),
    CountTrigger.of(2),
    EventTimeTrigger.create(),
    ContinuousEventTimeTrigger.of(ofMillis(3)),
    ContinuousProcessingTimeTrigger.of(ofMillis(3)),
    AfterWatermark.of(early = ofMillis(2), late = ofMillis(3))
  )

  private val triggers: Gen[Trigger[String]] = Gen.frequency(
    4 -> plain,
    3 -> Gen.zip(plain, plain).map { case (a, b) => AnyTrigger.of(a, b) },
    1 -> plain.map(PurgingTrigger.of(_))
  )

  private val evictors: Gen[Option[Evictor[String]]] =
    Gen.frequency(3 -> Gen.const(None), 1 -> Gen.oneOf(true, false).map(after => Some(CountEvictor.of(2, after))))

  // Rows about the watermark, and moves of both times; true if a micro-batch ends behind the step.
  private val steps: Gen[List[(ScenarioEvent, Boolean)]] =
    for {
      moves <- Gen.listOfN(
        25,
        Gen.frequency[Either[Long, (Long, Long)]](
          5 -> Gen.choose(-8L, 12L).map(Left(_)),
          3 -> Gen.zip(Gen.oneOf(0L, 2L, 6L), Gen.oneOf(0L, 2L, 6L)).map(Right(_))
        )
      )
      cuts <- Gen.listOfN(75, Gen.oneOf(true, false))
    } yield {
      // Processing time lies before the windows: a timer that is set behind it waits for another time.
      var (watermark, clock) = (0L, -1000L)
      val events             = moves.zipWithIndex.flatMap {
        case (Left(ahead), i)        => Seq(Row("a", i.toString, math.max(0, watermark + ahead)))
        case (Right((event, pt)), _) =>
          watermark += event
          clock += pt
          Seq(Watermark(watermark)).filter(_ => event > 0) ++ Seq(Clock(clock)).filter(_ => pt > 0)
      }
      (Clock(-1000) +: Watermark(0) +: events).zip(cuts).toList
    }

  private val cases = for {
    assigner <- windows
    trigger  <- triggers
    evictor  <- evictors
    lateness <- Gen.oneOf(0L, 5L, 20L)
    steps    <- steps
    if trigger.canMerge || !assigner.isInstanceOf[MergingWindowAssigner[_]]
  } yield (assigner, trigger, evictor, lateness, steps)

  property("the same panes wherever micro-batches end", cases, 1500) {
    case (assigner, trigger, evictor, lateness, steps) =>
      val kept = Kept.AsList.contents
      val spec = evictor.fold(OperatorRules[String, ElementList[String]](assigner, trigger, lateness, kept))(
        OperatorRules.evicting[String](assigner, trigger, _, lateness, kept)
      )
      val shown                                                             = Shown(panes = true, collapsed = false)
      def over(out: WindowOutput[String, ElementList[String]])              = new WindowOperator(spec.withPanes, out)
      def played(player: Player, groups: Seq[Seq[ScenarioEvent]]): Seq[Any] = {
        val all = (groups :+ Seq(Watermark(1000))).map(events => player.play(events.map(step)))
        Seq(all.flatMap(_.fires), all.flatMap(_.late), all.flatMap(_.cleared))
      }
      val whole =
        played(new SteadyPlayer(over(_), Kept.AsList, shown, alwaysRestore = false), steps.map(s => Seq(s._1)))
      val restored =
        played(new SteadyPlayer(over(_), Kept.AsList, shown, alwaysRestore = true), steps.map(s => Seq(s._1)))
      val batches = played(new BatchPlayer(over(_), Kept.AsList, shown, rowsFirst = false), grouped(steps))
      assert(restored == whole)
      assert(batches == whole)
  }

  // Each firing shows one element less.
  private object OldestGoes extends Evictor[String] {
    def evictBefore(elements: ElementList[String], window: Window, ctx: EvictorContext): Unit = elements.removeFirst(1)
    def evictAfter(elements: ElementList[String], window: Window, ctx: EvictorContext): Unit  = ()
  }

  test("a firing from which an evictor has taken elements is no repeat, also in a later micro-batch") {
    val trigger = ContinuousEventTimeTrigger.of(ofMillis(2))
    val spec    = OperatorRules.evicting[String](
      EventTimeSessionWindows.withGap(ofMillis(10)),
      trigger,
      OldestGoes,
      0,
      Kept.AsList.contents
    )
    for (restores <- Seq(true, false)) {
      val player = new SteadyPlayer(
        new WindowOperator(spec.withPanes, _: WindowOutput[String, ElementList[String]]),
        Kept.AsList,
        Shown(panes = true, collapsed = false),
        restores
      )
      val events =
        Seq(Row("a", "1", 0), Row("a", "2", 0), Watermark(2), Row("a", "3", 5), Row("a", "4", 5), Row("a", "5", 5))
      val fires = (events ++ Seq(Watermark(4), Watermark(6))).flatMap(e => player.play(Seq(step(e))).fires)
      assert(
        fires == Seq(
          "a [0, 10) 2 @ early 0",
          "a [0, 15) 3 4 5 @ early 1 replaces [0, 10)",
          "a [0, 15) 4 5 @ early 2"
        )
      )
    }
  }

  private def step(event: ScenarioEvent) = ScenarioStep("", event, Nil, Nil, None, None, None)

  // A change of time begins a micro-batch; rows belong to that before them unless it has ended.
  private def grouped(steps: List[(ScenarioEvent, Boolean)]): Seq[Seq[ScenarioEvent]] =
    steps
      .foldLeft((Vector.empty[Vector[ScenarioEvent]], true)) { case ((groups, ended), (event, ends)) =>
        if (ended || !event.isInstanceOf[Row]) (groups :+ Vector(event), ends)
        else (groups.init :+ (groups.last :+ event), ends)
      }
      ._1
}
