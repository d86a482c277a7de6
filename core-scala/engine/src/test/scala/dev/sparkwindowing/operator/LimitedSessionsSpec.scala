package dev.sparkwindowing.operator

import dev.sparkwindowing.assigners.{
  EventTimeSessionWindows,
  LimitedSessionWindows,
  ProcessingTimeSessionWindows,
  SessionEnd,
  SessionWindowTimeGapExtractor
}
import dev.sparkwindowing.codec.ValueCodec
import dev.sparkwindowing.contents.{ElementList, ListContents}
import dev.sparkwindowing.evictors.CountEvictor
import dev.sparkwindowing.testing.Properties
import dev.sparkwindowing.triggers.TriggerResult.Continue
import dev.sparkwindowing.triggers.{
  CountTrigger,
  EventTimeTrigger,
  NeverTrigger,
  OnMergeContext,
  ProcessingTimeTrigger,
  PurgingTrigger,
  Trigger,
  TriggerContext,
  TriggerMemory,
  TriggerResult
}
import dev.sparkwindowing.windows.{TimeWindow, Window}
import org.scalacheck.Gen

import java.time.Duration.ofMillis
import scala.collection.mutable

/** Sessions with a greatest length and with elements that end them: random cases against a model written for clarity.
  */
class LimitedSessionsSpec extends Properties {

  /** An element as text: its number, gap, and whether it ends its session. */
  private def text(i: Int, gap: Long, isEnd: Boolean): String = s"$i,$gap,$isEnd"

  private object Gap extends SessionWindowTimeGapExtractor[String] {
    def extract(element: String): Long = element.split(',')(1).toLong
  }

  private object End extends SessionEnd[String] {
    def isEnd(element: String): Boolean = element.split(',')(2).toBoolean
  }

  private sealed trait Event
  private case class Element(timestamp: Long, gap: Long, isEnd: Boolean) extends Event
  private case class Watermark(by: Long)                                 extends Event
  private case class Clock(by: Long)                                     extends Event
  private case object Restore                                            extends Event

  /** @param gap
    *   None if each element has its own
    */
  private case class Setup(
      byClock: Boolean,
      gap: Option[Long],
      maxLength: Option[Long],
      ends: Boolean,
      trigger: NaiveTrigger,
      purging: Boolean,
      keepNewest: Option[Long],
      evictAfter: Boolean,
      lateness: Long
  ) {
    def naive: NaiveSpec = {
      val limits = NaiveLimits(maxLength.getOrElse(Long.MaxValue / 4), byClock)
      NaiveSpec(NaiveWindows.Limited(limits), trigger, purging, keepNewest, evictAfter, lateness)
    }

    def assigner: LimitedSessionWindows[String] = {
      val sessions = (byClock, gap) match {
        case (false, Some(g)) => EventTimeSessionWindows.withGap(ofMillis(g))
        case (true, Some(g))  => ProcessingTimeSessionWindows.withGap(ofMillis(g))
        case (false, None)    => EventTimeSessionWindows.withDynamicGap(Gap)
        case (true, None)     => ProcessingTimeSessionWindows.withDynamicGap(Gap)
      }
      (maxLength, ends) match {
        case (Some(max), true) => sessions.withMaxLength(ofMillis(max)).endsAt(End)
        case (Some(max), _)    => sessions.withMaxLength(ofMillis(max))
        case (None, _)         => sessions.endsAt(End)
      }
    }

    def operator(out: WindowOutput[String, ElementList[String]]): WindowOperator[String, ElementList[String]] = {
      val plain: Trigger[Any] = trigger match {
        case NaiveTrigger.ByWatermark => EventTimeTrigger.create()
        case NaiveTrigger.ByClock     => ProcessingTimeTrigger.create()
        case NaiveTrigger.ByCount(n)  => CountTrigger.of(n)
        case NaiveTrigger.Never       => NeverTrigger.create()
      }
      val all      = if (purging) PurgingTrigger.of(plain) else plain
      val contents = new ListContents[String](ValueCodec.string, identity)
      val spec     = keepNewest match {
        case None    => OperatorRules[String, ElementList[String]](assigner, all, lateness, contents)
        case Some(n) =>
          OperatorRules.evicting[String](assigner, all, CountEvictor.of[String](n, evictAfter), lateness, contents)
      }
      new WindowOperator(spec, out)
    }
  }

  private val trigger: Gen[NaiveTrigger] = Gen.frequency(
    5 -> Gen.const(NaiveTrigger.ByWatermark),
    2 -> Gen.const(NaiveTrigger.ByClock),
    3 -> Gen.choose(0L, 4L).map(NaiveTrigger.ByCount)
  )

  private val setup: Gen[Setup] =
    for {
      byClock <- Gen.frequency(3 -> false, 1 -> true)
      gap     <- Gen.frequency(2 -> Gen.choose(1L, 12L).map(Some(_)), 1 -> Gen.const(None))
      max     <- Gen.frequency(3 -> Gen.choose(gap.getOrElse(1L), 30L).map(Some(_)), 1 -> Gen.const(None))
      ends    <- Gen.oneOf(true, false).map(_ || max.isEmpty)
      t       <- trigger
      purging <- Gen.oneOf(true, false)
      evictor <- Gen.frequency(2 -> Gen.const(None), 1 -> Gen.choose(-1L, 3L).map(Some(_)))
      after   <- Gen.oneOf(true, false)
      late    <- Gen.frequency(1 -> Gen.const(0L), 2 -> Gen.choose(1L, 30L))
    } yield Setup(byClock, gap, max, ends, t, purging, evictor, after, late)

  private def events(s: Setup): Gen[List[Event]] = {
    val element = for {
      time <- Gen.choose(-30L, 60L)
      gap  <- s.gap.fold(Gen.choose(1L, 15L))(Gen.const)
      end  <- Gen.frequency(3 -> false, 1 -> s.ends)
    } yield Element(time, gap, end)
    val event = Gen.frequency(
      8 -> element,
      2 -> Gen.frequency(4 -> Gen.choose(1L, 6L), 1 -> Gen.choose(1L, 40L)).map(Watermark),
      2 -> Gen.choose(0L, 8L).map(Clock),
      1 -> Gen.const(Restore)
    )
    Gen.choose(1, 80).flatMap(Gen.listOfN(_, event))
  }

  private val cases = setup.flatMap(s => events(s).map(s -> _))

  private final class Lines extends WindowOutput[String, ElementList[String]] {
    private var lines = List.empty[String]

    def fire(window: Window, contents: ElementList[String], pane: PaneInfo): Unit =
      lines :+= s"fire $window ${(0 until contents.size).map(contents(_)).mkString(" ")}".trim
    def late(element: String, timestamp: Long, missed: Option[Window]): Unit = lines :+= s"late $element"
    def cleared(window: Window): Unit                                        = lines :+= s"cleared $window"

    def take(): List[String] = {
      val all = lines
      lines = Nil
      all
    }
  }

  property("sessions that end, any time line", cases, 20000) { case (s, events) =>
    val model     = new NaiveModel(s.naive)
    val out       = new Lines
    var current   = s.operator(out)
    var watermark = -30L
    var clock     = -30L
    current.open(null)
    current.advanceProcessingTime(clock, clock)
    model.advanceClock(clock)
    events.zipWithIndex.foreach { case (event, i) =>
      event match {
        case Element(timestamp, gap, isEnd) =>
          model.element(text(i, gap, isEnd), timestamp, gap, isEnd)
          current.processElement(text(i, gap, isEnd), timestamp)
        case Watermark(by) =>
          watermark += by
          model.advanceWatermark(watermark)
          current.advanceWatermark(watermark)
        case Clock(by) =>
          clock += by
          model.advanceClock(clock)
          current.advanceProcessingTime(clock, clock)
        case Restore =>
          val restored = s.operator(out)
          restored.open(current.close())
          restored.setWatermark(if (watermark == -30L) Long.MinValue else watermark)
          restored.setProcessingTime(clock)
          current = restored
      }
      assert(out.take() == model.take(), s"after event $i")
      assert(current.eventTimerCount + current.processingTimerCount == model.timers, s"timers after event $i")
    }
  }

  private case class Numbers(count: Int) extends Trigger[String] {
    override def memory: TriggerMemory =
      (1 to count).map(i => TriggerMemory.number(i.toString)).foldLeft(TriggerMemory.None)(_ ++ _)
    override def canMerge: Boolean                                                                      = true
    def onElement(element: String, timestamp: Long, window: Window, ctx: TriggerContext): TriggerResult = Continue
    def onEventTime(time: Long, window: Window, ctx: TriggerContext): TriggerResult                     = Continue
    def onProcessingTime(time: Long, window: Window, ctx: TriggerContext): TriggerResult                = Continue
    def clear(window: Window, ctx: TriggerContext): Unit                                                = ()
  }

  /** Sets a timer behind each element, and deletes none. */
  private object Behind extends Trigger[String] {
    override def canMerge: Boolean                                                                      = true
    override def onMerge(window: Window, ctx: OnMergeContext): Unit                                     = ()
    def onElement(element: String, timestamp: Long, window: Window, ctx: TriggerContext): TriggerResult = {
      ctx.registerEventTimeTimer(timestamp + 3)
      ctx.registerProcessingTimeTimer(timestamp + 3)
      Continue
    }
    val called: mutable.Buffer[Long]                                                     = mutable.Buffer.empty[Long]
    def onEventTime(time: Long, window: Window, ctx: TriggerContext): TriggerResult      = record(time)
    def onProcessingTime(time: Long, window: Window, ctx: TriggerContext): TriggerResult = record(time)
    def clear(window: Window, ctx: TriggerContext): Unit                                 = ()

    private def record(time: Long): TriggerResult = {
      called += time
      Continue
    }
  }

  test("timers of sessions that are merged do not become those of a session with equal bounds") {
    val sessions = EventTimeSessionWindows.withGap(ofMillis(10)).withMaxLength(ofMillis(20)).endsAt(End)
    val contents = new ListContents[String](ValueCodec.string, identity)
    val spec     = OperatorRules[String, ElementList[String]](sessions, Behind, 0, contents).withPanes
    val operator = new WindowOperator(spec, new Lines)
    operator.open(null)
    Seq(12L, 0L, 8L).foreach(time => operator.processElement(text(0, 10, isEnd = false), time))
    // [12, 22) and [0, 18)
    assert(operator.windowCount == 2)
    operator.processElement(text(0, 10, isEnd = true), 17)
    assert(operator.windowCount == 1)
    assert(operator.currentWindow.contains(TimeWindow(0, 18)))
    // Timers of [12, 22) and of the first [0, 18) are left, and are ignored: only those named by [0, 18) are called.
    Behind.called.clear()
    operator.advanceProcessingTime(100, 100)
    operator.advanceWatermark(100)
    assert(Behind.called.toSeq == Seq(20L, 17L))
    assert(operator.isEmpty)
  }

  test("a trigger leaves room for the last element of a session that elements can end") {
    val sessions = EventTimeSessionWindows.withGap(ofMillis(5))
    OperatorRules.check(sessions.withMaxLength(ofMillis(9)), Numbers(64), 0)
    OperatorRules.check(sessions.endsAt(End), Numbers(63), 0)
    assertThrows[IllegalArgumentException](OperatorRules.check(sessions.endsAt(End), Numbers(64), 0))
  }

  test("limits are parts of the specification, and sessions without them are as ever") {
    val sessions = ProcessingTimeSessionWindows.withGap(ofMillis(5))
    assert(sessions.spec.toString == "ProcessingTimeSessionWindows.withGap(5 ms)")
    assert(
      sessions
        .endsAt(End)
        .withMaxLength(ofMillis(9))
        .spec
        .toString
        .startsWith(
          "ProcessingTimeSessionWindows.withGap(5 ms, maxLength = 9 ms, endsAt = "
        )
    )
    assert(sessions.withMaxLength(ofMillis(9)) != sessions.withMaxLength(ofMillis(8)))
    val dynamic = EventTimeSessionWindows.withDynamicGap(Gap).endsAt(End)
    assert(dynamic.tree.contains(Gap) && dynamic.tree.contains(End))
    assert(dynamic.withChildren(dynamic.children) == dynamic)
    assertThrows[NullPointerException](sessions.endsAt[String](null))
  }

  private val fired = """fire \[(-?\d+), (-?\d+)\) (.*)""".r

  private def sessions(s: Setup, elements: Seq[Element]): Seq[(TimeWindow, Seq[Int])] = {
    val out = new Lines
    val all = s.operator(out)
    all.open(null)
    elements.zipWithIndex.foreach { case (e, i) => all.processElement(text(i, e.gap, e.isEnd), e.timestamp) }
    all.advanceWatermark(10000)
    assert(all.isEmpty)
    out.take().collect { case fired(start, end, rows) =>
      TimeWindow(start.toLong, end.toLong) -> rows.split(' ').toSeq.map(_.takeWhile(_ != ',').toInt)
    }
  }

  private val onTime = setup.map(
    _.copy(
      byClock = false,
      trigger = NaiveTrigger.ByWatermark,
      purging = false,
      keepNewest = None,
      lateness = 0
    )
  )

  private val rows = onTime.flatMap(s => events(s).map(all => s -> all.collect { case e: Element => e }))

  property("no element is lost, and each lies in its session, which is no longer than allowed", rows, 5000) {
    case (s, elements) =>
      val all = sessions(s, elements)
      assert(all.flatMap(_._2).sorted == elements.indices)
      assert(all.map(_._1).distinct == all.map(_._1))
      all.foreach { case (window, rows) =>
        assert(window.end - window.start <= s.maxLength.getOrElse(Long.MaxValue))
        rows.foreach { i =>
          val time = elements(i).timestamp
          assert(window.start <= time && time < window.end, s"$time in $window")
        }
      }
  }

  private val late    = """late (\d+),.*""".r
  private val cleared = """cleared \[(-?\d+), (-?\d+)\)""".r

  /** The elements that `pass` lets through, by the watermark at their arrival; the sessions with what each fired last;
    * and the late elements.
    */
  private def closed(s: Setup, events: Seq[Event], pass: (Element, Long) => Boolean = (_, _) => true) = {
    val out       = new Lines
    val all       = s.operator(out)
    val passed    = Seq.newBuilder[Int]
    var watermark = -30L
    all.open(null)
    (events :+ Watermark(10000)).zipWithIndex.foreach {
      case (e: Element, i) if pass(e, watermark) =>
        all.processElement(text(i, e.gap, e.isEnd), e.timestamp)
        passed += i
      case (w: Watermark, _) =>
        watermark += w.by
        all.advanceWatermark(watermark)
      case _ => ()
    }
    assert(all.isEmpty)
    val lines    = out.take()
    val last     = mutable.Map.empty[TimeWindow, Seq[Int]]
    val sessions = lines.flatMap {
      case fired(start, end, rows) =>
        last(TimeWindow(start.toLong, end.toLong)) = rows.split(' ').toSeq.map(_.takeWhile(_ != ',').toInt)
        None
      case cleared(start, end) =>
        val window = TimeWindow(start.toLong, end.toLong)
        Some(window -> last.remove(window).getOrElse(Nil))
      case _ => None
    }
    (passed.result(), sessions, lines.collect { case late(i) => i.toInt })
  }

  private val withWatermarks =
    setup
      .map(_.copy(byClock = false, trigger = NaiveTrigger.ByWatermark, purging = false, keepNewest = None))
      .flatMap(s => events(s).map(s -> _))

  property("each element is late or in one session, and no two sessions have the same end", withWatermarks, 5000) {
    case (s, events) =>
      val (elements, sessions, late) = closed(s, events)
      assert((sessions.flatMap(_._2) ++ late).sorted == elements)
      assert(sessions.map(_._1.end).distinct == sessions.map(_._1.end))
  }

  property(
    "sessions without a greatest length overlap only by elements later than the lateness",
    withWatermarks,
    5000
  ) { case (s, events) =>
    val ending           = s.copy(maxLength = None, ends = true)
    val (_, sessions, _) = closed(ending, events, _.timestamp + s.lateness > _)
    sessions.map(_._1).sortBy(_.start).sliding(2).foreach {
      case Seq(a, b) => assert(a.end <= b.start)
      case _         => ()
    }
  }

  // Pieces one behind the other: a piece ends with an element that ends it, a gap, or its greatest length.
  property("elements in order: each piece begins with the first element behind the last piece", rows, 5000) {
    case (s, elements) =>
      val max     = s.maxLength.getOrElse(Long.MaxValue / 4)
      val ordered = elements.sortBy(_.timestamp)
      var pieces  = List.empty[(Long, Long, Boolean, List[Int])]
      ordered.zipWithIndex.foreach { case (e, i) =>
        pieces match {
          case (start, end, ended, rows) :: before
              if e.timestamp < end + (if (ended) 0 else 1) && e.timestamp < start + max =>
            val newEnd =
              if (ended) end
              else if (e.isEnd) e.timestamp + 1
              else math.max(end, math.min(e.timestamp + e.gap, start + max))
            pieces = (start, newEnd, ended || e.isEnd, i :: rows) :: before
          case _ =>
            val end = e.timestamp + (if (e.isEnd) 1 else math.min(e.gap, max))
            pieces = (e.timestamp, end, e.isEnd, List(i)) :: pieces
        }
      }
      val expected = pieces.reverse.map { case (start, end, _, rows) => TimeWindow(start, end) -> rows.reverse }
      assert(sessions(s, ordered).sortBy(_._1.start) == expected)
  }
}
