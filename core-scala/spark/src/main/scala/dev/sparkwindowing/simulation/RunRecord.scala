package dev.sparkwindowing.simulation

import dev.sparkwindowing.spark.exec.TaskWatcher
import dev.sparkwindowing.spark.plan.WindowProgram
import dev.sparkwindowing.windows.Window
import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.unsafe.types.UTF8String

import scala.collection.mutable.ArrayBuffer

/** Something that happened in a step.
  *
  * @param kind
  *   "element" (time: its event time; window: the newest that it missed; detail: why it was late), "watermark" and
  *   "clock" (time: the new one), "fired" (detail: the timing), "cleared"; at the end of the step "key" for each key
  *   that something was done with, and "open" for each of its windows
  * @param time
  *   milliseconds
  */
private[sparkwindowing] final case class Fact(
    step: Int,
    kind: String,
    key: Option[InternalRow] = None,
    time: Option[Long] = None,
    window: Option[Window] = None,
    detail: Option[String] = None
)

/** What is left after a step.
  *
  * @param watermark
  *   `Long.MinValue` before the first
  * @param clock
  *   `Long.MinValue` if it stands still
  * @param idle
  *   the inputs that are idle
  */
private[sparkwindowing] final case class AfterStep(
    eventTimers: Int,
    processingTimers: Int,
    watermark: Long,
    clock: Long,
    idle: Seq[Int]
)

/** Writes down a run while it goes on. */
private[sparkwindowing] final class RunRecord(program: WindowProgram) {
  private[this] val timings  = new FiringTimings(program)
  private[this] val rows     = ArrayBuffer.empty[(Int, InternalRow)]
  private[this] val happened = ArrayBuffer.empty[Fact]
  private[this] val ends     = ArrayBuffer.empty[AfterStep]

  // Where the row at hand stands, and the firings of the call at hand.
  private[this] var element = -1
  private[this] val firings = ArrayBuffer.empty[Int]

  /** What was put out, each row with the number of its step. */
  def produced: Seq[(Int, InternalRow)] = rows.toSeq

  def facts: Seq[Fact] = happened.filter(_.kind.nonEmpty).toSeq

  def after: Seq[AfterStep] = ends.toSeq

  /** The step at hand, from 0. */
  def step: Int = ends.size

  def put(row: InternalRow): Unit = rows += step -> row

  def end(after: AfterStep): Unit = ends += after

  def took(key: InternalRow, time: Option[Long]): Unit = {
    element = happened.size
    happened += Fact(step, "element", Some(key), time)
  }

  def moved(kind: String, time: Long): Unit = happened += Fact(step, kind, time = Some(time))

  /** The windows of a key that something was done with, at the end of a step. */
  def left(key: InternalRow, open: Seq[Window]): Unit = {
    happened += Fact(step, "key", Some(key))
    open.foreach(w => happened += Fact(step, "open", Some(key), window = Some(w)))
  }

  /** To be told of a call for a key. */
  def watching(key: () => InternalRow): TaskWatcher = new TaskWatcher {
    override def fired(window: Window, watermark: Long): Unit = {
      firings += happened.size
      val timing = timings.of(key(), window, watermark)
      happened += Fact(step, "fired", Some(key()), window = Some(window), detail = Some(timing.name))
    }
    // Kept, so that those behind it stay where they are.
    override def dropped(firing: Int): Unit                             = happened(firings(firing)) = Fact(step, "")
    override def late(reason: UTF8String, missed: Option[Window]): Unit =
      happened(element) = happened(element).copy(window = missed, detail = Some(reason.toString))
    override def cleared(window: Window): Unit = {
      timings.cleared(key(), window)
      happened += Fact(step, "cleared", Some(key()), window = Some(window))
    }
  }

  /** A call for a key begins. */
  def begin(): Unit = firings.clear()
}
