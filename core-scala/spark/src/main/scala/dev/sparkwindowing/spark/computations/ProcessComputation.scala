package dev.sparkwindowing.spark.computations

import dev.sparkwindowing.declaration.Spec
import dev.sparkwindowing.functions.{ProcessWindowFunction, SideOutput}
import dev.sparkwindowing.spark.rows.RowView
import org.apache.spark.sql.Row
import org.apache.spark.sql.types.{StructField, StructType}

/** User's function on `Row`, called at each firing.
  *
  * @param isMerging
  *   whether windows merge or change their bounds, so that they have no state of their own
  */
private[sparkwindowing] final class ProcessComputation(
    of: Either[RowView, Computation],
    function: ProcessWindowFunction[Row, Row, Row],
    val schema: StructType,
    override val sideOutputs: Seq[SideOutput],
    keys: Seq[StructField],
    isMerging: Boolean
) extends FunctionOfFiring(of) {

  def specs: Seq[Spec] = handedOn.fold(_ => Nil, _.specs) :+ WindowFunctionOnly.specOf(function)

  protected def callInTask(): FiringCall = {
    val view = handedOn.fold(identity, computation => RowView.of(computation.schema))
    new ProcessCall(view, function, keys, schema, sideOutputs, isMerging)
  }
}
