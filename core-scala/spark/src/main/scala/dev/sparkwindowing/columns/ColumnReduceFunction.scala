package dev.sparkwindowing.columns

import dev.sparkwindowing.spark.computations.{ColumnReduce, Computation}
import dev.sparkwindowing.spark.expressions.ColumnBinder
import org.apache.spark.sql.Column

/** Reduction of two rows to one, written as a column, which runs in the JVM.
  *
  * Build it with [[ColumnReduceFunction.of]]. It is checked when the query is declared.
  */
final class ColumnReduceFunction private (reduced: Column, isMergeable: Boolean) {

  /** @param shown positions of the input columns in the result */
  private[sparkwindowing] def bind(shown: Seq[Int], binder: ColumnBinder): Computation =
    ColumnReduce.bind(reduced, isMergeable, shown, "reduce", binder)

  override def toString: String = s"ReduceFunction($reduced)"
}

object ColumnReduceFunction {

  /** @param reduced
    *   over the structs `a` (the reduced row so far) and `b` (the new row): a struct of exactly the columns of the
    *   input, by name
    * @param mergeable
    *   whether it is commutative and associative. Rows are then reduced before the exchange
    */
  def of(reduced: Column, mergeable: Boolean): ColumnReduceFunction = new ColumnReduceFunction(reduced, mergeable)
}
