package dev.sparkwindowing.operator

import dev.sparkwindowing.assigners.{
  CalendarWindows,
  CumulativeEventTimeWindows,
  SlidingEventTimeWindows,
  TumblingEventTimeWindows,
  WindowAssigner
}
import dev.sparkwindowing.testing.{Bag, BagContents, Properties}
import dev.sparkwindowing.triggers.EventTimeTrigger
import dev.sparkwindowing.windows.{TimeWindow, Window, WindowCollector}
import org.scalacheck.Gen

import java.time.Duration.ofMillis
import java.time.Instant

/** Windows without elements: both operators against a plain loop over all windows of the time line. */
class EmptyWindowsModelSpec extends Properties {

  private sealed trait Event
  private case class Element(timestamp: Long) extends Event
  private case class Watermark(by: Long)      extends Event
  private case object Reopen                  extends Event

  /** Windows of a time line, which `at` stretches, and the time for which empty ones fire. */
  private case class Case(assigner: WindowAssigner[Any], forAtMost: Long, lateness: Long, at: Long => Long)

  private val onGrid = for {
    size   <- Gen.choose(1L, 20L)
    slide  <- Gen.frequency(2 -> Gen.choose(1L, size), 1 -> Gen.const(size))
    offset <- Gen.choose(-slide + 1, slide - 1)
    for_   <- Gen.choose(slide, slide * 8)
  } yield (
    if (slide == size) TumblingEventTimeWindows.of(ofMillis(size), ofMillis(offset))
    else SlidingEventTimeWindows.of(ofMillis(size), ofMillis(slide), ofMillis(offset)),
    for_
  )

  private val cumulative = for {
    step  <- Gen.choose(1L, 8L)
    steps <- Gen.choose(1L, 8L)
    for_  <- Gen.choose(step, step * steps * 2)
  } yield (CumulativeEventTimeWindows.of(ofMillis(step * steps), ofMillis(step)), for_)

  private val plain = Gen.zip(Gen.oneOf(onGrid, cumulative), Gen.oneOf(Gen.const(0L), Gen.choose(0L, 60L))).map {
    case ((w, for_), lateness) => Case(w, for_, lateness, identity)
  }

  // With hours for milliseconds, around a change of the clocks.
  private val calendar = for {
    n        <- Gen.choose(1, 2)
    zone     <- Gen.oneOf("Europe/Berlin", "America/St_Johns")
    for_     <- Gen.choose(24L * n + 1, 200L)
    lateness <- Gen.oneOf(0L, 30L)
  } yield {
    val origin = Instant.parse("2010-03-12T00:00:00Z").toEpochMilli
    Case(CalendarWindows.days(n, zone), for_ * 3600000L, lateness * 3600000L, origin + _ * 3600000L)
  }

  private val timestamp = Gen.frequency(6 -> Gen.choose(0L, 90L), 1 -> Gen.choose(0L, 400L))
  private val by        = Gen.frequency(4 -> Gen.choose(1L, 6L), 2 -> Gen.choose(1L, 40L), 1 -> Gen.choose(1L, 200L))

  private val timeLine = Gen
    .choose(1, 60)
    .flatMap(
      Gen.listOfN(
        _,
        Gen.frequency[Event](5 -> timestamp.map(Element), 3 -> by.map(Watermark), 1 -> Gen.const(Reopen))
      )
    )

  /** The rule, with lists and filters. */
  private final class Model(c: Case) {
    private val windows = {
      val all = for (t <- -250L to 700L) yield {
        val of = new WindowCollector
        c.assigner.assignWindows("", c.at(t), 0L, of)
        (0 until of.size).map(of.window)
      }
      all.flatten.distinct.collect { case w: TimeWindow => w }.sortBy(_.end)
    }
    private var watermark = Long.MinValue
    private var elements  = Map.empty[TimeWindow, List[String]]
    private var filled    = Set.empty[TimeWindow]
    private var firings   = Map.empty[TimeWindow, Int].withDefaultValue(0)

    private def isLate(w: TimeWindow, now: Long) = w.maxTimestamp + c.lateness <= now

    private def fire(w: TimeWindow, timing: String): String = {
      val line = s"$w ${elements.get(w).fold("empty")(_.sorted.mkString(" "))} $timing ${firings(w)}"
      firings += w -> (firings(w) + 1)
      line
    }

    def element(value: String, time: Long): Seq[String] = {
      val of    = windows.filter(w => w.start <= time && time < w.end).reverse
      val taken = of.filterNot(isLate(_, watermark))
      if (taken.isEmpty) Seq(s"late $value")
      else
        taken.flatMap { w =>
          elements += w -> (value :: elements.getOrElse(w, Nil))
          if (w.maxTimestamp <= watermark) Some(fire(w, "late")) else None
        }
    }

    def advance(now: Long): Seq[String] = {
      val before = watermark
      watermark = now
      val ended = windows.filter(w => w.maxTimestamp <= now && !isLate(w, before) && !filled(w))
      ended.flatMap { w =>
        val timing = if (w.maxTimestamp > before) "on_time" else "late"
        val since  = elements.keys.map(_.end).filter(_ < w.end).maxOption
        if (elements.contains(w)) if (timing == "on_time") Some(fire(w, timing)) else None
        else if (since.exists(w.end - _ <= c.forAtMost)) {
          filled += w
          Some(fire(w, timing))
        } else None
      }
    }
  }

  private final class Lines extends WindowOutput[String, Bag] {
    private var lines                                             = Vector.empty[String]
    private var open                                              = Set.empty[Window]
    def fire(window: Window, contents: Bag, pane: PaneInfo): Unit = {
      assert(pane.isEmpty == contents.elements.isEmpty, window)
      open += window
      val values = if (pane.isEmpty) "empty" else contents.toString
      lines :+= s"$window $values ${pane.timing.name} ${pane.number}"
    }
    def late(element: String, timestamp: Long, missed: Option[Window]): Unit = lines :+= s"late $element"
    def cleared(window: Window): Unit                                        = {
      assert(open(window), s"$window is cleaned up before it fires, or twice")
      open -= window
    }
    def take(): Vector[String] = {
      val all = lines
      lines = Vector.empty
      all
    }
    def uncleared: Set[Window] = open
  }

  private def windowsOf(c: Case)(out: Lines) = new WindowOperator(
    OperatorRules[String, Bag](c.assigner, EventTimeTrigger.create(), c.lateness, new BagContents).withPanes
      .withEmptyWindows(EmptyWindows.of(c.assigner, c.forAtMost)),
    out
  )

  private def slicesOf(c: Case)(out: Lines) = {
    val rule = EmptyWindows.of(c.assigner, c.forAtMost)
    new SlicedOperator[String, Bag](rule.grid, new BagContents, out, rule)
  }

  private def check(c: Case, events: Seq[Event])(operators: Lines => KeyedOperator[String]): Unit = {
    val out                 = new Lines
    val model               = new Model(c)
    var operator            = operators(out)
    var watermark           = c.at(-40)
    def advance(time: Long) = {
      watermark = time
      operator.advanceWatermark(time, time)
      model.advance(time)
    }
    operator.open(null)
    advance(watermark)
    events.zipWithIndex.foreach { case (event, i) =>
      val expected = event match {
        case Element(time) =>
          operator.processElement(i.toString, c.at(time))
          model.element(i.toString, c.at(time))
        case Watermark(by) => advance(watermark + c.at(by) - c.at(0))
        case Reopen        =>
          val block = if (operator.isEmpty) null else operator.close()
          operator = operators(out)
          operator.open(block)
          operator.setWatermark(watermark)
          Nil
      }
      assert(out.take() == expected, s"after event $i, $event")
      if (c.lateness == 0) assert(operator.eventTimerCount <= operator.windowCount + 1)
    }
    advance(c.at(5000))
    out.take()
    assert(operator.isEmpty)
    assert(out.uncleared.isEmpty)
  }

  property("windows in the state", Gen.zip(Gen.frequency(4 -> plain, 1 -> calendar), timeLine), 3000) {
    case (c, events) => check(c, events)(windowsOf(c))
  }

  property("slices", Gen.zip(Gen.frequency(4 -> plain, 1 -> calendar), timeLine), 2000) { case (some, events) =>
    val c = some.copy(lateness = 0)
    check(c, events)(slicesOf(c))
  }
}
