package dev.sparkwindowing.functions

import org.apache.spark.sql.Row
import org.apache.spark.sql.types.StructType

/** An aggregate of windows that a user writes on `Row`: one accumulator a window, whatever the number of rows.
  *
  * Accumulators and results are rows by position, with the values that their schemas name. An accumulator is written
  * into the state by its schema. Give the function a `toString` that says its arguments: a checkpoint remembers it, and
  * a query with another one is refused. Written as columns the same is
  * [[dev.sparkwindowing.columns.ColumnAggregateFunction]].
  */
trait AggregateFunction extends Serializable {

  /** The columns of an accumulator. */
  def accumulatorSchema: StructType

  /** The columns of a result. */
  def resultSchema: StructType

  /** The accumulator of a window without rows. */
  def createAccumulator(): Row

  /** The accumulator with a row of the input. */
  def add(accumulator: Row, row: Row): Row

  /** The accumulator of two windows that became one. Called only when two or more live sessions join. */
  def merge(kept: Row, merged: Row): Row

  /** The result; null puts out no row. */
  def getResult(accumulator: Row): Row
}
