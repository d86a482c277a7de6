package dev.sparkwindowing.spark.rows

import dev.sparkwindowing.codec.{BlockReader, BlockWriter, ValueCodec}
import dev.sparkwindowing.contents.ListContents
import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.expressions.UnsafeRow

/** Codec for rows as window elements, in Spark's bytes of a row. */
private[sparkwindowing] final class RowCodec(fields: Int) extends ValueCodec[InternalRow] {

  def write(row: InternalRow, out: BlockWriter): Unit = out.block(row.asInstanceOf[UnsafeRow].getBytes)

  override def sizeOf(row: InternalRow): Int = row.asInstanceOf[UnsafeRow].getSizeInBytes

  def read(in: BlockReader): InternalRow = {
    val bytes = in.block()
    val row   = new UnsafeRow(fields)
    row.pointTo(bytes, bytes.length)
    row
  }
}

private[sparkwindowing] object RowElements {

  /** Contents that store all rows of a window. Each row is copied, since Spark reuses its row buffers. */
  def contents(fields: Int): ListContents[InternalRow] = new ListContents[InternalRow](new RowCodec(fields), _.copy())
}
