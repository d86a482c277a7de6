package dev.sparkwindowing.operator

import dev.sparkwindowing.assigners.{
  EventTimeSessionWindows,
  ProcessingTimeSessionWindows,
  TumblingEventTimeWindows,
  TumblingProcessingTimeWindows,
  WindowAssigner
}
import dev.sparkwindowing.contents.ElementList
import dev.sparkwindowing.testing.{Bag, BagContents, BagLines, Kept, MemoryCell, Outputs}
import dev.sparkwindowing.triggers.TriggerResult.{Continue, Fire}
import dev.sparkwindowing.triggers.{
  AfterWatermark,
  ContinuousEventTimeTrigger,
  ContinuousProcessingTimeTrigger,
  CountTrigger,
  EventTimeTrigger,
  FiringInterval,
  MicroBatchTrigger,
  ProcessingTimeTrigger,
  PurgingTrigger,
  Trigger,
  TriggerContext,
  TriggerResult
}
import dev.sparkwindowing.windows.Window
import org.scalatest.funsuite.AnyFunSuite

import java.time.Duration.ofMillis
import scala.util.Random

/** Tests what a step writes to the state of a key, and the order in which it takes rows and time. */
class StepSpec extends AnyFunSuite {

  private final class Host(
      assigner: WindowAssigner[String],
      rowsFirst: Boolean = false,
      lateness: Long = 0,
      trigger: Trigger[String] = EventTimeTrigger.create()
  ) {
    val cell         = new MemoryCell
    private val out  = new Outputs(Kept.AsList)
    private val step = new Step[String](
      new WindowOperator(
        OperatorRules[String, ElementList[String]](assigner, trigger, lateness, Kept.AsList.contents),
        out
      ),
      _.toLong,
      rowsFirst
    )

    /** A micro-batch; the rows are their own timestamps. Results as lines. */
    def batch(watermark: Long, rows: Long*): Seq[String] = {
      cell.previousWatermark = cell.watermark
      cell.watermark = watermark
      step.run(rows.iterator.map(_.toString), cell)
      val all = out.take()
      all.fires.map(_.trim) ++ all.late.map("late" + _)
    }

    /** All rows of a static input. */
    def bounded(rows: Long*): Seq[String] = {
      step.runBounded(rows.iterator.map(_.toString))
      out.take().fires.map(_.trim)
    }

    /** A micro-batch that knows the watermark of the next. */
    def batchBefore(next: Long, watermark: Long, rows: Long*): Seq[String] = {
      cell.knownNext = Some(next)
      batch(watermark, rows: _*)
    }

    /** A micro-batch at a processing time, with an unchanged watermark. */
    def clock(time: Long, rows: Long*): Seq[String] = {
      cell.processingTime = time
      batch(math.max(cell.watermark, 0), rows: _*)
    }
  }

  private val tumbling = TumblingEventTimeWindows.of(ofMillis(10))

  test("a key tells its next timers and how much it remembers, and is removed when nothing is left") {
    val host = new Host(tumbling, lateness = 5)
    assert(host.batch(0, 1, 12) == Nil)
    assert((host.cell.nextEventTimer, host.cell.nextProcessingTimer) == (9L, StateCell.NoTimer))
    assert((host.cell.windows, host.cell.timers) == (2, 4))
    assert(host.batch(9) == Seq("[0, 10) 1"))
    assert((host.cell.nextEventTimer, host.cell.windows, host.cell.timers) == (14L, 2, 3))
    assert(host.batch(19) == Seq("[10, 20) 12"))
    assert((host.cell.nextEventTimer, host.cell.windows, host.cell.timers) == (24L, 1, 1))
    assert(host.batch(24) == Nil)
    assert(host.cell.block == null)
    assert(host.cell.nextEventTimer == StateCell.NoTimer)
  }

  test("a watermark that is known for the next step fires behind the rows, which it does not judge") {
    val host = new Host(tumbling)
    assert(host.batchBefore(19, 0, 1, 12, 25) == Seq("[0, 10) 1", "[10, 20) 12"))
    assert((host.cell.nextEventTimer, host.cell.windows) == (29L, 1))
    assert(host.batchBefore(29, 19, 11) == Seq("[20, 30) 25", "late 11"))
    assert(host.cell.block == null)
    assert(host.batchBefore(40, 29, 33) == Seq("[30, 40) 33"), "a window that opens and closes in one step")
    assert(host.cell.block == null)
  }

  test("a next watermark that does not rise fires nothing") {
    val host = new Host(tumbling)
    assert(host.batchBefore(5, 5, 1) == Nil)
    assert(host.cell.nextEventTimer == 9)
  }

  for {
    (name, assigner) <- Seq[(String, WindowAssigner[String])](
      "tumbling" -> tumbling,
      "sessions" -> EventTimeSessionWindows.withGap(ofMillis(6))
    )
    trigger <- Seq[Trigger[String]](
      EventTimeTrigger.create(),
      PurgingTrigger.of(EventTimeTrigger.create()),
      ContinuousEventTimeTrigger.of(ofMillis(3))
    )
  } test(s"the same rows and firings in the same order as a step later: $name, $trigger") {
    val random = new Random(3)
    for (_ <- 1 to 200) {
      val (sooner, later) =
        (new Host(assigner, lateness = 4, trigger = trigger), new Host(assigner, lateness = 4, trigger = trigger))
      val watermarks = Seq.iterate(0L, 12)(_ + random.nextInt(9))
      val steps      = watermarks.map(w => w -> Seq.fill(random.nextInt(4))(w + random.nextInt(25) - 8))
      val both       = steps.zip(watermarks.tail :+ watermarks.last).map { case ((watermark, rows), next) =>
        (sooner.batchBefore(next, watermark, rows: _*), later.batch(watermark, rows: _*))
      }
      // Late rows come last in the lines of a step.
      def byKind(lines: Seq[String]) = lines.partition(_.startsWith("late"))
      assert(byKind(both.flatMap(_._1)) == byKind(both.flatMap(_._2)))
    }
  }

  test("timers up to a time of the host's, under a watermark that has risen beyond it") {
    val host = new Host(tumbling)
    host.batch(0, 1, 12, 25)
    host.cell.dueUntil = 19
    assert(host.batch(29) == Seq("[0, 10) 1", "[10, 20) 12"))
    assert(host.cell.nextEventTimer == 29)
    host.cell.dueUntil = Long.MaxValue
    host.cell.watermark = 19 // the same rise, the rest of it
    assert(host.batch(29) == Seq("[20, 30) 25"))
  }

  test("a key that nothing happens to is not written") {
    val host = new Host(tumbling)
    assert(host.batch(20, 5, 6) == Seq("late 5", "late 6"))
    assert(host.cell.saves == 0)
    assert(host.batch(20, 25) == Nil)
    assert(host.cell.saves == 1)
    assert(host.batch(28) == Nil)
    assert(host.batch(28, 7) == Seq("late 7"))
    assert(host.cell.saves == 1)
  }

  test("rows are taken until one has results") {
    var hasFired = false
    val out      = new WindowOutput[String, ElementList[String]] {
      def fire(window: Window, contents: ElementList[String], pane: PaneInfo): Unit = hasFired = true
      def late(element: String, timestamp: Long, missed: Option[Window]): Unit      = ()
      def cleared(window: Window): Unit                                             = ()
    }
    val results = new Step.Results { def areWaiting: Boolean = hasFired }
    val rules   = OperatorRules[String, ElementList[String]](tumbling, CountTrigger.of(2), 0L, Kept.AsList.contents)
    val step    = new Step[String](new WindowOperator(rules, out), _.toLong, rowsFirst = false)
    var taken   = 0
    def row(time: Int): String = {
      taken += 1
      time.toString
    }
    step.start((1 to 5).iterator.map(row), new MemoryCell)
    val seen = Iterator
      .continually {
        hasFired = false
        step.next(results)
      }
      .takeWhile(identity)
      .map(_ => taken)
    assert(seen.toList == List(2, 4))
    assert(taken == 5)
  }

  test("contents that fire and stay are not written anew") {
    val contents = new BagContents
    val out      = new BagLines
    val every3   = ContinuousEventTimeTrigger.of(ofMillis(3))
    val operator = new WindowOperator(OperatorRules[String, Bag](tumbling, every3, 0L, contents), out)
    val step     = new Step[String](operator, _.toLong, rowsFirst = false)
    val cell     = new MemoryCell
    def batch(watermark: Long, rows: String*): Seq[String] = {
      cell.previousWatermark = cell.watermark
      cell.watermark = watermark
      step.run(rows.iterator, cell)
      out.takeResults().map(_.stripSuffix(" odd pane")) // those of early firings
    }
    assert(batch(0, "1", "2") == Nil)
    assert(batch(3) == Seq("[0, 10) 1 2"))
    assert((contents.reads, contents.writes, cell.saves) == ((1, 1, 2)))
    assert(batch(6, "4") == Seq("[0, 10) 1 2"))
    assert((contents.reads, contents.writes, cell.saves) == ((2, 2, 3)))
    assert(batch(9) == Seq("[0, 10) 1 2 4"))
  }

  test("rows are judged against the step's own watermark, after its timers") {
    val host = new Host(tumbling)
    assert(host.batch(0, 1) == Nil)
    assert(host.batch(9, 2, 12) == Seq("[0, 10) 1", "late 2"))
  }

  test("rows that come first are judged against the watermark of the step before") {
    val host = new Host(tumbling, rowsFirst = true)
    assert(host.batch(0, 1) == Nil)
    assert(host.batch(9, 2, 12) == Seq("[0, 10) 1 2"))
    assert(host.batch(19, 3) == Seq("[10, 20) 12", "late 3"))
  }

  test("a session that joins nothing and is late leaves no trace") {
    val host = new Host(EventTimeSessionWindows.withGap(ofMillis(10)))
    assert(host.batch(20, 5) == Seq("late 5"))
    assert(host.cell.block == null)
  }

  for (rowsFirst <- Seq(false, true)) {
    test(s"what the clock has ended is over before rows come, rows first: $rowsFirst") {
      val sessions = new Host(
        ProcessingTimeSessionWindows.withGap(ofMillis(10)),
        rowsFirst,
        trigger = ProcessingTimeTrigger.create()
      )
      assert(sessions.clock(0, 1) == Nil)
      assert(sessions.clock(9, 2) == Seq("[0, 10) 1"))
      assert(sessions.clock(18) == Seq("[9, 19) 2"))

      val tumbling = new Host(
        TumblingProcessingTimeWindows.of(ofMillis(10)),
        rowsFirst,
        trigger = PurgingTrigger.of(ContinuousProcessingTimeTrigger.of(ofMillis(5)))
      )
      assert(tumbling.clock(0, 1) == Nil)
      assert(tumbling.clock(5, 2) == Seq("[0, 10) 1"))
      assert(tumbling.clock(9, 3) == Seq("[0, 10) 2"))
    }

    test(s"a timer of the clock that a row sets behind the clock waits for the next step, rows first: $rowsFirst") {
      val hasty = new Trigger[String] {
        def onElement(e: String, timestamp: Long, window: Window, ctx: TriggerContext): TriggerResult = {
          ctx.registerProcessingTimeTimer(3)
          Continue
        }
        def onEventTime(time: Long, window: Window, ctx: TriggerContext): TriggerResult      = Continue
        def onProcessingTime(time: Long, window: Window, ctx: TriggerContext): TriggerResult = Fire
        def clear(window: Window, ctx: TriggerContext): Unit                                 = ()
      }
      val host = new Host(tumbling, rowsFirst, trigger = hasty)
      assert(host.clock(5, 1) == Nil)
      assert(host.clock(6, 2) == Seq("[0, 10) 1"))
      assert(host.clock(7) == Seq("[0, 10) 1 2"))
    }
  }

  test("behind another stateful operator: timers of the clock, rows by the watermark before, timers of event time") {
    val host =
      new Host(tumbling, rowsFirst = true, trigger = AfterWatermark.of(early = ofMillis(5)))
    host.cell.processingTime = 0
    assert(host.batch(0, 1) == Nil)
    host.cell.processingTime = 5
    assert(host.batch(9, 2) == Seq("[0, 10) 1", "[0, 10) 1 2"))
  }

  private val micro   = MicroBatchTrigger.create()
  private val andEnds = AfterWatermark.of(FiringInterval.MicroBatch)

  test("windows fire by micro-batches behind the rows, before the timers of the next watermark") {
    assert(new Host(tumbling, trigger = micro).batchBefore(9, 0, 1, 2) == Seq("[0, 10) 1 2"))
    assert(new Host(tumbling, trigger = andEnds).batchBefore(9, 0, 1, 2) == Seq("[0, 10) 1 2", "[0, 10) 1 2"))
    for (trigger <- Seq(micro, andEnds)) {
      val host = new Host(tumbling, rowsFirst = true, trigger = trigger)
      assert(host.batch(0, 1, 2) == Seq("[0, 10) 1 2"))
      assert(host.batch(9) == (if (trigger == micro) Nil else Seq("[0, 10) 1 2")))
      assert(host.cell.block == null)
    }
  }

  test("by micro-batches in processing time") {
    val host = new Host(TumblingProcessingTimeWindows.of(ofMillis(10)), trigger = micro)
    assert(host.clock(5, 1, 2) == Seq("[0, 10) 1 2"))
    assert(host.clock(6, 3) == Seq("[0, 10) 1 2 3"))
    assert(host.clock(9) == Nil)
    assert(host.cell.block == null)
  }

  test("a static input has no micro-batches: its windows fire once, at their end") {
    for (trigger <- Seq(micro, andEnds))
      assert(new Host(tumbling, trigger = trigger).bounded(1, 12, 2) == Seq("[0, 10) 1 2", "[10, 20) 12"))
  }
}
