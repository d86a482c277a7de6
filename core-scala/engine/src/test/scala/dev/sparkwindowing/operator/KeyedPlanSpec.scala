package dev.sparkwindowing.operator

import dev.sparkwindowing.assigners._
import dev.sparkwindowing.evictors.{CountEvictor, Evictor}
import dev.sparkwindowing.functions.TimeDomain.{EventTime, ProcessingTime}
import dev.sparkwindowing.state.KeyStateReader.StateKind
import dev.sparkwindowing.testing.{Kept, Outputs}
import dev.sparkwindowing.triggers._
import dev.sparkwindowing.windows.WindowCollector
import org.scalatest.funsuite.AnyFunSuite

import java.time.Duration.ofMillis

/** One value says how a key is processed: the operator, its state, what that stores, and whether order matters. */
class KeyedPlanSpec extends AnyFunSuite {
  import KeyedPlan.{Over, Process, Sections, SharedSlices, Slices, Windows}

  private val tumbling = TumblingEventTimeWindows.of(ofMillis(10))
  private val sliding  = SlidingEventTimeWindows.of(ofMillis(20), ofMillis(10))
  private val sessions = EventTimeSessionWindows.withGap(ofMillis(5))
  private val clocked  = TumblingProcessingTimeWindows.of(ofMillis(10))
  private val global   = GlobalWindows.create()
  private val length   = OverEventTimeWindows.preceding(ofMillis(10))
  private val rows     = OverEventTimeWindows.precedingRows(3)
  private val named    = NamedWindows.of("short" -> tumbling, "long" -> sliding)
  private val mixed    = NamedWindows.of("short" -> tumbling, "visit" -> sessions, "long" -> sliding)

  private val counted = NamedWindows.of("short" -> tumbling, "two" -> CountWindows.of(2))

  private def plan(
      assigner: WindowAssigner[String],
      trigger: Option[Trigger[String]] = None,
      evictor: Option[Evictor[String]] = None,
      lateness: Long = 0,
      showsElement: Boolean = false,
      merges: Boolean = true,
      insensitive: Boolean = true
  ): KeyedPlan.Windowed[String] = KeyedPlan.of(
    assigner,
    trigger.getOrElse(assigner.defaultTrigger),
    evictor,
    lateness,
    panes = false,
    showsElement = showsElement,
    mergesInAnyOrder = merges,
    isOrderInsensitive = insensitive
  )

  private def sliced(windows: KeyedPlan[String]): KeyedPlan[String] = windows match {
    case w: Windows[String] => Slices(w, w.assigner.slices.get)
    case other              => other
  }

  // Answers of each plan: kind of state, storage, order, code.
  private val last  = CountEvictor.of[String](1)
  private val plans = Seq[(String, KeyedPlan[String], StateKind, Stored, Boolean, String)](
    ("windows", plan(tumbling), StateKind.Windows, Stored.Contents, false, "windows"),
    ("processing time", plan(clocked), StateKind.Windows, Stored.Contents, true, "windows"),
    ("the global window", plan(global), StateKind.Windows, Stored.Contents, true, "windows"),
    ("an ordered function", plan(tumbling, insensitive = false), StateKind.Windows, Stored.Contents, true, "windows"),
    ("an evictor", plan(tumbling, evictor = Some(last)), StateKind.Windows, Stored.Elements, true, "windows"),
    ("lateness", plan(tumbling, lateness = 5), StateKind.Windows, Stored.Contents, true, "windows"),
    ("a count", plan(tumbling, Some(CountTrigger.of(2))), StateKind.Windows, Stored.Contents, true, "windows"),
    ("sessions", plan(sessions), StateKind.Sessions, Stored.Contents, true, "windows"),
    ("slices", sliced(plan(sliding)), StateKind.Slices(sliding.slices.toSeq), Stored.Contents, false, "slices"),
    ("named windows", plan(named), StateKind.Slices(named.grids), Stored.Contents, false, "shared slices"),
    (
      "named windows with sessions beside them",
      plan(mixed),
      StateKind.Sections(Seq("short, long" -> StateKind.Slices(named.grids), "visit" -> StateKind.Sessions)),
      Stored.Contents,
      true,
      "sections: shared slices, windows"
    ),
    (
      "named windows with another trigger",
      plan(named, Some(CountTrigger.of(2))),
      StateKind.Sections(Seq("short" -> StateKind.Windows, "long" -> StateKind.Windows)),
      Stored.Contents,
      true,
      "sections: windows, windows"
    ),
    (
      "counts beside named windows",
      plan(counted, Some(AfterWatermark.of(FiringInterval.MicroBatch))),
      StateKind.Sections(Seq("short" -> StateKind.Windows, "two" -> StateKind.Windows)),
      Stored.Contents,
      true,
      "sections: windows, windows"
    ),
    ("over", plan(length), StateKind.Timestamps(Some(10)), Stored.Contents, false, "contents by timestamp"),
    (
      "over with its row",
      plan(length, showsElement = true),
      StateKind.Timestamps(Some(10)),
      Stored.ContentsAndElements,
      true,
      "contents and elements by timestamp"
    ),
    (
      "over of what cannot be merged",
      plan(length, merges = false),
      StateKind.Timestamps(Some(10)),
      Stored.Elements,
      false,
      "elements by timestamp"
    ),
    ("over by rows", plan(rows), StateKind.Timestamps(None), Stored.Elements, true, "elements by timestamp"),
    ("no windows", Process[String](), StateKind.NoWindows, Stored.Nothing, true, "process")
  )

  for ((name, plan, kind, stored, ordered, code) <- plans)
    test(s"$name: kind of state, storage, order and code") {
      assert((plan.stateKind, plan.stored, plan.needsOrder, plan.code) == ((kind, stored, ordered, code)))
    }

  test("the clock of windows, and the timers that they and their trigger set") {
    val timed = ContinuousProcessingTimeTrigger.of(ofMillis(5))
    for (
      (plan, clock, event, processing) <- Seq[(KeyedPlan[String], Any, Boolean, Boolean)](
        (plan(tumbling), Some(EventTime), true, false),
        (plan(clocked), Some(ProcessingTime), false, true),
        (plan(tumbling, Some(timed)), Some(EventTime), true, true),
        (plan(global), None, false, false),
        (plan(global, Some(timed)), None, false, true),
        (plan(length), Some(EventTime), true, false),
        (Process[String](), None, false, false)
      )
    ) {
      assert(plan.clock == clock, plan)
      assert((plan.setsTimers(EventTime), plan.setsTimers(ProcessingTime)) == ((event, processing)), plan)
      assert(plan.isEventTime == (clock == Some(EventTime)), plan)
    }
  }

  test("the memory of triggers of several names has the names of each, by position") {
    val memory = plan(counted, Some(AfterWatermark.of(FiringInterval.MicroBatch))).memory
    assert(memory.numbers.map(n => n.name -> n.isTime) == Seq("pending_or_count" -> false, "processing_timer" -> true))
    val timed = plan(counted, Some(ContinuousEventTimeTrigger.of(ofMillis(5)))).memory
    assert(timed.numbers.map(n => n.name -> n.isTime) == Seq("next_firing_or_count" -> false))
    val one = plan(mixed, Some(CountTrigger.of(2))).memory
    assert(one == CountTrigger.of(2).memory)
  }

  test("windows with fixed bounds can have state of their own") {
    val fixed = Seq[WindowAssigner[String]](tumbling, sliding, clocked, global, length, sessions, rows)
    assert(fixed.map(_.hasFixedBounds) == Seq(true, true, true, true, true, false, false))
  }

  test("the operator is that of the plan") {
    def of(windows: KeyedPlan.Windowed[String]) = windows match {
      case _: Windows[_]      => classOf[WindowOperator[_, _]]
      case _: Slices[_]       => classOf[SlicedOperator[_, _]]
      case _: SharedSlices[_] => classOf[SharedSlicesOperator[_, _]]
      case _: Sections[_]     => classOf[SectionsOperator[_]]
      case _: Over[_]         => classOf[OverOperator[_, _, _]]
    }
    for (windows <- Seq[WindowAssigner[String]](tumbling, sessions, length, rows, named, mixed)) {
      val operator = Kept.AsAccumulator.operator(windows, windows.defaultTrigger, None, 0, panes = false)
      assert(of(plan(windows)).isInstance(operator(new Outputs(Kept.AsAccumulator))), windows)
    }
  }

  test("parts that do not fit together are refused") {
    assertThrows[UnsupportedOperationException](plan(length, evictor = Some(last)))
    assertThrows[UnsupportedOperationException](plan(length, Some(CountTrigger.of(2))))
    assertThrows[IllegalArgumentException](plan(tumbling, lateness = -1))
    val counting = new WindowAssigner[Any] {
      def assignWindows(element: Any, timestamp: Long, time: Long, windows: WindowCollector): Unit = windows.add(0, 9)
      def defaultTrigger: Trigger[Any]                                                             = CountTrigger.of(2)
      def isEventTime: Boolean                                                                     = true
    }
    for (alone <- Seq[WindowAssigner[Any]](clocked, global, length, named, counting)) {
      val said = intercept[UnsupportedOperationException](NamedWindows.of("a" -> tumbling, "b" -> alone)).getMessage
      assert(said.startsWith(s"windows: b is $alone, and ") && said.endsWith("or declare these alone, by .window(..)"))
    }
  }
}
