package dev.sparkwindowing.columns

import dev.sparkwindowing.codec.{BlockReader, BlockWriter, ValueCodec}
import dev.sparkwindowing.spark.exec.RowCodec
import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.types.DataType

/** Where the columns of the parts of a query lie in its rows: known when the projection below the operator is made. */
private[columns] final class Slots extends Serializable {
  var ordinals: Array[Int] = Array.emptyIntArray
  var fields: Int          = 0
}

/** A column of a part in the rows of the query. */
private[columns] final class Slot(slots: Slots, val index: Int, val dataType: DataType) extends Serializable {
  def ordinal: Int = slots.ordinals(index)
}

/** How a row of the query is written into the state by a part that remembers one. */
private[columns] final class KeptRowCodec(slots: Slots) extends ValueCodec[InternalRow] {
  @transient private[this] lazy val codec = new RowCodec(slots.fields)

  def write(value: InternalRow, out: BlockWriter): Unit = codec.write(value, out)
  def read(in: BlockReader): InternalRow                = codec.read(in)
}
