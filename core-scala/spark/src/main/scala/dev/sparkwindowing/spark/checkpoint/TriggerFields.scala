package dev.sparkwindowing.spark.checkpoint

import dev.sparkwindowing.spark.rows.{KeptRowCodec, StoredFields, StructCodec}
import dev.sparkwindowing.triggers.TriggerMemory
import org.apache.spark.sql.types.{LongType, StructField, StructType}

/** State of a trigger as fields, for readers of a checkpoint.
  *
  * @param values
  *   a struct for a value that is a row, else bytes
  */
private[sparkwindowing] final case class TriggerFields(numbers: Seq[StructField], values: Seq[StructField])

private[sparkwindowing] object TriggerFields {

  /** @param rows
    *   the rows of the operator
    */
  def apply(memory: TriggerMemory, rows: StructType): TriggerFields = TriggerFields(
    memory.numbers.map(n => if (n.isTime) StoredFields.millis(n.name) else StructField(n.name, LongType)),
    memory.values.map { value =>
      (value.codec: Any) match {
        case KeptRowCodec                                  => StructField(value.name, rows)
        case struct: StructCodec if struct.schema.nonEmpty => StructField(value.name, struct.schema.get)
        case _                                             => StoredFields.opaque(value.name)
      }
    }
  )
}
