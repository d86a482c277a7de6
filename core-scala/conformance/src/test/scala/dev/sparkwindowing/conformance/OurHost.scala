package dev.sparkwindowing.conformance

import dev.sparkwindowing.operator.{OperatorRules, PaneInfo, WindowOperator, WindowOutput}
import dev.sparkwindowing.windows.{GlobalWindow, TimeWindow, Window, WindowCollector}

import java.lang.{Long => JLong}
import scala.collection.mutable
import scala.util.control.NonFatal

/** Runs this project's operator: a block a key, opened and closed around every event. */
final class OurHost[C <: AnyRef](
    spec: OperatorRules[JLong, C],
    trigger: WatchedTrigger,
    show: C => Seq[Long],
    clockAtStart: Long,
    onlyDue: Boolean
) extends Side {
  import OurHost._

  private[this] val keys      = mutable.TreeMap.empty[String, Saved]
  private[this] val firings   = Vector.newBuilder[Firing]
  private[this] val late      = Vector.newBuilder[LateElement]
  private[this] val cleared   = Vector.newBuilder[(Long, Long)]
  private[this] var operator  = newOperator()
  private[this] var key       = ""
  private[this] var watermark = Long.MinValue
  private[this] var clock     = clockAtStart

  /** Number of merges of live sessions so far. */
  def joins: Int = trigger.joins

  /** True if the comparison ends before `event`. */
  def leavesOut(setup: Setup, event: Event): Boolean = event match {
    case e: Event.Element => LeftOut.identicalWindow(setup, e, clock, trigger.hasMerged(e.key, _))
    case _                => false
  }

  def close(): Unit = ()

  def take(event: Event): Answer =
    try {
      firings.clear()
      late.clear()
      cleared.clear()
      event match {
        case Event.Element(k, value, timestamp) => on(k)(_.processElement(value, timestamp))
        case Event.Watermark(time)              =>
          watermark = time
          onAll(_.nextEvent <= time)(_.advanceWatermark(time))
        case Event.Clock(time) =>
          clock = time
          onAll(_.nextProcessing <= time)(_.advanceProcessingTime(time, time))
        case Event.Restore =>
          operator = newOperator()
          watermark = Long.MinValue // as in Flink
          onAll(_.nextProcessing <= clock)(_.advanceProcessingTime(clock, clock))
      }
      val timers = keys.values
      Answer(
        firings.result(),
        late.result(),
        0,
        cleared.result(),
        timers.map(_.eventTimers).sum,
        timers.map(_.processingTimers).sum,
        None
      )
    } catch {
      case NonFatal(e) => Answer.failed(e)
    }

  private def onAll(isDue: Saved => Boolean)(f: WindowOperator[JLong, C] => Unit): Unit =
    keys.toSeq.foreach { case (k, saved) => if (!onlyDue || isDue(saved)) on(k)(f) }

  private def on(k: String)(f: WindowOperator[JLong, C] => Unit): Unit = {
    key = k
    trigger.key = k
    operator.open(keys.get(k).fold[Array[Byte]](null)(_.block)) // null is a key without a block
    operator.setWatermark(watermark)
    operator.setProcessingTime(clock)
    f(operator)
    if (operator.hasChanged)
      if (operator.isEmpty) keys -= k
      else
        keys(k) = Saved(
          operator.close(),
          operator.nextEventTimer,
          operator.nextProcessingTimer,
          operator.eventTimerCount,
          operator.processingTimerCount
        )
  }

  private def newOperator() = new WindowOperator[JLong, C](
    spec,
    new WindowOutput[JLong, C] {
      def fire(window: Window, contents: C, pane: PaneInfo): Unit = {
        val (start, end) = bounds(window)
        firings += Firing(key, start, end, window.maxTimestamp, trigger.timer, show(contents))
      }
      def late(element: JLong, timestamp: Long, missed: Option[Window]): Unit =
        OurHost.this.late += LateElement(key, element, timestamp)
      def cleared(window: Window): Unit = OurHost.this.cleared += bounds(window)
    }
  )
}

object OurHost {

  /** State of a key between two events. */
  private final case class Saved(
      block: Array[Byte],
      nextEvent: Long,
      nextProcessing: Long,
      eventTimers: Int,
      processingTimers: Int
  )

  private def bounds(window: Window): (Long, Long) = window match {
    case TimeWindow(start, end) => (start, end)
    case GlobalWindow           => (WindowCollector.Global, WindowCollector.Global)
  }
}
