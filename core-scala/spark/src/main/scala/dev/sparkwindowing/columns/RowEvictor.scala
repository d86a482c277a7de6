package dev.sparkwindowing.columns

import dev.sparkwindowing.contents.ElementList
import dev.sparkwindowing.declaration.{Part, Spec}
import dev.sparkwindowing.evictors.{Evictor, EvictorContext}
import dev.sparkwindowing.spark.expressions.{ColumnBinder, PartFailure}
import dev.sparkwindowing.spark.rows.RowView
import dev.sparkwindowing.windows.Window
import org.apache.spark.sql.Row
import org.apache.spark.sql.catalyst.InternalRow

/** User's evictor on `Row`, applied to the rows of a query. */
private[columns] final class RowEvictor(user: Evictor[Row], override val spec: Spec, view: Option[RowView])
    extends Evictor[InternalRow]
    with ColumnPart[Evictor[InternalRow]] {

  private[columns] def bind(binder: ColumnBinder): Evictor[InternalRow] = {
    val (part, text) = RowParts.bound(user, spec, binder)
    new RowEvictor(part, text, Some(binder.rowView))
  }

  def evictBefore(elements: ElementList[InternalRow], window: Window, ctx: EvictorContext): Unit =
    evict(elements)(user.evictBefore(_, window, ctx))

  def evictAfter(elements: ElementList[InternalRow], window: Window, ctx: EvictorContext): Unit =
    evict(elements)(user.evictAfter(_, window, ctx))

  private def evict(elements: ElementList[InternalRow])(evict: ElementList[Row] => Unit): Unit = {
    val rows = onceBound(view)
    PartFailure.named(s"$spec")(evict(elements.viewed(rows(_))))
  }

  override def children: Seq[Part] = user.children

  private[sparkwindowing] override def writtenAs: Class[_] = user.getClass
}
