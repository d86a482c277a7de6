package dev.sparkwindowing.functions

import dev.sparkwindowing.codec.{BlockReader, BlockWriter, ValueCodec}
import dev.sparkwindowing.spark.rows.RowCodec
import org.apache.spark.sql.Row
import org.apache.spark.sql.catalyst.encoders.{ExpressionEncoder, RowEncoder}
import org.apache.spark.sql.types.{DataType, StructType}

/** Codecs for the state of functions by Spark types: `ValueStateDescriptor("last", StateCodec.of[Row](schema))`. */
object StateCodec {

  /** Codec for values of a Spark type as `Row` holds them: `java.lang.Long` for a BIGINT, `Row` for a struct. */
  def of[T](dataType: DataType): ValueCodec[T] = new OfType[T](dataType)

  private final class OfType[T](dataType: DataType) extends ValueCodec[T] {
    private[this] val schema = new StructType().add("value", dataType)

    @transient private[this] lazy val serializer   = ExpressionEncoder(RowEncoder.encoderFor(schema)).createSerializer()
    @transient private[this] lazy val deserializer =
      ExpressionEncoder(RowEncoder.encoderFor(schema)).resolveAndBind().createDeserializer()
    @transient private[this] lazy val rows = new RowCodec(1)

    def write(value: T, out: BlockWriter): Unit = rows.write(serializer(Row(value)), out)
    def read(in: BlockReader): T                = deserializer(rows.read(in)).getAs[T](0)
  }
}
