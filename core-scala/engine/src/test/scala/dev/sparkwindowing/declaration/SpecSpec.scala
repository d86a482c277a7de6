package dev.sparkwindowing.declaration
import dev.sparkwindowing.assigners.{
  EventTimeSessionWindows,
  GlobalWindows,
  SessionWindowTimeGapExtractor,
  SlidingProcessingTimeWindows,
  TumblingEventTimeWindows,
  WindowStagger
}
import dev.sparkwindowing.evictors.{CountEvictor, DeltaEvictor, TimeEvictor}
import dev.sparkwindowing.functions.DeltaFunction
import dev.sparkwindowing.operator.OperatorRules
import dev.sparkwindowing.triggers.{
  AfterWatermark,
  AllTrigger,
  AnyTrigger,
  ContinuousEventTimeTrigger,
  ContinuousProcessingTimeTrigger,
  CountTrigger,
  EventTimeTrigger,
  FiringInterval,
  MicroBatchTrigger,
  NeverTrigger,
  OnceTrigger,
  ProcessingTimeTrigger,
  ProcessingTimeoutTrigger,
  PurgingTrigger,
  Trigger,
  TriggerContext,
  TriggerMemory,
  TriggerResult
}
import dev.sparkwindowing.windows.Window
import org.scalatest.funsuite.AnyFunSuite

import java.time.Duration
import java.time.Duration.{ofMinutes, ofSeconds}

/** Parts as data: their trees, and the places where two trees differ. */
class SpecSpec extends AnyFunSuite {
  import SpecSpec._

  private def differences(before: Part, after: Part): Seq[String] =
    Difference.between(before.spec, after.spec).map(_.toString)

  private val minute = TumblingEventTimeWindows.of(ofMinutes(1))

  test("a built-in part is shown as the call that makes it") {
    val shown = Seq[(Part, String)](
      minute -> "TumblingEventTimeWindows(1 min)",
      TumblingEventTimeWindows.of(ofMinutes(1), ofSeconds(5), WindowStagger.Random) ->
        "TumblingEventTimeWindows(1 min, offset = 5 s, stagger = RANDOM)",
      SlidingProcessingTimeWindows.of(ofMinutes(1), ofSeconds(5)) -> "SlidingProcessingTimeWindows(1 min, 5 s)",
      EventTimeSessionWindows.withGap(ofMinutes(30))              -> "EventTimeSessionWindows.withGap(30 min)",
      EventTimeSessionWindows.withGap(ofMinutes(30)).withMaxLength(ofMinutes(240)) ->
        "EventTimeSessionWindows.withGap(30 min, maxLength = 4 h)",
      GlobalWindows.create()                                            -> "GlobalWindows",
      EventTimeTrigger.create()                                         -> "EventTimeTrigger",
      PurgingTrigger.of[Any](CountTrigger.of(3))                        -> "PurgingTrigger(CountTrigger(3))",
      AnyTrigger.of[Any](CountTrigger.of(3), EventTimeTrigger.create()) ->
        "AnyTrigger(CountTrigger(3), EventTimeTrigger, restartOnFire = true)",
      AnyTrigger.of[Any](restartOnFire = false, CountTrigger.of(3)) -> "AnyTrigger(CountTrigger(3))",
      AfterWatermark.of(late = ofSeconds(5))                        -> "AfterWatermark(late = 5 s)",
      ProcessingTimeoutTrigger.of[Any](NeverTrigger.create(), ofSeconds(5), shouldClearOnTimeout = false) ->
        "ProcessingTimeoutTrigger(NeverTrigger, 5 s, shouldClearOnTimeout = false)",
      CountEvictor.of[Any](2, doEvictAfter = true) -> "CountEvictor(2, doEvictAfter = true)",
      TimeEvictor.of[Any](ofSeconds(2))            -> "TimeEvictor(2 s)"
    )
    shown.foreach { case (part, text) => assert(part.toString == text && part.spec.toString == text) }
  }

  test("a difference names its path, the innermost one") {
    def once(inner: Trigger[Any]*) = OnceTrigger.of[Any](AnyTrigger.of[Any](inner: _*))
    val before                     = once(EventTimeTrigger.create(), CountTrigger.of(3))
    assert(differences(before, once(EventTimeTrigger.create(), CountTrigger.of(3))) == Nil)
    assert(
      differences(before, once(EventTimeTrigger.create(), CountTrigger.of(5))) == Seq("inner.2.maxCount: was 3, is 5")
    )
    assert(
      differences(before, once(EventTimeTrigger.create(), NeverTrigger.create())) ==
        Seq("inner.2: was CountTrigger(3), is NeverTrigger")
    )
    assert(
      differences(before, once(EventTimeTrigger.create())) == Seq("inner.2: was CountTrigger(3), is not there")
    )
    assert(
      differences(minute, TumblingEventTimeWindows.of(ofMinutes(1), ofSeconds(5))) ==
        Seq("offset: was not there, is 5 s")
    )
  }

  test("a part that says nothing is its class and its fields, whatever its text is") {
    val part = new Plain(3, "x", ofSeconds(5), Seq(1.5, Double.NaN))
    assert(part.spec.toString == "SpecSpec$Plain(n = 3, text = 'x', every = 5 s, weights = 1.5, NaN)")
    assert(differences(part, new Plain(3, "x", ofSeconds(5), Seq(1.5, Double.NaN))) == Nil)
    assert(
      differences(part, new Plain(4, "y", ofSeconds(6), Seq(2.5, Double.NaN))) ==
        Seq("n: was 3, is 4", "text: was 'x', is 'y'", "every: was 5 s, is 6 s", "weights.1: was 1.5, is 2.5")
    )
    assert(differences(Pair(1, Right(2)), Pair(2, Right(3))) == Seq("n: was 1, is 2"))
  }

  test("parts inside a part are found and replaced, and refused where they are not said") {
    val composite = new Twice[Any](PurgingTrigger.of[Any](CountTrigger.of(3)))
    assert(composite.tree.map(_.getClass.getSimpleName).toSeq == Seq("Twice", "PurgingTrigger", "CountTrigger"))
    val other = composite.withNested(Seq(EventTimeTrigger.create()))
    assert(differences(composite, other) == Seq("inner: was PurgingTrigger(CountTrigger(3)), is EventTimeTrigger"))
    val distance = DeltaEvictor.of[String](3, Length)
    assert(distance.tree.toSeq == Seq(distance, Length))
    assert(distance.withChildren(Seq(Other)).spec.toString == "DeltaEvictor(3.0, SpecSpec$Other$)")
    Part.check(composite)
    val error = intercept[IllegalArgumentException](Part.check(OnceTrigger.of[Any](new Silent(CountTrigger.of(3)))))
    assert(error.getMessage.contains("holds CountTrigger(3) and does not say so: override nested and withNested in"))
  }

  test("a trigger that can merge around one that cannot is refused on sessions, with the one inside") {
    val sessions = EventTimeSessionWindows.withGap(ofMinutes(1))
    OperatorRules.check(sessions, new Twice[Any](CountTrigger.of(3)), 0)
    val error = intercept[UnsupportedOperationException] {
      OperatorRules.check(sessions, new Twice[Any](NeverTrigger.create()), 0)
    }
    assert(error.getMessage.startsWith("NeverTrigger inside SpecSpec$Twice"), error.getMessage)
  }

  test("a lambda has one name at every start") {
    val gap: SessionWindowTimeGapExtractor[Any] = _ => 5L
    assert(gap.spec.toString.startsWith("SpecSpec") && !gap.spec.toString.contains("/"), gap.spec)
  }

  test("a forgettable trigger says how many numbers it has, and has no values") {
    val seconds     = ofSeconds(5)
    val forgettable = Seq[Trigger[Any]](
      EventTimeTrigger.create(),
      ProcessingTimeTrigger.create(),
      NeverTrigger.create(),
      CountTrigger.of(3),
      MicroBatchTrigger.create(),
      ContinuousEventTimeTrigger.of(seconds),
      ContinuousProcessingTimeTrigger.of(seconds),
      AfterWatermark.of(early = seconds),
      AfterWatermark.of(late = FiringInterval.MicroBatch),
      AfterWatermark.of(late = seconds)
    )
    for (trigger <- forgettable.flatMap(t => Seq(t, PurgingTrigger.of(t)))) {
      assert(trigger.spec.forgettable.map(_.numbers).contains(trigger.memory.numbers.size), trigger)
      assert(trigger.memory.values.isEmpty, trigger)
    }
    val others = Seq[Trigger[Any]](
      CountTrigger.of(1, atLeast = 2),
      OnceTrigger.of[Any](EventTimeTrigger.create())
    )
    assert(others.flatMap(t => Seq(t, PurgingTrigger.of(t))).forall(_.spec.forgettable.isEmpty))
  }

  test("a duration may become longer where the part says so, nothing else") {
    def grows(before: Part, after: Part) = Difference.between(before.spec, after.spec).map(_.isGrowth)
    def every(seconds: Long)             = PurgingTrigger.of[Any](ContinuousEventTimeTrigger.of(ofSeconds(seconds)))
    assert(grows(every(5), every(6)) == Seq(true))
    assert(grows(every(6), every(5)) == Seq(false))
    assert(grows(minute, TumblingEventTimeWindows.of(ofMinutes(2))) == Seq(false))
    assert(grows(CountTrigger.of(1), CountTrigger.of(2)) == Seq(false))
  }

  test("memory has a name for each number and value") {
    val trigger = AnyTrigger.of[Any](
      OnceTrigger.of[Any](CountTrigger.of(2)),
      ProcessingTimeoutTrigger.of[Any](AfterWatermark.of(early = ofSeconds(1)), ofSeconds(5))
    )
    assert(
      trigger.memory.numbers.map(_.name) ==
        Seq("1.count", "1.has_fired", "2.pending", "2.processing_timer", "2.timeout")
    )
    assert(trigger.memory.numbers.map(_.isTime) == Seq(false, false, false, true, true))
    assert(trigger.memory.values.map(_.name) == Seq("timers"))
    val phases = AfterWatermark.of[Any](
      early = AllTrigger.of[Any](CountTrigger.of(2), ContinuousEventTimeTrigger.of(ofSeconds(1))),
      late = ofSeconds(5)
    )
    assert(
      phases.memory.numbers.map(_.name) == Seq(
        "early.1.count",
        "early.2.next_firing",
        "early.fired",
        "early.purges",
        "late.pending",
        "late.processing_timer",
        "pending"
      )
    )
    assert(phases.memory.values.map(_.name) == Seq("early.timers", "timers"))
    assert(
      phases.toString == "AfterWatermark(early = AllTrigger(CountTrigger(2), ContinuousEventTimeTrigger(1 s)), late = 5 s)"
    )
    assert(
      differences(AfterWatermark.of[Any](early = ofSeconds(1), late = ofSeconds(5)), phases) ==
        Seq("early: was 1 s, is AllTrigger(CountTrigger(2), ContinuousEventTimeTrigger(1 s))")
    )
  }
}

object SpecSpec {

  sealed abstract class Silently extends Trigger[Any] {
    def onElement(element: Any, timestamp: Long, window: Window, ctx: TriggerContext): TriggerResult =
      TriggerResult.Continue
    def onEventTime(time: Long, window: Window, ctx: TriggerContext): TriggerResult      = TriggerResult.Continue
    def onProcessingTime(time: Long, window: Window, ctx: TriggerContext): TriggerResult = TriggerResult.Continue
    def clear(window: Window, ctx: TriggerContext): Unit                                 = ()
  }

  final class Plain(n: Int, text: String, every: Duration, weights: Seq[Double]) extends Silently {
    private var calls                                             = 0
    override def clear(window: Window, ctx: TriggerContext): Unit = calls += n + text.length + weights.size
    override def toString: String                                 = s"a text that says nothing, after $every and $calls"
  }

  final case class Pair(n: Int, other: Either[Int, Int]) extends Silently

  final class Twice[E](inner: Trigger[E]) extends Trigger[E] {
    override def nested: Seq[Trigger[E]]                         = Seq(inner)
    override def withNested(nested: Seq[Trigger[E]]): Trigger[E] = new Twice(nested.head)
    override def memory: TriggerMemory                           = inner.memory
    override def canMerge: Boolean                               = true
    def onElement(element: E, timestamp: Long, window: Window, ctx: TriggerContext): TriggerResult =
      inner.onElement(element, timestamp, window, ctx)
    def onEventTime(time: Long, window: Window, ctx: TriggerContext): TriggerResult      = TriggerResult.Continue
    def onProcessingTime(time: Long, window: Window, ctx: TriggerContext): TriggerResult = TriggerResult.Continue
    def clear(window: Window, ctx: TriggerContext): Unit                                 = inner.clear(window, ctx)
  }

  final class Silent(inner: Trigger[Any]) extends Silently {
    override def clear(window: Window, ctx: TriggerContext): Unit = inner.clear(window, ctx)
  }

  object Length extends DeltaFunction[String] {
    def delta(old: String, element: String): Double = (element.length - old.length).toDouble
  }

  object Other extends DeltaFunction[String] {
    def delta(old: String, element: String): Double = 0
  }
}
