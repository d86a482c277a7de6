package dev.sparkwindowing.functions

import org.apache.spark.sql.Row
import org.apache.spark.sql.types.StructType

/** User-defined window aggregate on `Row`: one accumulator per window, whatever the number of rows.
  *
  * Accumulators and results are rows by position, with the values that their schemas name. The state stores an
  * accumulator by its schema. Give the function a `toString` that includes its arguments: the checkpoint stores that
  * text, and a query with another one is refused. The column form is
  * [[dev.sparkwindowing.columns.ColumnAggregateFunction]].
  */
trait AggregateFunction extends Serializable {

  /** Columns of an accumulator. */
  def accumulatorSchema: StructType

  /** Columns of a result. */
  def resultSchema: StructType

  /** The initial accumulator. */
  def createAccumulator(): Row

  /** The accumulator after adding a row of the input. */
  def add(accumulator: Row, row: Row): Row

  /** The merged accumulator of two windows. Called only when two or more live sessions merge. */
  def merge(kept: Row, merged: Row): Row

  /** The result; null produces no row. */
  def getResult(accumulator: Row): Row
}
