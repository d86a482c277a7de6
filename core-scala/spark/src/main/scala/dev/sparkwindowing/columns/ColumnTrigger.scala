package dev.sparkwindowing.columns

import dev.sparkwindowing.triggers.TriggerResult.{Continue, Fire}
import dev.sparkwindowing.triggers.{OnMergeContext, Trigger, TriggerContext, TriggerResult}
import dev.sparkwindowing.windows.Window
import org.apache.spark.sql.Column
import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.types.BooleanType

/** Fires at each row for which a column is true. Null is false. */
final class ColumnTrigger private (@transient column: Column, text: String, slot: Option[Slot])
    extends Trigger[InternalRow]
    with ColumnPart[ColumnTrigger] {

  private[columns] def bind(binder: ColumnBinder): ColumnTrigger = {
    val bound = binder.value(column, "the column of ColumnTrigger.when")
    if (bound.dataType != BooleanType)
      throw new IllegalArgumentException(
        s"ColumnTrigger.when takes a boolean column, got $text of type ${bound.dataType.sql}"
      )
    new ColumnTrigger(column, text, Some(bound))
  }

  def onElement(row: InternalRow, timestamp: Long, window: Window, ctx: TriggerContext): TriggerResult = {
    val at = slot.getOrElse(throw new IllegalStateException(s"$this is not bound to a query")).ordinal
    if (!row.isNullAt(at) && row.getBoolean(at)) Fire else Continue
  }

  def onEventTime(time: Long, window: Window, ctx: TriggerContext): TriggerResult      = Continue
  def onProcessingTime(time: Long, window: Window, ctx: TriggerContext): TriggerResult = Continue

  override def canMerge: Boolean                                  = true
  override def onMerge(window: Window, ctx: OnMergeContext): Unit = ()
  def clear(window: Window, ctx: TriggerContext): Unit            = ()

  override def toString: String = s"ColumnTrigger.when($text)"
}

object ColumnTrigger {

  /** @param column a boolean expression over a row of the input */
  def when(column: Column): ColumnTrigger = new ColumnTrigger(column, column.toString, None)
}
