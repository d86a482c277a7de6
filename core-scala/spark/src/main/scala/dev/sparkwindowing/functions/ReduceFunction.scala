package dev.sparkwindowing.functions

import dev.sparkwindowing.declaration.Part
import org.apache.spark.sql.Row

/** Combines two rows into one, for windows that a user reduces on `Row`. The rows have the columns of the input, by
  * position.
  *
  * A checkpoint stores the class and its fields ([[Part.spec]]), and a query with different ones is refused.
  */
trait ReduceFunction extends Part {

  /** @param kept
    *   the reduced row so far; the first row itself at the second row
    * @param row
    *   the new row, or the reduced row of a merged window
    */
  def reduce(kept: Row, row: Row): Row

  /** True if `reduce` is commutative and associative. Rows are then reduced before the exchange, and `reduce` may not
    * change its arguments.
    */
  def isMergeable: Boolean = false
}
