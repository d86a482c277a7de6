package dev.sparkwindowing.spark.rows

import dev.sparkwindowing.codec.{BlockReader, BlockWriter, ValueCodec}
import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.expressions.UnsafeRow
import org.apache.spark.sql.types.StructType

/** Codec for rows of the query in the state: the number of columns, then Spark's bytes of the row. */
private[sparkwindowing] object KeptRowCodec extends SizedRowCodec

/** Codec for structs in the state, as rows.
  *
  * @param schema
  *   their type, None if no struct is ever written
  */
private[sparkwindowing] final class StructCodec(val schema: Option[StructType]) extends SizedRowCodec

private[sparkwindowing] sealed abstract class SizedRowCodec extends ValueCodec[InternalRow] {

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
