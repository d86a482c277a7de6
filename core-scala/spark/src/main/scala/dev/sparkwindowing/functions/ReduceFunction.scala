package dev.sparkwindowing.functions

import org.apache.spark.sql.Row

/** Combines two rows into one, for windows that a user reduces on `Row`. The rows have the columns of the input, by
  * position.
  *
  * Give it a `toString` that includes its arguments: the checkpoint stores that text, and a query with another one is
  * refused.
  */
trait ReduceFunction extends Serializable {

  /** @param kept
    *   the reduced row so far, at the second row the first one itself
    * @param row
    *   the new row, or the reduced row of a merged window
    */
  def reduce(kept: Row, row: Row): Row
}
