package dev.sparkwindowing.operator

import dev.sparkwindowing.assigners.{
  CalendarWindows,
  CumulativeEventTimeWindows,
  SlidingEventTimeWindows,
  TumblingEventTimeWindows,
  WindowAssigner
}
import dev.sparkwindowing.testing.{Bag, BagContents, BagLines, MemoryCell, Properties}
import dev.sparkwindowing.triggers.EventTimeTrigger
import org.scalacheck.Gen

import java.time.Duration.ofMillis
import java.time.Instant

/** Random windows and time lines: slices against the operator that keeps windows. */
class SlicesAgainstWindowsSpec extends Properties {

  private sealed trait Event
  private case class Element(timestamp: Long) extends Event
  // Fires in one call, or in one for each millisecond as a host with several keys does.
  private case class Watermark(by: Long, stepwise: Boolean) extends Event
  private case object Reopen                                extends Event

  private val onGrid: Gen[WindowAssigner[Any]] =
    for {
      size   <- Gen.frequency(2 -> Gen.choose(1L, 12L), 1 -> Gen.choose(1L, 80L))
      slide  <- Gen.frequency(3 -> Gen.choose(1L, size), 1 -> Gen.const(size))
      offset <- Gen.choose(-slide + 1, slide - 1)
    } yield
      if (slide == size) TumblingEventTimeWindows.of(ofMillis(size), ofMillis(offset))
      else SlidingEventTimeWindows.of(ofMillis(size), ofMillis(slide), ofMillis(offset))

  private val cumulative: Gen[WindowAssigner[Any]] =
    for {
      step   <- Gen.choose(1L, 8L)
      steps  <- Gen.choose(1L, 12L)
      offset <- Gen.choose(-step * steps + 1, step * steps - 1)
    } yield CumulativeEventTimeWindows.of(ofMillis(step * steps), ofMillis(step), ofMillis(offset))

  private val windows: Gen[WindowAssigner[Any]] = Gen.frequency(3 -> onGrid, 2 -> cumulative)

  private val timestamp = Gen.frequency(8 -> Gen.choose(-30L, 90L), 1 -> Gen.choose(-60L, 400L))
  private val by        = Gen.frequency(4 -> Gen.choose(0L, 6L), 2 -> Gen.choose(1L, 40L), 1 -> Gen.choose(1L, 300L))

  private val event: Gen[Event] = Gen.frequency(
    6 -> timestamp.map(Element),
    2 -> Gen.zip(by, Gen.oneOf(true, false)).map((Watermark.apply _).tupled),
    1 -> Gen.const(Reopen)
  )

  private final class Side(operators: (BagContents, BagLines) => KeyedOperator[String]) {
    val out                             = new BagLines
    private val contents                = new BagContents
    private def fresh                   = operators(contents, out)
    var operator: KeyedOperator[String] = fresh
    def step(rowsFirst: Boolean)        = new Step[String](operator, _.takeWhile(_ != ' ').toLong, rowsFirst)

    def reopen(): Unit = {
      val block     = if (operator.isEmpty) null else operator.close()
      val watermark = operator.currentWatermark
      operator = fresh
      operator.open(block)
      operator.setWatermark(watermark)
    }
  }

  private def slices(w: WindowAssigner[Any]) = new Side(
    new SlicedOperator[String, Bag](w.slices.getOrElse(fail(s"$w has no slices")), _, _)
  )

  private def whole(w: WindowAssigner[Any]) = new Side((contents, out) =>
    new WindowOperator(OperatorRules[String, Bag](w, EventTimeTrigger.create(), 0L, contents), out)
  )

  private def same(left: Side, right: Side, when: String): Unit = {
    assert(left.out.take() == right.out.take(), when)
    assert(left.operator.nextEventTimer == right.operator.nextEventTimer, when)
    assert(left.operator.hasChanged == right.operator.hasChanged, when)
    assert(left.operator.isEmpty == right.operator.isEmpty, when)
  }

  private val timeLine = Gen.choose(1, 80).flatMap(Gen.listOfN(_, event))

  property("any windows, any time line", Gen.zip(windows, timeLine), 4000) { case (w, events) =>
    val left      = slices(w)
    val right     = whole(w)
    var watermark = -40L
    Seq(left, right).foreach(_.operator.open(null))
    events.zipWithIndex.foreach { case (event, i) =>
      Seq(left, right).foreach { side =>
        event match {
          case Element(timestamp)   => side.operator.processElement(i.toString, timestamp)
          case Watermark(by, false) => side.operator.advanceWatermark(watermark + by, watermark + by)
          case Watermark(by, true)  =>
            (watermark to watermark + by).foreach(side.operator.advanceWatermark(watermark + by, _))
          case Reopen => side.reopen()
        }
      }
      event match {
        case Watermark(by, _) => watermark += by
        case _                => ()
      }
      same(left, right, s"$w, after event $i, $event")
    }
  }

  // With hours for milliseconds: a few months around the two changes of the clocks of a year.
  private val calendar: Gen[CalendarWindows] = Gen
    .zip(Gen.choose(1, 3), Gen.oneOf("Europe/Berlin", "Asia/Beirut", "America/St_Johns"), Gen.choose(0, 2))
    .map {
      case (n, zone, 0) => CalendarWindows.days(n, zone)
      case (n, zone, 1) => CalendarWindows.weeks(n, timeZone = zone)
      case (n, zone, _) => CalendarWindows.months(n, 28, zone)
    }
  private val change = Gen.oneOf("2010-03-14T00:00:00Z", "2010-11-07T02:30:00Z").map(Instant.parse(_).toEpochMilli)

  property("calendar windows", Gen.zip(calendar, change, timeLine), 1000) { case (w, origin, events) =>
    def at(hours: Long) = origin + hours * 3600000L
    val left            = slices(w)
    val right           = whole(w)
    var watermark       = -40L
    Seq(left, right).foreach(_.operator.open(null))
    events.zipWithIndex.foreach { case (event, i) =>
      Seq(left, right).foreach { side =>
        event match {
          case Element(timestamp) => side.operator.processElement(i.toString, at(timestamp) - i % 2)
          case Watermark(by, _)   => side.operator.advanceWatermark(at(watermark + by), at(watermark + by))
          case Reopen             => side.reopen()
        }
      }
      event match {
        case Watermark(by, _) => watermark += by
        case _                => ()
      }
      same(left, right, s"$w, after event $i, $event")
    }
  }

  // Rows of two keys and the watermark.
  private val batch   = Gen.zip(Gen.listOf(timestamp), Gen.listOf(timestamp), by)
  private val batches = Gen.choose(1, 12).flatMap(Gen.listOfN(_, batch))

  property("rows first and timers first, one operator for all keys", Gen.zip(windows, batches), 1000) { case (w, all) =>
    for (rowsFirst <- Seq(true, false)) {
      val sides = Seq(slices(w), whole(w)).map(s => (s, s.step(rowsFirst), Seq.fill(2)(new MemoryCell)))
      all.zipWithIndex.foreach { case ((first, second, by), i) =>
        Seq(first, second).zipWithIndex.foreach { case (rows, key) =>
          sides.foreach { case (_, step, cells) =>
            cells(key).previousWatermark = cells(key).watermark
            cells(key).watermark = math.max(cells(key).watermark, -40) + by
            step.run(rows.zipWithIndex.map { case (at, n) => s"$at $i.$n" }.iterator, cells(key))
          }
          same(sides.head._1, sides(1)._1, s"$w, batch $i, key $key")
          val saved = sides.map { case (_, _, cells) => (cells(key).block == null, cells(key).saves) }
          assert(saved.distinct.size == 1, s"$w, batch $i, key $key")
        }
      }
    }
  }

  property("a bounded input", Gen.zip(windows, Gen.listOf(Gen.listOf(timestamp))), 500) { case (w, keys) =>
    val left  = slices(w)
    val right = whole(w)
    val steps = Seq(left, right).map(side => (side, side.step(rowsFirst = false)))
    keys.foreach { rows =>
      steps.foreach { case (_, step) => step.runBounded(rows.zipWithIndex.map { case (at, n) => s"$at $n" }.iterator) }
      same(left, right, s"$w of $rows")
    }
  }

  property("elements at the start of their slice", Gen.zip(windows, timeLine), 1000) { case (w, events) =>
    val grid      = w.slices.getOrElse(fail(s"$w has no slices"))
    val left      = slices(w)
    val right     = whole(w)
    var watermark = -40L
    Seq(left, right).foreach(_.operator.open(null))
    events.zipWithIndex.foreach {
      case (Element(timestamp), i) =>
        left.operator.processElement(i.toString, grid.sliceStart(timestamp))
        right.operator.processElement(i.toString, timestamp)
      case (Watermark(by, _), _) =>
        watermark += by
        Seq(left, right).foreach(_.operator.advanceWatermark(watermark, watermark))
      case (Reopen, _) => left.reopen()
    }
    assert(left.out.take() == right.out.take(), w)
  }
}
