package dev.sparkwindowing.spark.plan

import org.apache.spark.sql.types.{LongType, StringType, StructField, StructType}

/** Form of a result as changes of a table that has one row for each key and window.
  *
  * @param before
  *   whether a change shows the row that it replaces, which is then stored with its window
  */
private[sparkwindowing] final case class Changelog(before: Boolean) {

  /** State of a window: the row that its last firing has shown. */
  def states(results: StructType): StructType =
    if (before) StructType(Seq(StructField(Changelog.LastRow, StructType(results.map(_.copy(nullable = true))))))
    else new StructType()
}

private[sparkwindowing] object Changelog {

  /** The column with the kind of a change: `+I`, `-U`, `+U` or `-D`. */
  val Op = "op"

  /** The column with a number that grows with each change of a key and window. */
  val Sequence = "sequence"

  /** Name of the state of a window. */
  val LastRow = "last_row"

  val columns: Seq[StructField] = Seq(StructField(Op, StringType), StructField(Sequence, LongType))
}
