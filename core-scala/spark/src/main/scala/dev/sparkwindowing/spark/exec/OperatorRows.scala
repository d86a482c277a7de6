package dev.sparkwindowing.spark.exec

import dev.sparkwindowing.spark.plan.{InputPath, PartialRows, WindowNode, WindowProgram}
import org.apache.spark.sql.catalyst.expressions.{Alias, MonotonicallyIncreasingID}
import org.apache.spark.sql.execution.{ProjectExec, SparkPlan}

/** What comes to an operator: rows as they are, or aggregated before the exchange.
  *
  * @param plan
  *   what they come from, below the exchange
  * @param path
  *   which of the two, in words
  * @param program
  *   what the operator does with such rows
  * @param ordered
  *   whether the last column numbers them, and those of a key are taken in that order
  */
private[spark] final class OperatorRows private (
    @transient val plan: SparkPlan,
    val path: InputPath,
    val program: WindowProgram,
    val ordered: Boolean,
    val batch: RunningBatch
) extends Serializable

private[spark] object OperatorRows {

  def of(node: WindowNode, input: SparkPlan): OperatorRows = {
    val program = node.program
    val batch   = new RunningBatch
    InputPath.of(node) match {
      case path: InputPath.Slices =>
        val rows = new PartialRows(program.input.keyTypes, path.aggregates)
        new OperatorRows(
          SlicePartials.plan(path, program.input, input),
          path,
          rows.overSlices(program, path),
          false,
          batch
        )
      case path: InputPath.Sessions =>
        val rows = new PartialRows(program.input.keyTypes, path.aggregates)
        val plan = SessionPartialsExec.plan(path, program.input, batch, input)
        new OperatorRows(plan, path, rows.overSessions(program), true, batch)
      case path: InputPath.RowByRow =>
        // The exchange keeps no order, so rows are numbered before it: input partition, then row.
        val number = Alias(MonotonicallyIncreasingID(), "row_number")()
        val plan   = if (program.seesOrder) ProjectExec(input.output :+ number, input) else input
        new OperatorRows(plan, path, program, program.seesOrder, batch)
    }
  }
}
