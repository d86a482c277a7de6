package dev.sparkwindowing.columns

import dev.sparkwindowing.assigners.WindowAssigner
import dev.sparkwindowing.declaration.{PartSpec, Spec}
import dev.sparkwindowing.spark.advice.Code
import dev.sparkwindowing.spark.expressions.ColumnBinder
import dev.sparkwindowing.spark.rows.BoundColumn
import dev.sparkwindowing.triggers.{EventTimeTrigger, ProcessingTimeTrigger, Trigger}
import dev.sparkwindowing.windows.WindowCollector
import org.apache.spark.sql.Column
import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.types._

/** Assigner written as a column: an array of structs of two times, start (inclusive) and end (exclusive), of the type
  * of the event time.
  *
  * A row with an empty array or null belongs to no window. A window that does not end after its start is an error at
  * that row.
  */
final class ColumnAssigner private (
    @transient column: Column,
    text: String,
    val isEventTime: Boolean,
    slot: Option[BoundColumn]
) extends WindowAssigner[InternalRow]
    with ColumnPart[ColumnAssigner] {

  private[columns] def bind(binder: ColumnBinder): ColumnAssigner = {
    val bound = binder.value(column, "the column of ColumnAssigner")
    val time  = binder.times.dataType
    bound.dataType match {
      case ArrayType(StructType(Array(start, end)), _) if start.dataType == time && end.dataType == time  =>
      case ArrayType(StructType(Array(start, end)), _) if Seq(start, end).forall(f => isTime(f.dataType)) =>
        throw new IllegalArgumentException(
          s"the windows of ColumnAssigner are of the type of the event time, ${time.sql}, got $text of type " +
            s"${bound.dataType.sql}: " +
            Code.sql(bound.text).cast(s"array<struct<start:${time.catalogString},end:${time.catalogString}>>")
        )
      case other =>
        throw new IllegalArgumentException(
          s"ColumnAssigner takes an array of structs of two timestamps, start and end, got $text of type ${other.sql}: " +
            s"e.g. ${Code.function("array", Code.function("struct", Code.reference("start"), Code.reference("end")))}"
        )
    }
    new ColumnAssigner(column, bound.text, isEventTime, Some(bound))
  }

  private def isTime(t: DataType): Boolean = t == TimestampType || t == TimestampNTZType

  def assignWindows(row: InternalRow, timestamp: Long, processingTime: Long, windows: WindowCollector): Unit = {
    val at = onceBound(slot).ordinal
    if (!row.isNullAt(at)) {
      val list = row.getArray(at)
      var i    = 0
      while (i < list.numElements()) {
        if (!list.isNullAt(i)) add(list.getStruct(i, 2), windows)
        i += 1
      }
    }
  }

  private def add(bounds: InternalRow, windows: WindowCollector): Unit = {
    if (bounds.isNullAt(0) || bounds.isNullAt(1))
      throw new IllegalArgumentException(s"$this gave a window without start or end")
    val start = Math.floorDiv(bounds.getLong(0), 1000L)
    val end   = Math.floorDiv(bounds.getLong(1), 1000L)
    if (end <= start)
      throw new IllegalArgumentException(s"$this gave a window that ends before it starts: [$start, $end)")
    windows.add(start, end)
  }

  def defaultTrigger: Trigger[Any] = if (isEventTime) EventTimeTrigger.create() else ProcessingTimeTrigger.create()

  override def spec: Spec = PartSpec("ColumnAssigner", Seq("column" -> Spec.Sql(text)))
    .option("eventTime", Spec.Flag(isEventTime), Spec.Flag(true))
}

object ColumnAssigner {

  /** @param column
    *   an array of structs of two timestamps; rounded down to whole milliseconds
    * @param eventTime
    *   whether the windows end by the watermark; else by processing time
    */
  def of(column: Column, eventTime: Boolean = true): ColumnAssigner =
    new ColumnAssigner(column, column.toString, eventTime, None)
}
