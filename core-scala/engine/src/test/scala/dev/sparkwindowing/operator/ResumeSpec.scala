package dev.sparkwindowing.operator

import dev.sparkwindowing.assigners.{
  EventTimeSessionWindows,
  LimitedSessionWindows,
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
  ContinuousProcessingTimeTrigger,
  CountTrigger,
  EventTimeTrigger,
  FiringInterval,
  MicroBatchTrigger,
  NeverTrigger,
  ProcessingTimeTrigger,
  PurgingTrigger,
  Trigger,
  TriggerContext,
  TriggerResult
}
import org.scalacheck.Gen

import java.time.Duration.ofMillis
import scala.collection.mutable

/** State that was kept under a shorter lateness, or another trigger, and is taken over. */
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
        step.resume(cell, if (keptUnder == trigger) None else keptUnder.spec.forgettable)
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

  private def early(millis: Long): Trigger[String] = AfterWatermark.of(early = ofMillis(millis))

  test("early firings from the change on: an open window fires at the next multiple, and at its end") {
    val host = new Host(tumbling).under(onTime, 5)
    host.cell.processingTime = 100
    assert(host.batch(0, 1) == Nil)
    host.under(early(30), 5)
    assert(host.cell.nextProcessingTimer == 120)
    assert(host.clock(120) == Seq("[0, 10) 1"))
    assert(host.clock(150) == Nil)
    assert(host.clock(155, 2) == Nil)
    assert(host.batch(9) == Seq("[0, 10) 1 2"))
    assert(host.cell.nextProcessingTimer == StateCell.NoTimer)
    assert(host.batch(10, 3) == Seq("[0, 10) 1 2 3"))
  }

  test("early firings no more, at another interval, and by micro-batch") {
    val host = new Host(tumbling).under(early(30), 5)
    host.cell.processingTime = 100
    assert(host.batch(0, 1) == Nil)
    host.under(early(7), 5)
    assert(host.clock(105) == Seq("[0, 10) 1"))
    host.under(AfterWatermark.of(early = FiringInterval.MicroBatch), 5)
    assert(host.clock(112) == Nil)
    assert(host.batch(1, 2) == Seq("[0, 10) 1 2"))
    host.under(onTime, 5)
    assert(host.cell.nextProcessingTimer == StateCell.NoTimer)
    assert(host.clock(150, 3) == Nil)
    assert(host.batch(9) == Seq("[0, 10) 1 2 3"))
  }

  test("a window that has fired at its end does not fire again, for triggers that remember what is pending") {
    for (trigger <- Seq(early(30), MicroBatchTrigger.create(), ContinuousEventTimeTrigger.of(ofMillis(3)))) {
      val host = new Host(tumbling).under(onTime, 5)
      assert(host.batch(0, 1) == Nil)
      assert(host.batch(9) == Seq("[0, 10) 1"))
      host.under(trigger, 5)
      assert(host.batch(10) == Nil)
      assert(host.batch(11, 2) == Seq("[0, 10) 1 2"))
      assert(host.batch(14) == Seq("cleared [0, 10)"))
      assert(host.cell.block == null)
    }
  }

  test("elements that wait for the clock in a window that has ended fire with the next advance, once") {
    val late: Trigger[String]  = AfterWatermark.of(late = ofMillis(30))
    val every: Trigger[String] = ContinuousProcessingTimeTrigger.of(ofMillis(30))
    for {
      (before, atEnd) <- Seq(late -> Seq("[0, 10) 1"), every -> Nil)
      after           <- Seq(onTime, early(50), MicroBatchTrigger.create(), ContinuousEventTimeTrigger.of(ofMillis(3)))
    } {
      val host = new Host(tumbling).under(before, 5)
      host.cell.processingTime = 1
      assert(host.batch(0, 1) == Nil)
      assert(host.batch(9) == atEnd)
      assert(host.batch(10, 2) == Nil)
      host.under(after, 5)
      assert(host.batch(11) == Seq("[0, 10) 1 2"), s"$before $after")
      assert(host.batch(12) == Nil)
      assert(host.batch(13, 3) == Seq("[0, 10) 1 2 3"))
      assert(host.batch(14) == Seq("cleared [0, 10)"))
      assert(host.cell.block == null)
    }
  }

  test("elements that wait for the clock fire by the clock, if the other trigger does so") {
    val host = new Host(tumbling).under(AfterWatermark.of(late = ofMillis(30)), 5)
    host.cell.processingTime = 100
    assert(host.batch(9) == Nil)
    assert(host.batch(10, 2) == Nil)
    host.under(byTheClock, 5)
    assert(host.clock(101) == Seq("[0, 10) 2"))
    assert(host.clock(130) == Nil)
  }

  test("a count begins at 0, and what another trigger has counted is forgotten") {
    val host = new Host(tumbling).under(onTime, 0)
    assert(host.batch(0, 1) == Nil)
    host.under(CountTrigger.of(2), 0)
    assert(host.batch(0, 2) == Nil)
    host.under(ContinuousEventTimeTrigger.of(ofMillis(4)), 0)
    assert(host.batch(3, 6) == Nil)
    assert(host.cell.nextEventTimer == 8)
    assert(host.batch(8) == Seq("[0, 10) 1 2 6"))
    host.under(CountTrigger.of(2), 0)
    assert(host.batch(8, 7) == Nil)
    assert(host.batch(8, 8) == Seq("[0, 10) 1 2 6 7 8"))
    assert(host.batch(9) == Seq("cleared [0, 10)"))
  }

  test("continuous by the clock: the next multiple from the change on") {
    val host = new Host(TumblingProcessingTimeWindows.of(ofMillis(100))).under(byTheClock, 0)
    assert(host.clock(3, 1) == Nil)
    host.under(ContinuousProcessingTimeTrigger.of(ofMillis(40)), 0)
    assert(host.cell.nextProcessingTimer == 40)
    assert(host.clock(41) == Seq("[0, 100) 1"))
  }

  test("sessions that an element ends keep the time of their last element") {
    val ending = EventTimeSessionWindows.withGap(ofMillis(7)).endsAt[String]((_: String) == "9")
    val host   = new Host(ending).under(early(30), 0)
    assert(host.batch(0, 5) == Nil)
    host.under(onTime, 0)
    host.under(CountTrigger.of(9), 0)
    host.under(early(30), 0)
    assert(host.batch(1, 9) == Nil)
    assert(host.batch(9) == Seq("[5, 10) 5 9", "cleared [5, 10)"))
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

  private val forgettable: Gen[Trigger[String]] = Gen.oneOf(
    onTime,
    never,
    byTheClock,
    MicroBatchTrigger.create(),
    CountTrigger.of(2),
    ContinuousEventTimeTrigger.of(ofMillis(3)),
    ContinuousProcessingTimeTrigger.of(ofMillis(3)),
    early(3),
    AfterWatermark.of(early = FiringInterval.MicroBatch, late = FiringInterval.MicroBatch)
  )
  private val firesAtEnd: Gen[Trigger[String]] =
    Gen.oneOf(onTime, MicroBatchTrigger.create(), ContinuousEventTimeTrigger.of(ofMillis(3)), early(3))

  private val changes = for {
    assigner <- windows
    first    <- Gen.nonEmptyListOf(Gen.zip(forgettable, batch))
    last     <- firesAtEnd
    more     <- Gen.listOf(batch)
    if !assigner.isMerging || (last +: first.map(_._1)).forall(_.canMerge)
  } yield (assigner, first, last, more)

  property("whatever triggers a window has had, the last one fires all its rows at its end", changes, 3000) {
    case (assigner, first, last, more) =>
      val hosts                                  = Seq.fill(2)(new Host(assigner).under(last, 0))
      val firings                                = Seq.fill(2)(mutable.Map.empty[(Long, Long), String])
      var watermark                              = 0L
      def both(by: Long, ahead: Seq[Long]): Unit = {
        watermark += by
        val rows = ahead.filter(_ > 0).map(_ + watermark)
        for ((host, results) <- hosts.zip(firings)) {
          host.cell.processingTime = watermark
          host.batch(watermark, rows: _*).collect { case Firing(start, end, all) =>
            results((start.toLong, end.toLong)) = all
          }
        }
      }
      for ((trigger, (by, ahead)) <- first) {
        val _ = hosts.head.under(trigger, 0)
        both(by, ahead)
      }
      val _      = hosts.head.under(last, 0)
      val before = firings(1).toMap
      firings.foreach(_.clear())
      more.foreach { case (by, ahead) => both(by, ahead) }
      both(1000L, Nil)
      both(1L, Nil)
      // Sessions that were merged into others may have fired before.
      def whole(results: mutable.Map[(Long, Long), String]) = results.filterNot { case ((start, end), _) =>
        results.keys.exists(other => other != ((start, end)) && other._1 <= start && end <= other._2)
      }
      // Firings that the trigger would have had before the change may come once more.
      val Seq(found, expected) = firings.map(whole)
      assert(expected.forall { case (window, all) => found.get(window).contains(all) }, s"$found $expected")
      assert(found.forall { case (window, all) => (before ++ expected).get(window).contains(all) }, s"$found $before")
      assert(hosts.head.cell.block == null)
  }

  // Those of the clock alone do not fire at the clean-up.
  private val losesNothing: Gen[Trigger[String]] = Gen.oneOf(
    onTime,
    MicroBatchTrigger.create(),
    ContinuousEventTimeTrigger.of(ofMillis(3)),
    early(3),
    AfterWatermark.of(late = ofMillis(7)),
    AfterWatermark.of(early = FiringInterval.MicroBatch, late = ofMillis(3))
  )

  // Sessions with a greatest length may fire parts of what they are in the end.
  private val unlimited = windows.filter(!_.isInstanceOf[LimitedSessionWindows[_]])

  private val lateChanges = for {
    assigner <- unlimited
    lateness <- Gen.choose(1L, 12L)
    first    <- Gen.nonEmptyListOf(Gen.zip(losesNothing, batch))
    last     <- firesAtEnd
    more     <- Gen.listOf(batch)
  } yield (assigner, lateness, first, last, more)

  property("no row is lost by a change of triggers, on time or late", lateChanges, 3000) {
    case (assigner, lateness, first, last, more) =>
      val changed                                = new Host(assigner)
      val always                                 = new Host(assigner).under(MicroBatchTrigger.create(), lateness)
      val results                                = Seq.fill(2)(mutable.Map.empty[(Long, Long), String])
      var watermark                              = 0L
      def both(by: Long, ahead: Seq[Long]): Unit = {
        watermark += by
        for ((host, results) <- Seq(changed, always).zip(results)) {
          host.cell.processingTime = watermark
          host.batch(watermark, ahead.map(_ + watermark).filter(_ >= 0): _*).collect { case Firing(start, end, all) =>
            results((start.toLong, end.toLong)) = all
          }
        }
      }
      for ((trigger, (by, ahead)) <- first) {
        val _ = changed.under(trigger, lateness)
        both(by, ahead)
      }
      val _ = changed.under(last, lateness)
      more.foreach { case (by, ahead) => both(by, ahead) }
      both(1000L, Nil)
      both(1L, Nil)
      // Without sessions that were merged into others: some triggers fire them before, some do not.
      val Seq(found, expected) = results.map(_.filterNot { case ((start, end), _) =>
        results.exists(_.keys.exists(other => other != ((start, end)) && other._1 <= start && end <= other._2))
      })
      assert(found == expected)
  }

  private val Firing = """\[(\d+), (\d+)\) (.*)""".r

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
