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
  * @param order
  *   how the operator gets the rows of a key into the order of arrival
  */
private[spark] final class OperatorRows private (
    @transient val plan: SparkPlan,
    val path: InputPath,
    val program: WindowProgram,
    val order: RowOrder,
    val batch: RunningBatch
) extends Serializable

/** How the rows of a key come in the order of their numbers, which are in their last column if it matters. */
private[spark] sealed trait RowOrder

private[spark] object RowOrder {

  /** It does not matter: there are no numbers. */
  case object None extends RowOrder

  /** Spark sorts by key and number. */
  case object Sorted extends RowOrder

  /** Spark sorts by key, the operator the rows of each: there are few. */
  case object Within extends RowOrder
}

private[spark] object OperatorRows {

  def of(node: WindowNode, input: SparkPlan): OperatorRows = {
    val program = node.program
    val batch   = new RunningBatch
    InputPath.of(node) match {
      case path: InputPath.Slices =>
        val rows = new PartialRows(program.input.keyTypes, path.aggregates)
        val plan = SlicePartials.plan(path, program.input, input)
        new OperatorRows(plan, path, rows.overSlices(program, path), RowOrder.None, batch)
      case path: InputPath.Sessions =>
        val rows = new PartialRows(program.input.keyTypes, path.aggregates)
        val plan = SessionPartialsExec.plan(path, program.input, batch, input)
        new OperatorRows(plan, path, rows.overSessions(program), RowOrder.Within, batch)
      case path: InputPath.RowByRow =>
        // The exchange keeps no order, so rows are numbered before it: input partition, then row.
        def number = Alias(MonotonicallyIncreasingID(), "row_number")()
        if (program.seesOrder)
          new OperatorRows(ProjectExec(input.output :+ number, input), path, program, RowOrder.Sorted, batch)
        else new OperatorRows(input, path, program, RowOrder.None, batch)
    }
  }
}
