package dev.sparkwindowing.functions

import dev.sparkwindowing.declaration.Part
import org.apache.spark.sql.Row
import org.apache.spark.sql.types.StructType

/** User-defined window aggregate on `Row`: one accumulator per window, whatever the number of rows.
  *
  * Accumulators and results are rows by position, with the values that their schemas name. An accumulator is written
  * into the state by its schema. A checkpoint remembers the class and its fields ([[Part.spec]]), and a query with
  * other ones is refused. [[dev.sparkwindowing.columns.ColumnAggregateFunction]] is the same written as columns.
  */
trait AggregateFunction extends Part {

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
