package dev.sparkwindowing.functions

import org.apache.spark.sql.Row

/** Makes one row of two, for windows that a user reduces on `Row`: rows of the input, by position.
  *
  * Give it a `toString` that says its arguments: a checkpoint remembers it, and a query with another one is refused.
  */
trait ReduceFunction extends Serializable {

  /** @param kept
    *   what the rows before were reduced to, the first row itself at the second
    * @param row
    *   the row that came, or what a window that joined was reduced to
    */
  def reduce(kept: Row, row: Row): Row
}
