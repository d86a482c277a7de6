package dev.sparkwindowing.simulation

import dev.sparkwindowing.functions.TimeDomain
import dev.sparkwindowing.operator.KeyedPlan
import dev.sparkwindowing.spark.plan.WindowProgram
import dev.sparkwindowing.windows.{Window, WindowCollector}
import org.apache.spark.sql.catalyst.InternalRow

import scala.util.Try

/** Facts of an element at its arrival.
  *
  * @param position
  *   in the record of the run, of the event that says so
  * @param time
  *   milliseconds, None without an event time
  * @param place
  *   its time by the clock of the windows: None if they have none, or it has no event time
  * @param watermark
  *   `Long.MinValue` before the first
  * @param assigned
  *   the windows that its assigner gives it; none for over windows, whose bounds depend on other elements
  */
private[simulation] final class ElementNote(
    val position: Int,
    val step: Int,
    val key: InternalRow,
    val time: Option[Long],
    val place: Option[Long],
    val watermark: Long,
    assigned: => Seq[Window]
) {

  /** Its windows as they are assigned, which only a question needs. */
  lazy val windows: Seq[Window] = assigned
}

private[simulation] object ElementNote {

  /** @param key
    *   in the form of the record
    * @param row
    *   stays as it is
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
    new ElementNote(
      record.position,
      record.step,
      key,
      time,
      place,
      watermark,
      windowsOf(program, row, time, processingTime)
    )
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
