package dev.sparkwindowing.operator

import dev.sparkwindowing.assigners.OverEventTimeWindows
import dev.sparkwindowing.testing.{BagContents, BagLines, Kept, MemoryCell, MemoryPieces, Properties}
import dev.sparkwindowing.windows.{TimeWindow, Window}
import org.scalacheck.Gen

import java.time.Duration.ofMillis

/** Random over windows and time lines: the operator, in each way to keep elements, against lists and filters. */
class OverModelSpec extends Properties {
  import OverModelSpec._

  private val windows: Gen[OverEventTimeWindows] = Gen.oneOf(
    Gen
      .frequency(3 -> Gen.choose(1L, 12L), 1 -> Gen.choose(1L, 80L))
      .map(d => OverEventTimeWindows.preceding(ofMillis(d))),
    Gen.frequency(3 -> Gen.choose(1L, 5L), 1 -> Gen.choose(1L, 30L)).map(OverEventTimeWindows.precedingRows)
  )

  private val lateness = Gen.frequency(1 -> Gen.const(0L), 2 -> Gen.choose(1L, 15L))

  // Ahead of the watermark, or, less often, behind it; many of equal time.
  private val ahead = Gen.frequency(5 -> Gen.choose(-3L, 12L), 2 -> Gen.choose(-25L, 0L), 1 -> Gen.choose(-40L, 100L))
  private val by    = Gen.frequency(4 -> Gen.choose(0L, 6L), 2 -> Gen.choose(1L, 40L), 1 -> Gen.choose(1L, 200L))

  private val event: Gen[Event] = Gen.frequency(
    7 -> ahead.map(Element),
    2 -> Gen.zip(by, Gen.oneOf(true, false)).map((Watermark.apply _).tupled),
    1 -> Gen.const(Reopen)
  )

  private val timeLine = Gen.choose(1, 80).flatMap(Gen.listOfN(_, event))

  property("any over windows, any time line, any restarts", Gen.zip(windows, lateness, timeLine), 5000) {
    case (w, late, events) =>
      val model     = new OverModel(w, late)
      val sides     = Seq(new Side(Kept.AsList, w, late), new Side(Kept.AsAccumulator, w, late))
      var watermark = -20L
      (events :+ Watermark(1000, stepwise = false)).zipWithIndex.foreach { case (event, i) =>
        event match {
          case Element(ahead) =>
            model.element(i.toString, watermark + ahead)
            sides.foreach(_.operator.processElement(i.toString, watermark + ahead))
          case Watermark(by, stepwise) =>
            val times = if (stepwise) watermark to watermark + by else Seq(watermark + by)
            watermark += by
            model.advance(watermark)
            sides.foreach(s => times.foreach(s.operator.advanceWatermark(watermark, _)))
          case Reopen => sides.foreach(_.reopen())
        }
        val expected = model.take()
        sides.foreach { side =>
          assert(side.take() == expected, s"$w, lateness $late, after event $i, $event")
          if (event.isInstanceOf[Watermark])
            assert(side.operator.windowCount == model.neededTimestamps, s"$w, lateness $late, after event $i")
        }
      }
      if (!w.countsRows) assert(sides.forall(_.operator.isEmpty))
  }

  // Rows of micro-batches with the watermark of each, as hosts run them.
  private val batch   = Gen.zip(Gen.choose(0, 6).flatMap(Gen.listOfN(_, ahead)), by)
  private val batches = Gen.choose(1, 15).flatMap(Gen.listOfN(_, batch))

  property("micro-batches, rows first and timers first", Gen.zip(windows, lateness, batches), 1500) {
    case (w, late, all) =>
      for (rowsFirst <- Seq(true, false); kept <- Seq(Kept.AsList, Kept.AsAccumulator)) {
        val model     = new OverModel(w, late)
        val side      = new Side(kept, w, late)
        val step      = new Step[String](side.operator, _.takeWhile(_ != '@').toLong, rowsFirst)
        val cell      = new MemoryCell
        var watermark = -20L
        all.zipWithIndex.foreach { case ((rows, by), i) =>
          val before = watermark
          watermark += by
          cell.previousWatermark = cell.watermark
          cell.watermark = watermark
          val named = rows.zipWithIndex.map { case (ahead, n) => s"${before + ahead}@$i.$n" }
          if (!rowsFirst) model.advance(watermark)
          named.foreach(row => model.element(row, row.takeWhile(_ != '@').toLong))
          if (rowsFirst) model.advance(watermark)
          if (named.nonEmpty || cell.isDue) step.run(named.iterator, cell)
          cell.pieces.requireThoseOf(cell.block)
          assert(side.take() == model.take(), s"$w, lateness $late, batch $i, rows first: $rowsFirst")
        }
      }
  }

  test("an element is merged a few times, however long the windows are") {
    for (windows <- Seq(OverEventTimeWindows.preceding(ofMillis(300)), OverEventTimeWindows.precedingRows(300))) {
      val contents = new BagContents
      val out      = new BagLines
      val list     = if (windows.countsRows) Some(Kept.AsList.contents) else None
      val operator = OverOperator.merging(windows, 0, contents, list, false, out)
      operator.open(null)
      (1 to 1500).foreach(i => operator.processElement(i.toString, i.toLong))
      operator.advanceWatermark(20000, 20000)
      assert(out.take().count(_.startsWith("[")) == 1500)
      assert(contents.merges <= 4500 && contents.copies <= 4500, s"${contents.merges} ${contents.copies}")
    }
  }

  private val timestamps = Gen.listOf(Gen.choose(-30L, 60L))

  property("a bounded input", Gen.zip(windows, lateness, Gen.listOfN(3, timestamps)), 500) { case (w, late, keys) =>
    val side = new Side(Kept.AsAccumulator, w, late)
    val step = new Step[String](side.operator, _.takeWhile(_ != '@').toLong, rowsFirst = false)
    keys.foreach { times =>
      val model = new OverModel(w, late)
      val rows  = times.zipWithIndex.map { case (at, n) => s"$at@$n" }
      rows.foreach(row => model.element(row, row.takeWhile(_ != '@').toLong))
      model.advance(Long.MaxValue)
      step.runBounded(rows.iterator)
      assert(side.take() == model.take())
    }
  }
}

private object OverModelSpec {
  sealed trait Event

  /** An element so far ahead of the watermark. */
  final case class Element(ahead: Long) extends Event

  /** Fires in one call, or in one for each millisecond as a host with several keys does. */
  final case class Watermark(by: Long, stepwise: Boolean) extends Event
  case object Reopen                                      extends Event

  /** The operator with its results as lines. */
  final class Side[C <: AnyRef](kept: Kept[C], windows: OverEventTimeWindows, lateness: Long) {
    private var lines = Vector.empty[String]

    private object out extends WindowOutput[String, C] {
      def fire(window: Window, contents: C, pane: PaneInfo): Unit = {
        val element = operator.firingElement
        lines :+= s"$window ${kept.show(contents)} of $element ${pane.timing.name} ${pane.number} ${pane.isLast}"
      }
      def late(element: String, timestamp: Long, missed: Option[Window]): Unit =
        lines :+= s"late $element ${missed.mkString}"
      def cleared(window: Window): Unit = lines :+= s"cleared $window"
    }

    private val pieces                  = new MemoryPieces(MemoryPieces.SmallPages)
    var operator: KeyedOperator[String] = fresh
    operator.open(null, pieces)
    operator.setWatermark(Long.MinValue)

    private def fresh = kept.operator(windows, windows.defaultTrigger, None, lateness, panes = true)(out)

    def reopen(): Unit = {
      val block     = if (operator.isEmpty) null else operator.close()
      val watermark = operator.currentWatermark
      operator.leave()
      pieces.requireThoseOf(block)
      operator = fresh
      operator.open(block, pieces)
      operator.setWatermark(watermark)
    }

    def take(): Vector[String] = {
      val all = lines
      lines = Vector.empty
      all
    }
  }

  /** The rules of over windows for one key, with lists and filters and no thought of speed. */
  final class OverModel(windows: OverEventTimeWindows, lateness: Long) {
    private case class Row(name: String, time: Long, fired: Boolean, firings: Int, cleared: Boolean)

    private var watermark = Long.MinValue
    // In order of time, then of arrival.
    private var rows = Vector.empty[Row]
    private var out  = Vector.empty[String]

    def take(): Vector[String] = {
      val all = out
      out = Vector.empty
      all
    }

    /** The number of timestamps that a later element may need: all that is kept after the watermark has risen. */
    def neededTimestamps: Int = {
      val (done, live) = rows.partition(_.cleared)
      val before       =
        if (windows.countsRows) done.takeRight(math.min(windows.rows - 1, 1000L).toInt)
        else done.filter(_.time + lateness + windows.length > watermark)
      (before ++ live).map(_.time).distinct.size
    }

    private def windowOf(i: Int): (TimeWindow, Vector[Row]) = {
      val row = rows(i)
      if (windows.countsRows) {
        val in = rows.take(i + 1).takeRight(windows.rows.min(1000L).toInt)
        (TimeWindow(in.head.time, row.time + 1), in)
      } else {
        val start = row.time - windows.length
        (TimeWindow(start, row.time + 1), rows.filter(r => r.time >= start && r.time <= row.time))
      }
    }

    private def fire(i: Int, timing: String): Unit = {
      val (window, in) = windowOf(i)
      val row          = rows(i)
      val isLast       = lateness == 0
      out :+= s"$window ${in.map(_.name).mkString(" ")} of ${row.name} $timing ${row.firings} $isLast"
      rows = rows.updated(i, row.copy(fired = true, firings = row.firings + 1))
    }

    def element(name: String, time: Long): Unit =
      if (watermark != Long.MinValue && time + lateness <= watermark) {
        val missed = if (windows.countsRows) "" else TimeWindow(time - windows.length, time + 1).toString
        out :+= s"late $name $missed"
      } else {
        val at = rows.lastIndexWhere(_.time <= time) + 1
        rows = (rows.take(at) :+ Row(name, time, fired = false, 0, cleared = false)) ++ rows.drop(at)
        if (time <= watermark) {
          val own = name
          rows.indices.foreach { i =>
            if (rows(i).name == own || rows(i).fired && windowOf(i)._2.exists(_.name == own)) fire(i, "late")
          }
        }
      }

    // Firings and clean-ups in order of their time; of equal times that of the earlier window first.
    def advance(to: Long): Unit = {
      watermark = to
      var next = due()
      while (next.isDefined) {
        next.foreach { case (_, time, isFiring) =>
          if (isFiring) rows.indices.filter(rows(_).time == time).foreach(fire(_, "on_time"))
          else {
            val all = rows.indices.filter(rows(_).time == time)
            (if (windows.countsRows) all else all.take(1)).foreach(i => out :+= s"cleared ${windowOf(i)._1}")
            rows = rows.map(r => if (r.time == time) r.copy(cleared = true) else r)
          }
        }
        next = due()
      }
    }

    // Time of the event, time of its rows, whether it is a firing.
    private def due(): Option[(Long, Long, Boolean)] = {
      val firings  = rows.filter(r => !r.fired && r.time <= watermark).map(r => (r.time, r.time, true))
      val cleanups = rows
        .filter(r => r.fired && !r.cleared && r.time + lateness <= watermark)
        .map(r => (r.time + lateness, r.time, false))
      (firings ++ cleanups).sortBy { case (time, of, _) => (time, of) }.headOption
    }
  }
}
