package dev.sparkwindowing.spark.rows

import org.apache.spark.sql.Row
import org.apache.spark.sql.catalyst.expressions.GenericRowWithSchema
import org.apache.spark.sql.catalyst.{CatalystTypeConverters, InternalRow}
import org.apache.spark.sql.types.{DataType, StructType}

/** View of the rows of a query as rows of its input, for parts written on `Row`. */
private[sparkwindowing] final class RowView(val schema: StructType, slots: Array[BoundColumn]) extends Serializable {
  private[this] val types: Array[DataType] = schema.fields.map(_.dataType)

  @transient private[this] lazy val converters = types.map(CatalystTypeConverters.createToScalaConverter)

  /** Positions of the columns in the rows of the query, known when tasks run. */
  def ordinals: Seq[Int] = slots.toSeq.map(_.ordinal)

  def apply(row: InternalRow): Row = new GenericRowWithSchema(values(row), schema)

  /** A row of the input with a reference to its underlying row, valid until that row's buffer is reused. Used for
    * triggers inside a user's trigger.
    */
  private[sparkwindowing] def linked(row: InternalRow): ElementRow = new ElementRow(values(row), schema, row)

  private[this] def values(row: InternalRow): Array[Any] = {
    val values = new Array[Any](types.length)
    var i      = 0
    while (i < types.length) {
      val at = slots(i).ordinal
      values(i) = if (row.isNullAt(at)) null else converters(i)(row.get(at, types(i)))
      i += 1
    }
    values
  }
}

/** Row of the input with the operator's row that it was created from. */
private[sparkwindowing] final class ElementRow(values: Array[Any], schema: StructType, val underlying: InternalRow)
    extends GenericRowWithSchema(values, schema)

private[sparkwindowing] object RowView {

  /** View of rows that have exactly these columns. */
  def of(schema: StructType): RowView = {
    val slots = new Ordinals
    slots.ordinals = schema.indices.toArray
    new RowView(schema, schema.fields.zipWithIndex.map { case (f, i) => new BoundColumn(slots, i, f.dataType, f.name) })
  }
}
