package dev.sparkwindowing.columns

import dev.sparkwindowing.declaration.Spec
import dev.sparkwindowing.evictors.DeltaEvictor
import dev.sparkwindowing.functions.DeltaFunction
import dev.sparkwindowing.spark.expressions.{ColumnBinder, RowFunction}
import dev.sparkwindowing.spark.rows.KeptRowCodec
import dev.sparkwindowing.triggers.DeltaTrigger
import org.apache.spark.sql.Column
import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.types.DoubleType

/** Distance of two rows as a column over two structs, such as `new.speed - old.speed`. A null distance reaches no
  * threshold.
  */
final class ColumnDelta private (
    @transient column: Column,
    first: String,
    second: String,
    text: String,
    function: Option[RowFunction]
) extends DeltaFunction[InternalRow]
    with ColumnPart[ColumnDelta] {

  private[columns] def bind(binder: ColumnBinder): ColumnDelta = {
    val bound = binder.overRows(column, first, second, DoubleType, "the delta function")
    new ColumnDelta(column, first, second, bound.text, Some(bound))
  }

  def delta(old: InternalRow, element: InternalRow): Double = {
    val row = onceBound(function)(old, element)
    // Every comparison with NaN is false.
    if (row.isNullAt(0)) Double.NaN else row.getDouble(0)
  }

  override def keep(row: InternalRow): InternalRow = row.copy()

  override def spec: Spec = Spec.Sql(text)
}

object ColumnDelta {

  /** A [[DeltaTrigger]] with the column `delta` over the structs `old` (the row that fired last) and `new`. */
  def trigger(threshold: Double, delta: Column): DeltaTrigger[InternalRow] =
    DeltaTrigger.of[InternalRow](threshold, of(delta, "old", "new"), KeptRowCodec)

  /** A [[DeltaEvictor]] with the column `delta` over the structs `element` and `last`. */
  def evictor(threshold: Double, delta: Column, doEvictAfter: Boolean = false): DeltaEvictor[InternalRow] =
    DeltaEvictor.of(threshold, of(delta, "element", "last"), doEvictAfter)

  private def of(column: Column, first: String, second: String): ColumnDelta =
    new ColumnDelta(column, first, second, column.toString, None)
}
