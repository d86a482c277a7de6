package dev.sparkwindowing.spark.computations

import org.apache.spark.sql.Row
import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.encoders.{ExpressionEncoder, RowEncoder}
import org.apache.spark.sql.types.StructType

/** Conversions between rows of users' functions and Spark's own, for one task. */
private[computations] object RowEncoding {

  /** Conversion to Spark's form, an `UnsafeRow` that the next call reuses.
    *
    * @param what
    *   what the rows are, for the error of one that does not fit the schema
    */
  def writer(schema: StructType, what: String): Row => InternalRow = {
    val write = ExpressionEncoder(RowEncoder.encoderFor(schema)).createSerializer()
    row =>
      try write(row)
      catch {
        case e: RuntimeException =>
          throw new IllegalArgumentException(s"$what does not fit ${schema.simpleString}: $row", e)
      }
  }

  def reader(schema: StructType): InternalRow => Row = {
    val read = ExpressionEncoder(RowEncoder.encoderFor(schema)).resolveAndBind().createDeserializer()
    row => read(row)
  }
}
