package dev.sparkwindowing.spark.expressions

import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.types.StructType

/** The one result that a window has at any time, for parts that read it. */
private[sparkwindowing] trait WindowResults extends Serializable {

  /** Columns of the result. */
  def schema: StructType

  /** The work of one task: passes on the result of a window with these contents, if it has one. The row may be reused
    * by the next call.
    */
  def inTask(): (AnyRef, InternalRow => Unit) => Unit
}
