package dev.sparkwindowing.simulation

import dev.sparkwindowing.functions.TimeDomain
import dev.sparkwindowing.operator.PaneTiming
import dev.sparkwindowing.spark.task.TaskWatcher
import dev.sparkwindowing.windows.Window
import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.unsafe.types.UTF8String

import scala.collection.mutable.ArrayBuffer

/** An event of a step.
  *
  * @param kind
  *   "element" (time: its event time; window: the newest one that it missed; detail: why it was late), "watermark" and
  *   "processing_time" (time: the new one), "fired" (detail: the timing), "cleared"; of a function without windows
  *   "timer_set", "timer_deleted" and "timer_fired" (time: the timer's; detail: its clock); at the end of the step
  *   "key" for each key that the step touched, and "open" for each of its windows
  * @param time
  *   milliseconds
  */
private[sparkwindowing] final case class TraceEvent(
    step: Int,
    kind: String,
    key: Option[InternalRow] = None,
    time: Option[Long] = None,
    window: Option[Window] = None,
    detail: Option[String] = None
)

/** State of the run after a step.
  *
  * @param watermark
  *   `Long.MinValue` before the first
  * @param idle
  *   the idle inputs
  */
private[sparkwindowing] final case class AfterStep(
    eventTimers: Int,
    processingTimers: Int,
    watermark: Long,
    idle: Seq[Int]
)

/** Records a run while it proceeds. */
private[sparkwindowing] final class Trace {
  private[this] val rows     = ArrayBuffer.empty[(Int, InternalRow)]
  private[this] val happened = ArrayBuffer.empty[TraceEvent]
  private[this] val ends     = ArrayBuffer.empty[AfterStep]

  // Position of the current row, and the firings of the current call.
  private[this] var element = -1
  private[this] val firings = ArrayBuffer.empty[Int]

  /** The output rows, each with the number of its step. */
  def produced: Seq[(Int, InternalRow)] = rows.toSeq

  def facts: Seq[TraceEvent] = happened.filter(_.kind.nonEmpty).toSeq

  def after: Seq[AfterStep] = ends.toSeq

  /** Events from a position on. */
  def since(position: Int): Seq[TraceEvent] = happened.drop(position).filter(_.kind.nonEmpty).toSeq

  /** The event at a position. */
  def at(position: Int): TraceEvent = happened(position)

  /** The position of the next event. */
  def position: Int = happened.size

  /** The current step, from 0. */
  def step: Int = ends.size

  def put(row: InternalRow): Unit = rows += step -> row

  def end(after: AfterStep): Unit = ends += after

  def took(key: InternalRow, time: Option[Long]): Unit = {
    element = happened.size
    happened += TraceEvent(step, "element", Some(key), time)
  }

  def moved(kind: String, time: Long): Unit = happened += TraceEvent(step, kind, time = Some(time))

  /** Records the open windows of a touched key, at the end of a step. */
  def left(key: InternalRow, open: Seq[Window]): Unit = {
    happened += TraceEvent(step, "key", Some(key))
    open.foreach(w => happened += TraceEvent(step, "open", Some(key), window = Some(w)))
  }

  /** A watcher of the calls for a key. */
  def watching(key: () => InternalRow): TaskWatcher = new TaskWatcher {
    override def fired(window: Window, timing: PaneTiming): Unit = {
      firings += happened.size
      happened += TraceEvent(step, "fired", Some(key()), window = Some(window), detail = Some(timing.name))
    }
    // The entry stays, so that the positions of later ones do not change.
    override def dropped(firing: Int): Unit = happened(firings(firing)) = TraceEvent(step, "")
    override def late(reason: UTF8String, missed: Option[Window]): Unit =
      happened(element) = happened(element).copy(window = missed, detail = Some(reason.toString))
    override def cleared(window: Window): Unit =
      happened += TraceEvent(step, "cleared", Some(key()), window = Some(window))
    override def timerSet(time: Long, clock: TimeDomain): Unit     = timer("timer_set", time, clock)
    override def timerDeleted(time: Long, clock: TimeDomain): Unit = timer("timer_deleted", time, clock)
    override def timerFired(time: Long, clock: TimeDomain): Unit   = timer("timer_fired", time, clock)

    private def timer(kind: String, time: Long, clock: TimeDomain): Unit = {
      val name = if (clock == TimeDomain.EventTime) "event_time" else "processing_time"
      happened += TraceEvent(step, kind, Some(key()), Some(time), detail = Some(name))
    }
  }

  /** Begins a call for a key. */
  def begin(): Unit =
    firings.clear()
}
