package dev.sparkwindowing.operator

import dev.sparkwindowing.assigners.{
  EventTimeSessionWindows,
  MergingWindowAssigner,
  SlidingEventTimeWindows,
  TumblingEventTimeWindows,
  TumblingProcessingTimeWindows,
  WindowAssigner
}
import dev.sparkwindowing.contents.ElementList
import dev.sparkwindowing.testing.{Kept, MemoryCell, Outputs, Properties}
import dev.sparkwindowing.triggers.{
  AfterWatermark,
  ContinuousEventTimeTrigger,
  CountTrigger,
  EventTimeTrigger,
  NeverTrigger,
  ProcessingTimeTrigger,
  PurgingTrigger,
  Trigger,
  TriggerContext,
  TriggerResult
}
import org.scalacheck.Gen

import java.time.Duration.ofMillis

/** State that was kept under a shorter lateness, or another trigger without memory, and is taken over. */
class ResumeSpec extends Properties {

  /** A key in micro-batches; its rows are their own timestamps. */
  private final class Host(assigner: WindowAssigner[String]) {
    val cell                               = new MemoryCell
    private val out                        = new Outputs(Kept.AsList)
    private var step: Step[String]         = _
    private var keptUnder: Trigger[String] = _

    def under(trigger: Trigger[String], lateness: Long): this.type = {
      val spec = OperatorRules[String, ElementList[String]](assigner, trigger, lateness, Kept.AsList.contents)
      step = new Step[String](new WindowOperator(spec, out), _.toLong, rowsFirst = false)
      if (cell.block != null) {
        cell.previousWatermark = cell.watermark
        step.resume(cell, newTrigger = keptUnder != trigger)
      }
      keptUnder = trigger
      this
    }

    def batch(watermark: Long, rows: Long*): Seq[String] = {
      cell.previousWatermark = cell.watermark
      cell.watermark = watermark
      run(rows)
    }

    def clock(time: Long, rows: Long*): Seq[String] = {
      cell.previousWatermark = cell.watermark
      cell.processingTime = time
      run(rows)
    }

    private def run(rows: Seq[Long]): Seq[String] = {
      step.run(rows.iterator.map(_.toString), cell)
      val all = out.take()
      all.fires.map(_.trim) ++ all.late.map("late" + _) ++ all.cleared.map("cleared" + _)
    }
  }

  private val tumbling                    = TumblingEventTimeWindows.of(ofMillis(10))
  private val onTime: Trigger[String]     = EventTimeTrigger.create()
  private val never: Trigger[String]      = NeverTrigger.create()
  private val byTheClock: Trigger[String] = ProcessingTimeTrigger.create()

  test("from no lateness to some: a window that is open takes late rows, and is cleaned up later") {
    val host = new Host(tumbling).under(onTime, 0)
    assert(host.batch(0, 1) == Nil)
    host.under(onTime, 5)
    assert(host.cell.nextEventTimer == 9)
    assert(host.batch(9) == Seq("[0, 10) 1"))
    assert(host.batch(10, 2) == Seq("[0, 10) 1 2"))
    assert(host.batch(14) == Seq("cleared [0, 10)"))
    assert(host.cell.block == null)
  }

  test("a longer lateness holds for a window that has fired: nothing happens at the earlier time of its clean-up") {
    val host = new Host(tumbling).under(onTime, 5)
    assert(host.batch(0, 1) == Nil)
    assert(host.batch(9) == Seq("[0, 10) 1"))
    host.under(onTime, 20)
    assert(host.cell.nextEventTimer == 29)
    assert(host.batch(15, 2) == Seq("[0, 10) 1 2"))
    assert(host.batch(29) == Seq("cleared [0, 10)"))
    assert(host.cell.block == null)
  }

  test("a trigger's own timer at what is the clean-up now does not clean up twice") {
    val host = new Host(tumbling).under(AtTwenty, 0)
    assert(host.batch(0, 1) == Nil)
    host.under(AtTwenty, 11)
    assert(host.batch(20) == Seq("[0, 10) 1", "cleared [0, 10)"))
    assert(host.cell.block == null)
  }

  test("from never to event time: a window that is open fires at its end") {
    val host = new Host(tumbling).under(never, 5)
    assert(host.batch(0, 1) == Nil)
    host.under(onTime, 5)
    assert(host.batch(9) == Seq("[0, 10) 1"))
  }

  test("from never to event time: a window whose end has passed fires with its next late row, and only then") {
    val host = new Host(tumbling).under(never, 5)
    assert(host.batch(0, 1) == Nil)
    assert(host.batch(10) == Nil)
    host.under(onTime, 5)
    assert(host.batch(11) == Nil)
    assert(host.batch(12, 2) == Seq("[0, 10) 1 2"))
    assert(host.batch(14) == Seq("cleared [0, 10)"))
  }

  test("from event time to never, with lateness and without: no firing, and a clean-up") {
    for (lateness <- Seq(0L, 5L)) {
      val host = new Host(tumbling).under(onTime, lateness)
      assert(host.batch(0, 1) == Nil)
      host.under(never, lateness)
      assert(host.batch(30) == Seq("cleared [0, 10)"))
      assert(host.cell.block == null)
    }
  }

  test("from event time to the clock: the window fires by the clock, its clean-up stays in event time") {
    val host = new Host(tumbling).under(onTime, 0)
    host.cell.processingTime = 3
    assert(host.batch(0, 1) == Nil)
    host.under(byTheClock, 0)
    assert(host.cell.nextProcessingTimer == 9)
    assert(host.clock(10) == Seq("[0, 10) 1"))
    assert(host.batch(9) == Seq("cleared [0, 10)"))
    assert(host.cell.block == null)
  }

  test("from the clock to event time: no timer of the clock is left") {
    val host = new Host(tumbling).under(byTheClock, 0)
    host.cell.processingTime = 3
    assert(host.batch(0, 1) == Nil)
    host.under(onTime, 0)
    assert(host.cell.nextProcessingTimer == StateCell.NoTimer)
    assert(host.clock(10) == Nil)
    assert(host.batch(9) == Seq("[0, 10) 1", "cleared [0, 10)"))
  }

  test("windows of the clock keep their clean-up by the clock") {
    val host = new Host(TumblingProcessingTimeWindows.of(ofMillis(10))).under(byTheClock, 0)
    assert(host.clock(3, 1) == Nil)
    host.under(never, 0)
    assert(host.clock(9) == Seq("cleared [0, 10)"))
    assert(host.cell.block == null)
  }

  test("to purging and back") {
    val host = new Host(tumbling).under(onTime, 5)
    assert(host.batch(0, 1) == Nil)
    host.under(PurgingTrigger.of(onTime), 5)
    assert(host.batch(9) == Seq("[0, 10) 1"))
    assert(host.batch(10, 2) == Seq("[0, 10) 2"))
    host.under(onTime, 5)
    assert(host.batch(11, 3) == Seq("[0, 10) 3"))
    assert(host.batch(12, 4) == Seq("[0, 10) 3 4"))
  }

  private val windows: Gen[WindowAssigner[String]] = Gen.oneOf(
    tumbling,
    SlidingEventTimeWindows.of(ofMillis(10), ofMillis(4)),
    EventTimeSessionWindows.withGap(ofMillis(7)),
    EventTimeSessionWindows.withGap(ofMillis(7)).withMaxLength(ofMillis(12))
  )

  // None that fires for as long as a window is kept.
  private val triggers: Gen[Trigger[String]] = Gen.oneOf(
    onTime,
    never,
    PurgingTrigger.of(onTime),
    CountTrigger.of(2),
    ContinuousEventTimeTrigger.of(ofMillis(3)),
    AfterWatermark.of(early = ofMillis(3))
  )

  // How far the watermark rises, and the rows: how far ahead of the watermark, or, rarely, behind it.
  private val batch = Gen.zip(
    Gen.frequency(1 -> Gen.const(0L), 4 -> Gen.choose(1L, 8L)),
    Gen.choose(0, 4).flatMap(Gen.listOfN(_, Gen.frequency(4 -> Gen.choose(1L, 15L), 1 -> Gen.choose(-12L, 0L))))
  )

  private val cases = for {
    assigner <- windows
    trigger  <- triggers
    before   <- Gen.choose(0L, 10L)
    after    <- Gen.choose(before, before + 10)
    first    <- Gen.nonEmptyListOf(batch)
    second   <- Gen.nonEmptyListOf(batch)
    if trigger.canMerge || !assigner.isInstanceOf[MergingWindowAssigner[_]]
  } yield (assigner, trigger, before, after, first, second)

  // Rows that are never late for the shorter lateness, and join no window that it has cleaned up: then the change must
  // not be seen, as if the longer lateness had held from the start.
  property("a longer lateness gives what it would have given from the start", cases, 3000) {
    case (assigner, trigger, before, after, first, second) =>
      val changed                               = new Host(assigner).under(trigger, before)
      val always                                = new Host(assigner).under(trigger, after)
      var watermark                             = 0L
      var cleanedUp                             = 0L
      var isBefore                              = true
      def both(batch: (Long, List[Long])): Unit = {
        val (by, ahead) = batch
        watermark += by
        if (isBefore) cleanedUp = watermark - before
        val rows = ahead.map(_ + watermark).filter(_ > cleanedUp + 1)
        Seq(changed, always).foreach(_.cell.processingTime = watermark)
        val results = Seq(changed, always).map(_.batch(watermark, rows: _*).filterNot(_.startsWith("cleared")))
        assert(results.head == results(1), s"watermark $watermark, rows $rows")
      }
      first.foreach(both)
      changed.under(trigger, after)
      isBefore = false
      second.foreach(both)
      both((1000L, Nil))
      both((1L, Nil))
      assert(changed.cell.nextEventTimer == always.cell.nextEventTimer)
  }

  private object AtTwenty extends Trigger[String] {
    import dev.sparkwindowing.windows.Window
    def onElement(element: String, timestamp: Long, window: Window, ctx: TriggerContext): TriggerResult = {
      ctx.registerEventTimeTimer(20)
      TriggerResult.Continue
    }
    def onEventTime(time: Long, window: Window, ctx: TriggerContext): TriggerResult =
      if (time == 20) TriggerResult.Fire else TriggerResult.Continue
    def onProcessingTime(time: Long, window: Window, ctx: TriggerContext): TriggerResult = TriggerResult.Continue
    def clear(window: Window, ctx: TriggerContext): Unit                                 = ctx.deleteEventTimeTimer(20)
  }
}
