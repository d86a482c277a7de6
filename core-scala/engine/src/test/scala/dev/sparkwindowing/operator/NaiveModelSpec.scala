package dev.sparkwindowing.operator

import dev.sparkwindowing.assigners.{
  CumulativeEventTimeWindows,
  EventTimeSessionWindows,
  GlobalWindows,
  SlidingEventTimeWindows,
  TumblingEventTimeWindows,
  TumblingProcessingTimeWindows,
  WindowAssigner
}
import dev.sparkwindowing.codec.ValueCodec
import dev.sparkwindowing.contents.{ElementList, ListContents}
import dev.sparkwindowing.evictors.CountEvictor
import dev.sparkwindowing.testing.{Kept, MemoryPieces, Outputs, Properties}
import dev.sparkwindowing.triggers.{
  CountTrigger,
  EventTimeTrigger,
  NeverTrigger,
  ProcessingTimeTrigger,
  PurgingTrigger,
  Trigger
}
import org.scalacheck.Gen

import java.time.Duration.ofMillis

/** Random windows and time lines: the operator against a model written for clarity. */
class NaiveModelSpec extends Properties {

  private sealed trait Event
  private case class Element(timestamp: Long) extends Event
  private case class Watermark(by: Long)      extends Event
  private case class Clock(by: Long)          extends Event
  private case object Restore                 extends Event

  private val windows: Gen[NaiveWindows] = {
    def offset(length: Long) = Gen.choose(-length + 1, length - 1)
    val length               = Gen.choose(1L, 12L)
    Gen.oneOf(
      length.flatMap(s => offset(s).map(NaiveWindows.Tumbling(s, _))),
      length.flatMap(s => offset(s).map(NaiveWindows.TumblingByClock(s, _))),
      Gen.zip(length, length).flatMap { case (s, d) => offset(d).map(NaiveWindows.Sliding(s, d, _)) },
      Gen.zip(Gen.choose(1L, 5L), Gen.choose(1L, 5L)).flatMap { case (s, n) =>
        offset(s * n).map(NaiveWindows.Cumulative(s, n, _))
      },
      length.map(NaiveWindows.Sessions),
      length.map(NaiveWindows.Sessions),
      Gen.const(NaiveWindows.Global)
    )
  }

  private val trigger: Gen[NaiveTrigger] = Gen.frequency(
    4 -> Gen.const(NaiveTrigger.ByWatermark),
    2 -> Gen.const(NaiveTrigger.ByClock),
    3 -> Gen.choose(0L, 4L).map(NaiveTrigger.ByCount),
    1 -> Gen.const(NaiveTrigger.Never)
  )

  private val spec: Gen[NaiveSpec] =
    for {
      w       <- windows
      t       <- trigger.suchThat(_ != NaiveTrigger.Never || !w.isInstanceOf[NaiveWindows.Sessions])
      purging <- Gen.oneOf(true, false)
      evictor <- Gen.frequency(2 -> Gen.const(None), 1 -> Gen.choose(-1L, 3L).map(Some(_)))
      after   <- Gen.oneOf(true, false)
      late    <- Gen.frequency(1 -> Gen.const(0L), 2 -> Gen.choose(1L, 15L))
    } yield NaiveSpec(w, t, purging, evictor, after, late)

  private val event: Gen[Event] = Gen.frequency(
    6 -> Gen.choose(-30L, 60L).map(Element),
    2 -> Gen.frequency(4 -> Gen.choose(1L, 6L), 1 -> Gen.choose(1L, 40L)).map(Watermark),
    2 -> Gen.choose(0L, 8L).map(Clock),
    1 -> Gen.const(Restore)
  )

  private val timeLine = Gen.choose(1, 60).flatMap(Gen.listOfN(_, event))

  private def operator(s: NaiveSpec, out: WindowOutput[String, ElementList[String]]) = {
    val assigner: WindowAssigner[Any] = s.windows match {
      case NaiveWindows.Tumbling(size, offset)        => TumblingEventTimeWindows.of(ofMillis(size), ofMillis(offset))
      case NaiveWindows.TumblingByClock(size, offset) =>
        TumblingProcessingTimeWindows.of(ofMillis(size), ofMillis(offset))
      case NaiveWindows.Sliding(size, slide, offset) =>
        SlidingEventTimeWindows.of(ofMillis(size), ofMillis(slide), ofMillis(offset))
      case NaiveWindows.Cumulative(step, steps, offset) =>
        CumulativeEventTimeWindows.of(ofMillis(step * steps), ofMillis(step), ofMillis(offset))
      case NaiveWindows.Sessions(gap) => EventTimeSessionWindows.withGap(ofMillis(gap))
      case NaiveWindows.Global        => GlobalWindows.create()
      case NaiveWindows.Limited(_)    => throw new IllegalStateException("see LimitedSessionsSpec")
    }
    val plain: Trigger[Any] = s.trigger match {
      case NaiveTrigger.ByWatermark => EventTimeTrigger.create()
      case NaiveTrigger.ByClock     => ProcessingTimeTrigger.create()
      case NaiveTrigger.ByCount(n)  => CountTrigger.of(n)
      case NaiveTrigger.Never       => NeverTrigger.create()
    }
    val trigger  = if (s.purging) PurgingTrigger.of(plain) else plain
    val contents = new ListContents[String](ValueCodec.string, identity)
    val spec     = s.keepNewest match {
      case None    => OperatorRules[String, ElementList[String]](assigner, trigger, s.lateness, contents)
      case Some(n) =>
        OperatorRules
          .evicting[String](assigner, trigger, CountEvictor.of[String](n, s.evictAfter), s.lateness, contents)
    }
    new WindowOperator(spec, out)
  }

  private final class Lines extends WindowOutput[String, ElementList[String]] {
    private var lines = List.empty[String]

    def fire(window: dev.sparkwindowing.windows.Window, contents: ElementList[String], pane: PaneInfo): Unit =
      lines :+= s"fire $window ${Kept.AsList.show(contents)}".trim
    def late(element: String, timestamp: Long, missed: Option[dev.sparkwindowing.windows.Window]): Unit =
      lines :+= s"late $element"
    def cleared(window: dev.sparkwindowing.windows.Window): Unit = lines :+= s"cleared $window"

    def take(): List[String] = {
      val all = lines
      lines = Nil
      all
    }
  }

  private val sizes = Gen.oneOf(MemoryPieces.Small, MemoryPieces.SmallPages)

  property("any windows, any time line", Gen.zip(spec, timeLine, sizes), 3000) { case (s, events, sizes) =>
    val model     = new NaiveModel(s)
    val out       = new Lines
    var current   = operator(s, out)
    var watermark = -30L
    var clock     = -30L
    val pieces    = new MemoryPieces(sizes)
    current.open(null, pieces)
    current.advanceProcessingTime(clock, clock)
    model.advanceClock(clock)
    events.zipWithIndex.foreach { case (event, i) =>
      event match {
        case Element(timestamp) =>
          model.element(i.toString, timestamp)
          current.processElement(i.toString, timestamp)
        case Watermark(by) =>
          watermark += by
          model.advanceWatermark(watermark)
          current.advanceWatermark(watermark)
        case Clock(by) =>
          clock += by
          model.advanceClock(clock)
          current.advanceProcessingTime(clock, clock)
        case Restore =>
          val restored = operator(s, out)
          val block    = if (current.isEmpty) null else current.close()
          current.leave()
          pieces.requireThoseOf(block)
          restored.open(block, pieces)
          restored.setWatermark(if (watermark == -30L) Long.MinValue else watermark)
          restored.setProcessingTime(clock)
          current = restored
      }
      assert(out.take() == model.take(), s"after event $i")
      assert(current.eventTimerCount + current.processingTimerCount == model.timers, s"timers after event $i")
    }
  }

  // Elements at most a gap apart share a session, whatever order they come in.
  private val sessionElements = Gen.zip(Gen.choose(1L, 12L), Gen.nonEmptyListOf(Gen.choose(-60L, 60L)))

  property("sessions do not depend on the order of their elements", sessionElements, 1000) { case (gap, times) =>
    val sorted   = times.sorted
    val sessions = sorted.tail.foldLeft(List(List(sorted.head))) { (done, t) =>
      if (t - done.head.head <= gap) (t :: done.head) :: done.tail else List(t) :: done
    }
    val expected = sessions.reverse.map(s => s"a [${s.last}, ${s.head + gap}) ${s.reverse.mkString(" ")}")
    val out      = new Outputs(Kept.AsList)
    out.key = "a"
    val contents = new ListContents[String](ValueCodec.string, identity)
    val operator = new WindowOperator(
      OperatorRules[String, ElementList[String]](
        EventTimeSessionWindows.withGap(ofMillis(gap)),
        EventTimeTrigger.create(),
        0,
        contents
      ),
      out
    )
    operator.open(null)
    times.foreach(t => operator.processElement(t.toString, t))
    assert(operator.windowCount == sessions.size)
    operator.advanceWatermark(1000)
    val got = out.take().fires.map { line =>
      val (window, values) = line.splitAt(line.indexOf(')') + 2)
      window + values.split(' ').map(_.toLong).sorted.mkString(" ")
    }
    assert(got.sorted == expected.sorted)
    assert(operator.isEmpty)
  }
}
