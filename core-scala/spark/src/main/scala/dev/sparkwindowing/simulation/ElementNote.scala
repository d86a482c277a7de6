package dev.sparkwindowing.simulation

import dev.sparkwindowing.functions.TimeDomain
import dev.sparkwindowing.operator.KeyedPlan
import dev.sparkwindowing.spark.plan.WindowProgram
import dev.sparkwindowing.windows.{Window, WindowCollector}
import org.apache.spark.sql.catalyst.InternalRow

import scala.util.Try

/** What is known of an element when it arrives.
  *
  * @param position
  *   in the record of the run, of the event that says so
  * @param time
  *   milliseconds, None without an event time
  * @param place
  *   its time by the clock of the windows: None if they have none, or it has no event time
  * @param watermark
  *   `Long.MinValue` before the first
  * @param windows
  *   the windows that its assigner gives it; none for over windows, whose bounds depend on other elements
  */
private[simulation] final case class ElementNote(
    position: Int,
    step: Int,
    key: InternalRow,
    time: Option[Long],
    place: Option[Long],
    watermark: Long,
    windows: Seq[Window]
)

private[simulation] object ElementNote {

  /** @param key
    *   in the form of the record
    */
  def of(
      program: WindowProgram,
      record: Trace,
      key: InternalRow,
      row: InternalRow,
      watermark: Long,
      processingTime: Long
  ): ElementNote = {
    val at    = program.input.timeOrdinal
    val time  = if (row.isNullAt(at)) None else Some(row.getLong(at))
    val place = program.plan.clock.flatMap(clock => if (clock == TimeDomain.EventTime) time else Some(processingTime))
    val in    = windowsOf(program, row, time, processingTime)
    ElementNote(record.position, record.step, key, time, place, watermark, in)
  }

  /** The windows that the assigner of a program gives a row. A row that fails in it fails in the operator, too. */
  def windowsOf(program: WindowProgram, row: InternalRow, time: Option[Long], processingTime: Long): Seq[Window] =
    program.plan match {
      case KeyedPlan.Over(_, _, _, _, _, _)                                             => Nil
      case plan: KeyedPlan.Windowed[InternalRow] if time.isDefined || !plan.isEventTime =>
        val collector = new WindowCollector
        Try(plan.assigner.assignWindows(row, time.getOrElse(Long.MinValue), processingTime, collector))
        (0 until collector.size).map(collector.window)
      case _ => Nil
    }
}
