package dev.sparkwindowing.columns

import dev.sparkwindowing.contents.ElementList
import dev.sparkwindowing.declaration.{PartSpec, Spec}
import dev.sparkwindowing.evictors.{Evictor, EvictorContext}
import dev.sparkwindowing.spark.expressions.{ColumnBinder, RowFunction}
import dev.sparkwindowing.spark.rows.EventTimeType
import dev.sparkwindowing.windows.Window
import org.apache.spark.sql.Column
import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.expressions.SpecificInternalRow
import org.apache.spark.sql.types._

/** Keeps the rows for which a column is true; null counts as false.
  *
  * The column is over the struct `element`, its `position` in order of arrival from 0, the `count` of rows in the
  * window and the `newest` event time in it (null if no row has one).
  */
final class ColumnEvictor private (
    @transient column: Column,
    text: String,
    doEvictAfter: Boolean,
    keeps: Option[RowFunction]
) extends Evictor[InternalRow]
    with ColumnPart[ColumnEvictor] {

  private[columns] def bind(binder: ColumnBinder): ColumnEvictor = {
    val what  = "the column of ColumnEvictor.keep"
    val bound = binder.overRow(column, "element", ColumnEvictor.facts(binder.times), what, Some(BooleanType))
    new ColumnEvictor(column, bound.text, doEvictAfter, Some(bound))
  }

  def evictBefore(elements: ElementList[InternalRow], window: Window, ctx: EvictorContext): Unit =
    if (!doEvictAfter) evict(elements)

  def evictAfter(elements: ElementList[InternalRow], window: Window, ctx: EvictorContext): Unit =
    if (doEvictAfter) evict(elements)

  private def evict(elements: ElementList[InternalRow]): Unit = {
    val keep   = onceBound(keeps)
    val facts  = new SpecificInternalRow(Seq(IntegerType, IntegerType, LongType))
    val newest = elements.greatestTimestamp
    facts.setInt(1, elements.size)
    if (newest == Long.MinValue) facts.setNullAt(2) else facts.setLong(2, newest * 1000)
    elements.removeIf { i =>
      facts.setInt(0, i)
      val kept = keep(elements(i), facts)
      kept.isNullAt(0) || !kept.getBoolean(0)
    }
  }

  override def spec: Spec = PartSpec("ColumnEvictor.keep", Seq("column" -> Spec.Sql(text)))
    .option("doEvictAfter", Spec.Flag(doEvictAfter), Spec.Flag(false))
}

object ColumnEvictor {

  private def facts(times: EventTimeType) =
    Seq(StructField("position", IntegerType), StructField("count", IntegerType), StructField("newest", times.dataType))

  /** @param column
    *   a boolean expression over `element`, `position`, `count` and `newest`
    * @param doEvictAfter
    *   evict after the function instead of before it
    */
  def keep(column: Column, doEvictAfter: Boolean = false): ColumnEvictor =
    new ColumnEvictor(column, column.toString, doEvictAfter, None)
}
