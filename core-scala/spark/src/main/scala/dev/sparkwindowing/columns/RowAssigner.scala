package dev.sparkwindowing.columns

import dev.sparkwindowing.assigners.{MergingWindowAssigner, WindowAssigner}
import dev.sparkwindowing.declaration.{Part, Spec}
import dev.sparkwindowing.spark.expressions.{ColumnBinder, PartFailure}
import dev.sparkwindowing.spark.rows.RowView
import dev.sparkwindowing.triggers.Trigger
import dev.sparkwindowing.windows.WindowCollector
import org.apache.spark.sql.Row
import org.apache.spark.sql.catalyst.InternalRow

/** User's assigner on `Row`, applied to the rows of a query. */
private[columns] class RowAssigner(user: WindowAssigner[Row], override val spec: Spec, view: Option[RowView])
    extends WindowAssigner[InternalRow]
    with ColumnPart[WindowAssigner[InternalRow]] {

  private[columns] def bind(binder: ColumnBinder): WindowAssigner[InternalRow] = {
    val (part, text) = RowParts.bound(user, spec, binder)
    bound(part, text, binder.rowView)
  }

  protected def bound(user: WindowAssigner[Row], spec: Spec, view: RowView): WindowAssigner[InternalRow] =
    new RowAssigner(user, spec, Some(view))

  def assignWindows(row: InternalRow, timestamp: Long, processingTime: Long, windows: WindowCollector): Unit =
    PartFailure.named(s"$spec.assignWindows") {
      user.assignWindows(onceBound(view)(row), timestamp, processingTime, windows)
    }

  def defaultTrigger: Trigger[Any] = user.defaultTrigger
  def isEventTime: Boolean         = user.isEventTime
  override def children: Seq[Part] = user.children

  private[sparkwindowing] override def writtenAs: Class[_] = user.getClass
}

private[columns] final class MergingRowAssigner(user: WindowAssigner[Row], spec: Spec, view: Option[RowView])
    extends RowAssigner(user, spec, view)
    with MergingWindowAssigner[InternalRow] {

  override protected def bound(user: WindowAssigner[Row], spec: Spec, view: RowView): WindowAssigner[InternalRow] =
    new MergingRowAssigner(user, spec, Some(view))
}
