package dev.sparkwindowing.functions

import dev.sparkwindowing.declaration.Part
import org.apache.spark.sql.Row
import org.apache.spark.sql.types.StructType

/** An aggregate of windows that a user writes on `Row`: one accumulator a window, whatever the number of rows.
  *
  * Accumulators and results are rows by position, with the values that their schemas name. An accumulator is written
  * into the state by its schema. A checkpoint remembers the class and its fields ([[Part.spec]]), and a query with other
  * ones is refused. [[dev.sparkwindowing.columns.ColumnAggregateFunction]] is the same written as columns.
  */
trait AggregateFunction extends Part {

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
