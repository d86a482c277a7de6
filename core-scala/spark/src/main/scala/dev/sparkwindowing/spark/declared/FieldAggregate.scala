package dev.sparkwindowing.spark.declared

import dev.sparkwindowing.spark.computations.FieldReduction
import org.apache.spark.sql.Column
import org.apache.spark.sql.types.StructType

/** Flink's aggregates of one field of a record.
  *
  * @param name
  *   its name in Python
  * @param reduced
  *   the reduction of two rows with the columns of a schema, for the field of that name
  */
private[sparkwindowing] sealed abstract class FieldAggregate(
    val name: String,
    val reduced: (StructType, String) => Column
) extends Product
    with Serializable

private[sparkwindowing] object FieldAggregate {
  case object Sum                        extends FieldAggregate("sum", FieldReduction.sum)
  case object Min                        extends FieldAggregate("min", FieldReduction.min)
  case object Max                        extends FieldAggregate("max", FieldReduction.max)
  final case class MinBy(first: Boolean) extends FieldAggregate("min_by", FieldReduction.minBy(_, _, first))
  final case class MaxBy(first: Boolean) extends FieldAggregate("max_by", FieldReduction.maxBy(_, _, first))
}
