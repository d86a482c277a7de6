package dev.sparkwindowing.operator

import dev.sparkwindowing.assigners.{
  CalendarWindows,
  CumulativeEventTimeWindows,
  NamedWindows,
  SlidingEventTimeWindows,
  TumblingEventTimeWindows,
  WindowAssigner
}
import dev.sparkwindowing.testing.{Bag, BagContents, BagLines, MemoryCell, Properties}
import dev.sparkwindowing.triggers.EventTimeTrigger
import dev.sparkwindowing.windows.Window
import org.scalacheck.Gen

import java.time.Duration.ofMillis
import java.time.Instant

/** Windows of several grids that share slices: each grid against an operator that keeps its windows alone. */
class SharedSlicesSpec extends Properties {

  private sealed trait Event
  private case class Element(timestamp: Long) extends Event
  // Fires in one call, or in one for each millisecond as a host with several keys does.
  private case class Watermark(by: Long, stepwise: Boolean) extends Event
  private case object Reopen                                extends Event

  private type Grids = Seq[WindowAssigner[Any]]

  private val tumbling: Gen[WindowAssigner[Any]] =
    for (size <- Gen.oneOf(1L, 2L, 5L, 6L, 10L, 30L, 60L); offset <- Gen.choose(0L, size - 1))
      yield TumblingEventTimeWindows.of(ofMillis(size), ofMillis(offset))

  private val sliding: Gen[WindowAssigner[Any]] =
    for (slide <- Gen.choose(1L, 20L); more <- Gen.choose(0L, 60L); offset <- Gen.choose(0L, slide - 1))
      yield SlidingEventTimeWindows.of(ofMillis(slide + more), ofMillis(slide), ofMillis(offset))

  private val cumulative: Gen[WindowAssigner[Any]] =
    for (step <- Gen.choose(1L, 8L); steps <- Gen.choose(1L, 12L))
      yield CumulativeEventTimeWindows.of(ofMillis(step * steps), ofMillis(step))

  private val grids: Gen[Grids] =
    Gen.choose(1, 4).flatMap(Gen.listOfN(_, Gen.frequency(3 -> tumbling, 2 -> sliding, 1 -> cumulative)))

  private val timestamp = Gen.frequency(8 -> Gen.choose(-30L, 90L), 1 -> Gen.choose(-60L, 400L))
  private val by        = Gen.frequency(4 -> Gen.choose(0L, 6L), 2 -> Gen.choose(1L, 40L), 1 -> Gen.choose(1L, 300L))

  private val timeLine = Gen
    .choose(1, 80)
    .flatMap(
      Gen.listOfN(
        _,
        Gen.frequency[Event](
          6 -> timestamp.map(Element),
          3 -> Gen.zip(by, Gen.oneOf(true, false)).map((Watermark.apply _).tupled),
          1 -> Gen.const(Reopen)
        )
      )
    )

  /** One key, by the operator for all grids and by one for each. */
  private final class Sides(grids: Grids) {
    private val outs     = grids.map(_ => new BagLines)
    private val order    = new Order(outs)
    private val alone    = grids.map(_ => new BagLines)
    private val contents = new BagContents

    private def shared: KeyedOperator[String] =
      new SharedSlicesOperator[String, Bag](NamedWindows.of(named(grids): _*).grids, contents, order.outputs)
    private def single(i: Int): KeyedOperator[String] = new WindowOperator(
      OperatorRules[String, Bag](grids(i), EventTimeTrigger.create(), 0L, new BagContents),
      alone(i)
    )

    var operator                                     = shared
    var singles: IndexedSeq[KeyedOperator[String]]   = grids.indices.map(single)
    def operators: IndexedSeq[KeyedOperator[String]] = operator +: singles

    def reopen(): Unit = {
      operator = again(operator, shared)
      singles = grids.indices.map(i => again(singles(i), single(i)))
    }

    def check(when: => String): Unit = {
      outs.zip(alone).zip(grids).foreach { case ((out, expected), grid) =>
        assert(out.take() == expected.take(), s"$grid, $when")
      }
      assert(operator.nextEventTimer == singles.map(_.nextEventTimer).min, when)
      assert(operator.isEmpty == singles.forall(_.isEmpty), when)
      assert(operator.eventTimerCount == (if (operator.isEmpty) 0 else 1), when)
      order.check(when)
    }
  }

  private def named(grids: Grids) = grids.zipWithIndex.map { case (grid, i) => s"w$i" -> grid }

  private def again(operator: KeyedOperator[String], fresh: KeyedOperator[String]): KeyedOperator[String] = {
    fresh.open(if (operator.isEmpty) null else operator.close())
    fresh.setWatermark(operator.currentWatermark)
    fresh
  }

  /** The firings of all grids between two checks: by end, then by grid. */
  private final class Order(outs: Seq[BagLines]) {
    private var fired = Vector.empty[(Long, Int)]

    val outputs: Seq[WindowOutput[String, Bag]] = outs.zipWithIndex.map { case (out, i) =>
      new WindowOutput[String, Bag] {
        def fire(window: Window, contents: Bag, pane: PaneInfo): Unit = {
          fired :+= window.maxTimestamp -> i
          out.fire(window, contents, pane)
        }
        def late(element: String, timestamp: Long, missed: Option[Window]): Unit = out.late(element, timestamp, missed)
        def cleared(window: Window): Unit                                        = out.cleared(window)
      }
    }

    def check(when: => String): Unit = {
      assert(fired == fired.sorted, when)
      fired = Vector.empty
    }
  }

  private def play(grids: Grids, events: Seq[Event], at: Long => Long, stepwise: Boolean): Unit = {
    val sides     = new Sides(grids)
    var watermark = -70L
    sides.operators.foreach { o =>
      o.open(null)
      o.setWatermark(at(watermark))
    }
    events.zipWithIndex.foreach { case (event, i) =>
      event match {
        case Element(timestamp)   => sides.operators.foreach(_.processElement(i.toString, at(timestamp) - i % 2))
        case Watermark(by, steps) =>
          val next = watermark + by
          sides.operators.foreach { o =>
            if (steps && stepwise) (watermark to next).foreach(due => o.advanceWatermark(at(next), at(due)))
            else o.advanceWatermark(at(next), at(next))
          }
          watermark = next
        case Reopen => sides.reopen()
      }
      sides.check(s"${grids.mkString(", ")}, after event $i, $event")
    }
    sides.operators.foreach(_.advanceWatermark(at(2000), at(2000)))
    sides.check("at the end")
    assert(sides.operator.isEmpty)
  }

  property("any grids, any time line", Gen.zip(grids, timeLine), 5000) { case (all, events) =>
    play(all, events, identity, stepwise = true)
  }

  // With hours for milliseconds: days, weeks and months beside hours, around a change of the clocks.
  private val withCalendar: Gen[Grids] = for {
    n    <- Gen.choose(1, 2)
    zone <- Gen.oneOf("Europe/Berlin", "America/St_Johns")
    unit <- Gen.oneOf(
      CalendarWindows.days(n, zone),
      CalendarWindows.weeks(n, timeZone = zone),
      CalendarWindows.months(1, 28, zone)
    )
    hours <- Gen.oneOf(1L, 6L, 24L)
  } yield Seq(unit, TumblingEventTimeWindows.of(ofMillis(hours * 3600000L)), CalendarWindows.days(1, zone))

  private val start = Instant.parse("2010-03-14T00:00:00Z").toEpochMilli

  property("calendar windows", Gen.zip(withCalendar, timeLine), 1000) { case (all, events) =>
    play(all, events, start + _ * 3600000L, stepwise = false)
  }

  private val batches =
    Gen.choose(1, 12).flatMap(Gen.listOfN(_, Gen.zip(Gen.listOf(timestamp), Gen.listOf(timestamp), by)))

  property("two keys, micro-batch after micro-batch, in pages", Gen.zip(grids, batches), 1000) { case (all, batches) =>
    for (rowsFirst <- Seq(true, false)) {
      val sides = new Sides(all)
      val steps = sides.operators.map { o =>
        (new Step[String](o, _.takeWhile(_ != ' ').toLong, rowsFirst), Seq.fill(2)(new MemoryCell))
      }
      batches.zipWithIndex.foreach { case ((first, second, by), i) =>
        Seq(first, second).zipWithIndex.foreach { case (rows, key) =>
          steps.foreach { case (step, cells) =>
            val cell = cells(key)
            cell.previousWatermark = cell.watermark
            cell.watermark = math.max(cell.watermark, -70) + by
            step.run(rows.zipWithIndex.map { case (at, n) => s"$at $i.$n" }.iterator, cell)
            cell.pieces.requireThoseOf(cell.block)
          }
          sides.check(s"${all.mkString(", ")}, batch $i, key $key")
        }
      }
    }
  }

  property("a bounded input", Gen.zip(grids, Gen.listOf(timestamp)), 1000) { case (all, rows) =>
    val sides = new Sides(all)
    sides.operators.foreach { o =>
      new Step[String](o, _.takeWhile(_ != ' ').toLong, rowsFirst = false)
        .runBounded(rows.zipWithIndex.map { case (at, n) => s"$at $n" }.iterator)
    }
    sides.check(s"${all.mkString(", ")} of $rows")
  }

  private val sizes = Seq(1L, 5L, 15L, 60L, 1440L).map(size => TumblingEventTimeWindows.of(ofMillis(size * 10)))

  test("the state has a slice for each open window, and each element is merged a few times") {
    val contents = new BagContents
    val outs     = sizes.map(_ => new BagLines)
    val operator = new SharedSlicesOperator[String, Bag](sizes.flatMap(_.slices), contents, outs)
    operator.open(null)
    var most = 0
    for (minute <- 0 until 1440) {
      for (i <- 0 until 5) operator.processElement(s"$minute.$i", minute * 10L + i)
      operator.advanceWatermark(minute * 10L + 9, minute * 10L + 9)
      most = math.max(most, operator.windowCount)
    }
    assert(most <= 4)
    assert(outs.map(_.takeResults().size) == Seq(1440, 288, 96, 24, 1))
    assert(operator.isEmpty)
    assert(contents.merges <= 2 * 1440)
  }

  test("windows that fire late, all at once, are merged from slices once for each grid") {
    val contents = new BagContents
    val operator =
      new SharedSlicesOperator[String, Bag](sizes.flatMap(_.slices), contents, sizes.map(_ => new BagLines))
    operator.open(null)
    for (minute <- 0 until 1440) operator.processElement(s"$minute", minute * 10L)
    operator.advanceWatermark(Long.MaxValue, Long.MaxValue)
    assert(operator.isEmpty)
    assert(contents.merges <= 4 * 1440 && contents.copies <= 288 + 96 + 24 + 1)
  }
}
