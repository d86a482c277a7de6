package dev.sparkwindowing.spark.functions

import org.apache.spark.sql.types.StructType

/** How what is kept of a window lies in the state, for those who look into a checkpoint. */
private[sparkwindowing] sealed trait KeptContents extends Product with Serializable

private[sparkwindowing] object KeptContents {

  /** Nothing: there are no windows. */
  case object Nothing extends KeptContents

  /** All rows of the operator, in order of arrival. */
  case object Rows extends KeptContents

  /** A row of these fields, in Spark's bytes. */
  final case class Buffer(fields: StructType) extends KeptContents

  /** A row of one field, the struct, which may be null. */
  final case class Struct(fields: StructType) extends KeptContents

  /** A row of these fields, with the number of its bytes in front. */
  final case class Measured(fields: StructType) extends KeptContents
}
