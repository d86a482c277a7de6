package dev.sparkwindowing.spark.computations

import dev.sparkwindowing.declaration.{PartSpec, Spec}
import dev.sparkwindowing.functions.TimeDomain
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
    update: RowFunction,
    ttl: Option[StateTtl]
) extends Serializable {
  @transient private[this] lazy val both = new JoinedRow

  def spec: Spec = PartSpec(
    name,
    Seq("initial" -> Spec.Sql(initial.text), "update" -> Spec.Sql(update.text)),
    ttl.map("ttl" -> _.spec).toSeq
  )

  /** True if the state expires by that clock. */
  def expiresBy(clock: TimeDomain): Boolean = ttl.exists(_.clock == clock)

  /** A row with the current struct as its only column. */
  def read(firing: FiringContext, scope: FunctionState.Scope): InternalRow = {
    val state = firing.functionState
    if (ttl.exists(t => state.isExpired(name, timeOf(firing, t.clock)))) state.remove(scope, name)
    state.get(scope, name, KeptRowCodec).getOrElse(initial(InternalRow.empty).copy())
  }

  /** Updates the state after a result, a row with only the result. */
  def advance(firing: FiringContext, scope: FunctionState.Scope, result: InternalRow): Unit = {
    val state  = firing.functionState
    val before = state.expiry(name)
    state.put(scope, name, update(both(read(firing, scope), result)).copy(), KeptRowCodec)
    ttl.foreach(t => state.setExpiry(name, t.clock, t.later(before, timeOf(firing, t.clock))))
  }

  // Before the first watermark, the end of the window is an upper bound of its elements.
  private[this] def timeOf(firing: FiringContext, clock: TimeDomain): Long =
    if (clock == TimeDomain.ProcessingTime) firing.processingTime
    else if (firing.watermark == Long.MinValue) firing.window.maxTimestamp
    else math.min(firing.watermark, firing.window.maxTimestamp)

  def drop(state: FunctionState, scope: FunctionState.Scope): Unit = state.remove(scope, name)
}
