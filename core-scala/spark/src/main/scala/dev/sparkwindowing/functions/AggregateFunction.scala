package dev.sparkwindowing.functions

import dev.sparkwindowing.declaration.Part
import org.apache.spark.sql.Row
import org.apache.spark.sql.types.StructType

/** User-defined window aggregate on `Row`: one accumulator per window, for any number of rows.
  *
  * Accumulators and results are rows by position, with values of the types in their schemas. An accumulator is written
  * to the state by its schema. A checkpoint stores the class and its fields ([[Part.spec]]), and a query with different
  * ones is refused. [[dev.sparkwindowing.columns.ColumnAggregateFunction]] is the same written as columns.
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

  /** The merged accumulator of two windows. Called when two or more live sessions merge, and for rows that were
    * aggregated before the exchange.
    */
  def merge(kept: Row, merged: Row): Row

  /** True if rows may be added in any order to several accumulators, which `merge` then combines, with the same result.
    * Rows are then aggregated before the exchange, and no method may change its arguments.
    */
  def isMergeable: Boolean = false

  /** The result; null emits no row. */
  def getResult(accumulator: Row): Row
}
