package dev.sparkwindowing.functions

import dev.sparkwindowing.declaration.Part
import org.apache.spark.sql.Row

/** Makes one row of two, for windows that a user reduces on `Row`: rows of the input, by position.
  *
  * A checkpoint remembers the class and its fields ([[Part.spec]]), and a query with other ones is refused.
  */
trait ReduceFunction extends Part {

  /** @param kept
    *   what the rows before were reduced to, the first row itself at the second
    * @param row
    *   the row that came, or what a window that joined was reduced to
    */
  def reduce(kept: Row, row: Row): Row
}
