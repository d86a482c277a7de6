package dev.sparkwindowing.columns

import dev.sparkwindowing.codec.{BlockReader, BlockWriter, ValueCodec}
import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.expressions.UnsafeRow
import org.apache.spark.sql.types.DataType

/** Where the columns of the parts of a query lie in its rows: known when the projection below the operator is made. */
private[sparkwindowing] final class Slots extends Serializable {
  var ordinals: Array[Int] = Array.emptyIntArray
}

/** A column of a part in the rows of the query.
  *
  * @param text
  *   the column as it was written, equal at every start of a query
  */
private[sparkwindowing] final class Slot private[columns] (
    slots: Slots,
    val index: Int,
    val dataType: DataType,
    val text: String
) extends Serializable {
  def ordinal: Int = slots.ordinals(index)
}

/** How a row of the query is written into the state by a part that remembers one: its width, then Spark's own bytes. */
private[columns] object KeptRowCodec extends ValueCodec[InternalRow] {

  def write(row: InternalRow, out: BlockWriter): Unit = {
    out.unsigned(row.numFields.toLong)
    out.block(row.asInstanceOf[UnsafeRow].getBytes)
  }

  def read(in: BlockReader): InternalRow = {
    val row   = new UnsafeRow(in.unsigned().toInt)
    val bytes = in.block()
    row.pointTo(bytes, bytes.length)
    row
  }
}
