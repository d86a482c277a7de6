package dev.sparkwindowing.columns

import org.apache.spark.sql.Row
import org.apache.spark.sql.catalyst.expressions.GenericRowWithSchema
import org.apache.spark.sql.catalyst.{CatalystTypeConverters, InternalRow}
import org.apache.spark.sql.types.{DataType, StructType}

/** The rows of a query as the rows of its input, for parts that are written on `Row`. */
private[sparkwindowing] final class RowView(val schema: StructType, slots: Array[Slot]) extends Serializable {
  private[this] val types: Array[DataType] = schema.fields.map(_.dataType)

  @transient private[this] lazy val converters = types.map(CatalystTypeConverters.createToScalaConverter)

  /** Where the columns lie in the rows of the query, known when tasks run. */
  def ordinals: Seq[Int] = slots.toSeq.map(_.ordinal)

  def apply(row: InternalRow): Row = {
    val values = new Array[Any](types.length)
    var i      = 0
    while (i < types.length) {
      val at = slots(i).ordinal
      values(i) = if (row.isNullAt(at)) null else converters(i)(row.get(at, types(i)))
      i += 1
    }
    new GenericRowWithSchema(values, schema)
  }
}

private[sparkwindowing] object RowView {

  /** Of rows that have just these columns. */
  def of(schema: StructType): RowView = {
    val slots = new Slots
    slots.ordinals = schema.indices.toArray
    new RowView(schema, schema.fields.zipWithIndex.map { case (f, i) => new Slot(slots, i, f.dataType, f.name) })
  }
}
