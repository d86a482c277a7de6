package dev.sparkwindowing.triggers

import dev.sparkwindowing.assigners.{EventTimeSessionWindows, TumblingEventTimeWindows, WindowAssigner}
import dev.sparkwindowing.operator.KeyedOperator
import dev.sparkwindowing.testing.{Kept, Outputs, Properties}
import dev.sparkwindowing.windows.TimeWindow
import org.scalacheck.Gen

import java.time.Duration.ofMillis

/** A trigger with a condition over the contents of a window, here that the sum of its elements exceeds 10. */
class ConditionTriggerSpec extends Properties {

  private final class SumAbove10(every: Boolean, byMicroBatch: Boolean)
      extends ConditionTrigger[String](every, byMicroBatch) {
    protected def holds(contents: AnyRef): Boolean = sum(contents.toString) > 10
  }

  private def sum(contents: String): Int = contents.split(' ').map(_.toInt).sum

  private def trigger(every: Boolean = false, byMicroBatch: Boolean = false) = new SumAbove10(every, byMicroBatch)

  private val tumbling = TumblingEventTimeWindows.of(ofMillis(10))
  private val sessions = EventTimeSessionWindows.withGap(ofMillis(5))

  private final class Line(assigner: WindowAssigner[String], trigger: Trigger[String], lateness: Long = 0) {
    private val out   = new Outputs(Kept.AsAccumulator)
    private def fresh =
      Kept.AsAccumulator.operator(assigner, trigger, None, lateness, panes = false)(out)
    private var operator: KeyedOperator[String] = fresh
    operator.open(null)

    def fires: Seq[String]                         = out.take().fires.map(_.trim)
    def element(value: Int, at: Long): Seq[String] = {
      operator.processElement(value.toString, at)
      fires
    }
    def microBatch(): Seq[String] = {
      operator.endMicroBatch()
      fires
    }
    def watermark(time: Long): Seq[String] = {
      operator.advanceWatermark(time, time)
      fires
    }
    def reopen(): Unit = {
      val block     = if (operator.isEmpty) null else operator.close()
      val watermark = operator.currentWatermark
      operator = fresh
      operator.open(block)
      operator.setWatermark(watermark)
    }
    def isEmpty: Boolean = operator.isEmpty
  }

  test("once: when the sum exceeds 10 for the first time, and at no other element nor at the end") {
    val line = new Line(tumbling, trigger())
    assert(line.element(8, 1) == Nil)
    assert(line.element(3, 2) == Seq("[0, 10) 8 3"))
    line.reopen()
    assert(line.element(-5, 3) ++ line.element(9, 4) ++ line.watermark(9) == Nil)
    assert(line.isEmpty)
  }

  test("every: at each change from false to true, also over a restart") {
    val line = new Line(tumbling, trigger(every = true))
    assert(line.element(12, 1) == Seq("[0, 10) 12"))
    assert(line.element(1, 1) == Nil)
    line.reopen()
    assert(line.element(1, 1) ++ line.element(-9, 2) == Nil)
    line.reopen()
    assert(line.element(7, 2) == Seq("[0, 10) 12 1 1 -9 7"))
  }

  test("a purged window begins anew: the next element alone can make the condition true, once a window only once") {
    val each = new Line(tumbling, PurgingTrigger.of(trigger(every = true)))
    assert(
      each.element(12, 1) ++ each.element(30, 1) ++ each.element(1, 2) ++ each.element(10, 2) ==
        Seq("[0, 10) 12", "[0, 10) 30", "[0, 10) 1 10")
    )
    val once = new Line(tumbling, PurgingTrigger.of(trigger()))
    assert(once.element(12, 1) ++ once.element(30, 1) == Seq("[0, 10) 12"))
  }

  test(
    "sessions: merged contents are looked at with the element that merges them, and a session that held still does"
  ) {
    val line = new Line(sessions, trigger(every = true), lateness = 50)
    assert(line.element(6, 1) ++ line.element(6, 11) == Nil)
    assert(line.element(0, 6) == Seq("[1, 16) 6 6 0"))
    assert(line.element(1, 20) ++ line.element(2, 16) == Nil)
    assert(line.element(20, 40) == Seq("[40, 45) 20"))
    assert(line.element(-30, 45) ++ line.element(30, 50) == Seq("[40, 55) 20 -30 30"))
  }

  test("a micro-batch is looked at as a whole, and the end of a window without micro-batches") {
    val line = new Line(tumbling, trigger(every = true, byMicroBatch = true))
    assert(line.element(20, 1) ++ line.element(-20, 1) ++ line.microBatch() == Nil)
    assert(line.element(20, 1) ++ line.element(1, 1) ++ line.microBatch() == Seq("[0, 10) 20 -20 20 1"))
    assert(line.element(1, 1) ++ line.microBatch() ++ line.watermark(9) == Nil)
    assert(line.element(20, 11) ++ line.watermark(19) == Seq("[10, 20) 20"))
    assert(line.isEmpty)
  }

  test("nested: a firing of another trigger changes nothing; on time, before that, and late") {
    val any = new Line(tumbling, AnyTrigger.of(trigger(), CountTrigger.of(2)))
    assert(any.element(12, 1) == Seq("[0, 10) 12"))
    assert(any.element(1, 1) ++ any.element(1, 1) == Seq("[0, 10) 12 1 1"))
    assert(any.element(1, 1) ++ any.element(1, 1) == Seq("[0, 10) 12 1 1 1 1"))
    val phases = new Line(tumbling, AfterWatermark.of(early = trigger(), late = trigger()), lateness = 20)
    assert(phases.element(5, 1) ++ phases.element(6, 1) == Seq("[0, 10) 5 6"))
    assert(phases.watermark(9) ++ phases.element(-5, 1) == Seq("[0, 10) 5 6"))
    assert(phases.element(5, 2) == Seq("[0, 10) 5 6 -5 5"))
    assert(phases.element(5, 2) ++ phases.watermark(29) == Seq("[0, 10) 5 6 -5 5 5"))
    val once = new Line(tumbling, OnceTrigger.of(trigger(every = true)))
    assert(once.element(12, 1) ++ once.element(-12, 1) ++ once.element(12, 1) == Seq("[0, 10) 12"))
    val all = new Line(tumbling, AllTrigger.of(trigger(), CountTrigger.of(3)))
    assert(all.element(12, 1) ++ all.element(1, 1) ++ all.element(1, 1) == Seq("[0, 10) 12 1 1"))
  }

  private sealed trait Event
  private case class Element(value: Int, at: Long) extends Event
  private case class Watermark(by: Long)           extends Event
  private case object MicroBatch                   extends Event
  private case object Reopen                       extends Event

  private val event: Gen[Event] = Gen.frequency(
    8 -> Gen.zip(Gen.choose(-9, 12), Gen.choose(0L, 60L)).map((Element.apply _).tupled),
    2 -> Gen.const(MicroBatch),
    1 -> Gen.choose(1L, 12L).map(Watermark),
    1 -> Gen.const(Reopen)
  )

  private case class Live(window: TimeWindow, elements: List[Int], held: Boolean, grown: Boolean, unfired: Boolean)

  // One key, with lists.
  private final class Model(merging: Boolean, every: Boolean, byMicroBatch: Boolean, purging: Boolean) {
    private var live      = List.empty[Live]
    private var watermark = Long.MinValue

    private def decided(w: Live): (Live, Seq[String]) = {
      val now = w.elements.nonEmpty && w.elements.sum > 10
      if (w.elements.isEmpty || w.held && !every) (w, Nil)
      else if (now && !w.held) {
        val line = s"${w.window} ${w.elements.sorted.mkString(" ")}"
        (w.copy(held = true, elements = if (purging) Nil else w.elements, unfired = false), Seq(line))
      } else (w.copy(held = now), Nil)
    }

    private def put(w: Live): Unit = live = (w :: live.filterNot(_.window == w.window)).sortBy(_.window.start)

    def element(value: Int, at: Long): Seq[String] = {
      val own     = if (merging) TimeWindow(at, at + 5) else TimeWindow(at / 10 * 10, at / 10 * 10 + 10)
      val touched = live.filter(l => if (merging) l.window.intersects(own) else l.window == own)
      val window  = touched.map(_.window).foldLeft(own)(_ cover _)
      if (window.maxTimestamp <= watermark) Nil
      else {
        val before = touched.flatMap(_.elements)
        live = live.filterNot(touched.contains)
        val held           = touched.exists(_.held) && !(every && before.isEmpty)
        val w              = Live(window, before :+ value, held, grown = true, unfired = true)
        val (after, fires) = if (byMicroBatch) (w, Nil) else decided(w)
        put(after)
        fires
      }
    }

    def microBatch(): Seq[String] = live.filter(_.grown).flatMap { w =>
      val (after, fires) = if (byMicroBatch) decided(w) else (w, Nil)
      put(after.copy(grown = false))
      fires
    }

    def advance(by: Long): Seq[String] = {
      watermark = math.max(watermark, -1) + by
      val (over, left) = live.partition(_.window.maxTimestamp <= watermark)
      live = left
      if (byMicroBatch) over.flatMap(decided(_)._2) else Nil
    }

    def now: Long = watermark
  }

  property("any time line", Gen.zip(Gen.listOf(event), Gen.listOfN(4, Gen.oneOf(true, false))), 3000) {
    case (events, flags) =>
      val Seq(merging, every, byMicroBatch, purging) = flags: @unchecked
      val inner: Trigger[String]                     = trigger(every, byMicroBatch)
      val line  = new Line(if (merging) sessions else tumbling, if (purging) PurgingTrigger.of(inner) else inner)
      val model = new Model(merging, every, byMicroBatch, purging)
      def sorted(fires: Seq[String]) = fires.map { f =>
        val parts = f.split(' ')
        (parts.take(2) ++ parts.drop(2).map(_.toInt).sorted.map(_.toString)).mkString(" ")
      }
      events.foreach {
        case Element(value, at) => assert(sorted(line.element(value, at)) == model.element(value, at))
        case MicroBatch         => assert(sorted(line.microBatch()) == model.microBatch())
        case Watermark(by)      =>
          val expected = model.advance(by)
          assert(sorted(line.watermark(model.now)) == expected)
        case Reopen =>
          line.microBatch()
          model.microBatch()
          line.reopen()
      }
  }
}
