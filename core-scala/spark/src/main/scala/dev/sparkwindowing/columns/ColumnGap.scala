package dev.sparkwindowing.columns

import dev.sparkwindowing.assigners.{
  DynamicEventTimeSessionWindows,
  DynamicProcessingTimeSessionWindows,
  EventTimeSessionWindows,
  ProcessingTimeSessionWindows,
  SessionWindowTimeGapExtractor
}
import dev.sparkwindowing.declaration.Spec
import dev.sparkwindowing.spark.advice.{Code, Face}
import dev.sparkwindowing.spark.expressions.ColumnBinder
import dev.sparkwindowing.spark.rows.BoundColumn
import org.apache.spark.sql.Column
import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.types._

/** Session gap as a column, as in Spark's `session_window`: an interval, or text such as `5 seconds`. */
final class ColumnGap private (@transient column: Column, text: String, slot: Option[BoundColumn])
    extends SessionWindowTimeGapExtractor[InternalRow]
    with ColumnPart[ColumnGap] {
  import ColumnGap._

  // That of the declaration, for rows that a task refuses.
  private[this] val face = Face.inUse

  private[columns] def bind(binder: ColumnBinder): ColumnGap = {
    val written = binder.value(column, "the dynamic gap")
    val bound   = written.dataType match {
      case _: DayTimeIntervalType | CalendarIntervalType => written
      case _: StringType                                 => binder.value(column.cast("interval"), "the dynamic gap")
      case other                                         =>
        throw new IllegalArgumentException(
          s"the dynamic gap must be an interval or text such as '5 seconds', got $text of type ${other.sql}: " +
            s"use e.g. ${interval("make_dt_interval", 3, Code.dots)}"
        )
    }
    new ColumnGap(column, written.text, Some(bound))
  }

  def extract(row: InternalRow): Long = {
    val at = onceBound(slot)
    if (row.isNullAt(at.ordinal))
      throw new IllegalArgumentException(
        s"the dynamic gap $text of a session is null, or text that is no interval: it must be one for every row: " +
          face.use(s"$OrElse; or filter such rows out")
      )
    val gap = millis(row, at)
    if (gap <= 0)
      throw new IllegalArgumentException(
        s"the dynamic gap $text of a session must be positive, got $gap ms: give such rows another gap, or filter them out"
      )
    gap
  }

  private def millis(row: InternalRow, at: BoundColumn): Long = at.dataType match {
    case CalendarIntervalType =>
      val interval = row.getInterval(at.ordinal)
      if (interval.months != 0)
        throw new IllegalArgumentException(
          s"the dynamic gap $text of a session is $interval: months and years have no fixed length, use days"
        )
      interval.days * 86400000L + Math.floorDiv(interval.microseconds, 1000L)
    case _ => Math.floorDiv(row.getLong(at.ordinal), 1000L)
  }

  override def spec: Spec = Spec.Sql(text)
}

object ColumnGap {

  /** An interval of a number of seconds, the last parameter of its function after some others. */
  private def interval(function: String, others: Int, seconds: Code) = Code {
    case Face.Scala => s"${Code.function(function, Seq.fill(others)(Code.lit(Code.plain("0"))) :+ seconds: _*)}"
    case _          => s"${Code.function(function, Code.named("secs", seconds))}"
  }

  private val OrElse = {
    val five               = Code.lit(Code.plain("5"))
    def gapOr(value: Code) = Code.function("coalesce", Code.reference("gap"), value)
    Code { _ =>
      s"${gapOr(Code.lit(Code.text("5 seconds")))} for text, ${gapOr(interval("make_dt_interval", 3, five))} for an interval " +
        s"of days to seconds, ${gapOr(interval("make_interval", 6, five))} for INTERVAL"
    }
  }

  /** @param column
    *   an interval, or text such as `5 seconds`; rounded down to whole milliseconds. A gap that is null or not positive
    *   fails the query at that row
    */
  def of(column: Column): ColumnGap = new ColumnGap(column, column.toString, None)

  /** Event-time sessions with that gap. */
  def eventTime(column: Column): DynamicEventTimeSessionWindows[InternalRow] =
    EventTimeSessionWindows.withDynamicGap(of(column))

  /** Processing-time sessions with that gap. */
  def processingTime(column: Column): DynamicProcessingTimeSessionWindows[InternalRow] =
    ProcessingTimeSessionWindows.withDynamicGap(of(column))
}
