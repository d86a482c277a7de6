package dev.sparkwindowing.columns

import dev.sparkwindowing.codec.{BlockReader, BlockWriter, ValueCodec}
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

  // The user's evictor works on a list of views. Elements that it removes there are removed here.
  private def evict(elements: ElementList[InternalRow])(evict: ElementList[Row] => Unit): Unit = {
    val views = new ElementList[Row](RowEvictor.NeverWritten)
    val rows  = onceBound(view)
    (0 until elements.size).foreach(i => views.add(rows(elements(i)), elements.timestamp(i)))
    val all = (0 until views.size).map(views(_))
    PartFailure.named(s"$spec")(evict(views))
    var next = 0
    elements.removeIf { i =>
      val kept = next < views.size && (views(next) eq all(i))
      if (kept) next += 1
      !kept
    }
  }

  override def children: Seq[Part] = user.children

  private[sparkwindowing] override def writtenAs: Class[_] = user.getClass
}

private object RowEvictor {

  private object NeverWritten extends ValueCodec[Row] {
    def write(value: Row, out: BlockWriter): Unit = throw new IllegalStateException("a view of rows is not written")
    def read(in: BlockReader): Row                = throw new IllegalStateException("a view of rows is not read")
  }
}
