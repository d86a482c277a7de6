package dev.sparkwindowing.columns

import dev.sparkwindowing.declaration.Spec
import dev.sparkwindowing.spark.expressions.{ColumnBinder, PartFailure}
import dev.sparkwindowing.spark.rows.RowView
import dev.sparkwindowing.triggers.{Trigger, TriggerContext, TriggerResult}
import dev.sparkwindowing.windows.Window
import org.apache.spark.sql.Row
import org.apache.spark.sql.catalyst.InternalRow

/** User's trigger on `Row`, applied to the rows of a query. */
private[columns] final class RowTrigger(user: Trigger[Row], override val spec: Spec, view: Option[RowView])
    extends ForwardingTrigger[InternalRow](user)
    with ColumnPart[Trigger[InternalRow]] {

  private[columns] def bind(binder: ColumnBinder): Trigger[InternalRow] = {
    val (part, text) = RowParts.bound(user, spec, binder)
    new RowTrigger(part, text, Some(binder.rowView))
  }

  def onElement(row: InternalRow, timestamp: Long, window: Window, ctx: TriggerContext): TriggerResult =
    forward("onElement")(user.onElement(onceBound(view).linked(row), timestamp, window, ctx))

  protected def forward[T](method: String)(call: => T): T = PartFailure.named(s"$spec.$method")(call)

  private[sparkwindowing] override def writtenAs: Class[_] = user.getClass
}
