package dev.sparkwindowing.spark.computations

import org.apache.spark.sql.types.StructType

/** Format of window contents in the state, for readers of a checkpoint. */
private[sparkwindowing] sealed trait ContentsFormat extends Product with Serializable

private[sparkwindowing] object ContentsFormat {

  /** No contents, because there are no windows. */
  case object Nothing extends ContentsFormat

  /** All rows of the operator, in order of arrival. */
  case object Rows extends ContentsFormat

  /** A row of these fields, in Spark's bytes. */
  final case class Buffer(fields: StructType) extends ContentsFormat

  /** A row with one field, a struct that may be null. */
  final case class Struct(fields: StructType) extends ContentsFormat

  /** A row of these fields, preceded by its length in bytes. */
  final case class LengthPrefixed(fields: StructType) extends ContentsFormat
}
