package dev.sparkwindowing.operator

import dev.sparkwindowing.assigners.{GlobalWindows, TumblingEventTimeWindows}
import dev.sparkwindowing.contents.ElementList
import dev.sparkwindowing.testing.{Kept, Outputs, Properties, Shown}
import dev.sparkwindowing.triggers.{
  AfterWatermark,
  AllTrigger,
  AnyTrigger,
  ContinuousEventTimeTrigger,
  ContinuousProcessingTimeTrigger,
  CountTrigger,
  EventTimeTrigger,
  FiringInterval,
  MicroBatchTrigger,
  OnceTrigger,
  ProcessingTimeTrigger,
  PurgingTrigger,
  Trigger
}
import org.scalacheck.Gen

import java.time.Duration.ofMillis

/** Random triggers of triggers on one window: the operator against a model that is a tree of objects. */
class NaiveTriggersSpec extends Properties {

  /** A trigger and how the model makes its own. */
  private case class Both(trigger: Trigger[Any], model: () => NaiveNode)

  private val leaf: Gen[Both] = Gen.oneOf(
    Gen.choose(1L, 5L).map(n => Both(CountTrigger.of(n), () => new NaiveNode.Count(n))),
    Gen.const(Both(EventTimeTrigger.create(), () => new NaiveNode.End)),
    Gen.const(Both(ProcessingTimeTrigger.create(), () => new NaiveNode.EndByClock)),
    Gen.const(Both(MicroBatchTrigger.create(), () => new NaiveNode.Batch)),
    Gen.choose(1L, 9L).map { i =>
      Both(ContinuousEventTimeTrigger.of(ofMillis(i)), () => new NaiveNode.Every(i, eventTime = true))
    },
    Gen.choose(1L, 9L).map { i =>
      Both(ContinuousProcessingTimeTrigger.of(ofMillis(i)), () => new NaiveNode.Every(i, eventTime = false))
    }
  )

  private def several(depth: Int): Gen[Both] =
    for {
      n        <- Gen.choose(1, 3)
      parts    <- Gen.listOfN(n, tree(depth - 1))
      restarts <- Gen.frequency(3 -> true, 1 -> false)
    } yield Both(
      AnyTrigger.of[Any](restarts, parts.map(_.trigger): _*),
      () => new NaiveNode.AnyOf(parts.map(_.model()).toIndexedSeq, restarts)
    )

  private def all(depth: Int): Gen[Both] = Gen.choose(1, 3).flatMap(Gen.listOfN(_, tree(depth - 1))).map { parts =>
    Both(
      AllTrigger.of[Any](parts.map(_.trigger): _*),
      () => new NaiveNode.AllOf(parts.map(_.model()).toIndexedSeq)
    )
  }

  private def phases(depth: Int): Gen[Both] =
    for {
      early <- Gen.option(tree(depth - 1))
      late  <- Gen.option(tree(depth - 1))
    } yield Both(
      AfterWatermark.of[Any](
        early.fold[FiringInterval[Any]](null)(t => FiringInterval.by(t.trigger)),
        late.fold[FiringInterval[Any]](null)(t => FiringInterval.by(t.trigger))
      ),
      () => new NaiveNode.Phases(early.map(_.model), late.map(_.model))
    )

  private def tree(depth: Int): Gen[Both] =
    if (depth == 0) leaf
    else
      Gen.frequency(
        3 -> leaf,
        3 -> several(depth),
        2 -> all(depth),
        2 -> phases(depth),
        1 -> tree(depth - 1).map(t => Both(PurgingTrigger.of(t.trigger), () => new NaiveNode.Purging(t.model()))),
        1 -> tree(depth - 1).map(t => Both(OnceTrigger.of(t.trigger), () => new NaiveNode.Once(t.model())))
      )

  private sealed trait Event
  private case class Batch(timestamps: List[Long]) extends Event
  private case class Watermark(by: Long)           extends Event
  private case class Clock(by: Long)               extends Event
  private case object Restore                      extends Event

  private val Size = 30L

  private val event: Gen[Event] = Gen.frequency(
    6 -> Gen.choose(1, 4).flatMap(Gen.listOfN(_, Gen.choose(0L, Size - 1))).map(Batch),
    3 -> Gen.frequency(4 -> Gen.choose(1L, 6L), 1 -> Gen.choose(1L, 30L)).map(Watermark),
    3 -> Gen.choose(0L, 8L).map(Clock),
    2 -> Gen.const(Restore)
  )

  /** One window of the model; None for the global one. */
  private final class Model(make: () => NaiveNode, cleanup: Option[Long]) {
    private var root      = make()
    private var elements  = List.empty[String]
    private var isUnfired = false
    private var isOpen    = false
    private var watermark = Long.MinValue
    private var clock     = 0L
    private var out       = List.empty[String]
    private var firings   = 0

    private def now = NaiveTimes(watermark, clock, if (cleanup.isEmpty) Long.MaxValue else Size - 1)

    def take(): List[String] = {
      val all = out
      out = Nil
      all
    }

    private def allTimers = root.timers ++ cleanup.filter(_ => isOpen).map(NaiveTimer(eventTime = true, _))
    def timers: Int       = allTimers.size

    // On time is the timer at the end alone; another event-time timer counts as the watermark of its moment.
    private def timing(timer: Option[NaiveTimer]): String = {
      val moment = timer.filter(_.eventTime).fold(watermark)(_.time)
      if (cleanup.isEmpty || timer.contains(NaiveTimer(eventTime = true, now.last))) "on_time"
      else if (moment < now.last) "early"
      else "late"
    }

    private def handle(answer: NaiveAnswer, timer: Option[NaiveTimer] = None): Unit = {
      if (answer.fire && elements.nonEmpty) {
        val last = if (timer.exists(t => t.eventTime && cleanup.contains(t.time))) " last" else ""
        out :+= s"${elements.mkString(" ")} @ ${timing(timer)} $firings$last"
        firings += 1
        isUnfired = false
      }
      if (answer.purge) elements = Nil
    }

    def batch(rows: Seq[(String, Long)]): Unit = if (!cleanup.exists(_ <= watermark)) {
      rows.foreach { case (value, at) =>
        elements :+= value
        isUnfired = true
        isOpen = true
        handle(root.element(at, now))
      }
      val answer = root.endOfBatch(now)
      handle(answer.copy(fire = answer.fire && isUnfired))
    }

    def advanceWatermark(time: Long): Unit = {
      watermark = time
      fireTimers(eventTime = true, time)
    }

    def advanceClock(time: Long): Unit = {
      clock = time
      fireTimers(eventTime = false, time)
    }

    private def fireTimers(eventTime: Boolean, limit: Long): Unit =
      allTimers.filter(t => t.eventTime == eventTime && t.time <= limit).toSeq.sortBy(_.time).headOption.foreach {
        timer =>
          val isCleanup = eventTime && cleanup.contains(timer.time)
          handle(root.timer(timer, isCleanup, now), Some(timer))
          if (isCleanup) {
            root = make()
            elements = Nil
            firings = 0
            isOpen = false
          }
          fireTimers(eventTime, limit)
      }
  }

  private val cases = for {
    both     <- tree(3)
    global   <- Gen.frequency(3 -> false, 1 -> true)
    lateness <- Gen.oneOf(0L, 5L, 15L)
    events   <- Gen.choose(1, 50).flatMap(Gen.listOfN(_, event))
  } yield (both, global, lateness, events)

  property("any tree of triggers, any time line", cases, 5000) { case (both, global, lateness, events) =>
    val model    = new Model(both.model, if (global) None else Some(Size - 1 + lateness))
    val out      = new Outputs(Kept.AsList, Shown(panes = true, collapsed = false))
    val assigner = if (global) GlobalWindows.create() else TumblingEventTimeWindows.of(ofMillis(Size))
    def operator = new WindowOperator(
      OperatorRules[String, ElementList[String]](assigner, both.trigger, lateness, Kept.AsList.contents).withPanes,
      out
    )
    var current   = operator
    var watermark = 0L
    var clock     = 0L
    var n         = 0
    current.open(null)
    current.setProcessingTime(0L)
    events.zipWithIndex.foreach { case (event, i) =>
      event match {
        case Batch(timestamps) =>
          val rows = timestamps.zipWithIndex.map { case (at, j) => (n + j).toString -> at }
          n += rows.size
          model.batch(rows)
          rows.foreach { case (value, at) => current.processElement(value, at) }
          current.endMicroBatch()
        case Watermark(by) =>
          watermark += by
          model.advanceWatermark(watermark)
          current.advanceWatermark(watermark)
        case Clock(by) =>
          clock += by
          model.advanceClock(clock)
          current.advanceProcessingTime(clock, clock)
        case Restore =>
          val restored = operator
          restored.open(current.close())
          restored.setWatermark(current.currentWatermark)
          restored.setProcessingTime(clock)
          current = restored
      }
      val fired = out.take().fires.map(line => line.drop(line.indexWhere(")]".contains(_)) + 2))
      assert(fired == model.take(), s"after event $i of ${both.trigger}, $events")
      assert(current.eventTimerCount + current.processingTimerCount == model.timers, s"timers after event $i")
    }
  }
}
