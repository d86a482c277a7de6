package dev.sparkwindowing.spark.functions

import dev.sparkwindowing.declaration.{PartSpec, Spec}
import dev.sparkwindowing.spark.expressions.RowFunction
import dev.sparkwindowing.spark.rows.KeptRowCodec
import dev.sparkwindowing.state.FunctionState
import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.expressions.JoinedRow
import org.apache.spark.sql.types.StructType

/** Function state written as columns, bound to the rows of one query. */
private[sparkwindowing] final class BoundColumnState(
    val name: String,
    val schema: StructType,
    initial: RowFunction,
    update: RowFunction
) extends Serializable {
  @transient private[this] lazy val both = new JoinedRow

  def spec: Spec = PartSpec(name, Seq("initial" -> Spec.Sql(initial.text), "update" -> Spec.Sql(update.text)))

  /** A row with the current struct as its only column. */
  def read(state: FunctionState, scope: FunctionState.Scope): InternalRow =
    state.get(scope, name, KeptRowCodec).getOrElse(initial(InternalRow.empty).copy())

  /** Updates the state after a result, a row with only the result. */
  def advance(state: FunctionState, scope: FunctionState.Scope, result: InternalRow): Unit =
    state.put(scope, name, update(both(read(state, scope), result)).copy(), KeptRowCodec)

  def drop(state: FunctionState, scope: FunctionState.Scope): Unit = state.remove(scope, name)
}
