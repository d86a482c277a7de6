package dev.sparkwindowing.spark.exec

import dev.sparkwindowing.spark.aggregates.SqlAggregates
import dev.sparkwindowing.spark.plan.{PartialRows, PreAggregation, WindowNode, WindowProgram}
import dev.sparkwindowing.spark.task.{RunningBatch, SlicePartials}
import org.apache.spark.sql.catalyst.expressions.{Alias, MonotonicallyIncreasingID}
import org.apache.spark.sql.execution.{ProjectExec, SparkPlan}

/** Input of an operator: single rows, or rows aggregated before the exchange.
  *
  * @param plan
  *   their source, below the exchange
  * @param path
  *   the kind of input, in words
  * @param program
  *   the operator's work on such rows
  * @param order
  *   how the rows of a key are put into the order of arrival
  */
private[spark] final class OperatorRows private (
    @transient val plan: SparkPlan,
    val path: PreAggregation,
    val program: WindowProgram,
    val order: RowOrder,
    val batch: RunningBatch
) extends Serializable

/** Way to sort the rows of a key by their numbers, which are in the last column if the order matters. */
private[spark] sealed trait RowOrder

private[spark] object RowOrder {

  /** The order does not matter; there are no numbers. */
  case object None extends RowOrder

  /** Spark sorts by key and number. */
  case object Sorted extends RowOrder

  /** Spark sorts by key, the operator sorts the few rows of each key. */
  case object Within extends RowOrder
}

private[spark] object OperatorRows {

  def of(node: WindowNode, path: PreAggregation, input: SparkPlan): OperatorRows = {
    val program = node.program
    val batch   = new RunningBatch
    if (!node.child.isStreaming) batch.watermark = Long.MinValue
    path match {
      case path: PreAggregation.Slices =>
        val rows = new PartialRows(program.input.keyTypes, path.computation)
        val plan = path.computation match {
          case a: SqlAggregates if a.areFlat => SlicePartials.plan(a, path.grid, program.input, input)
          case _                             => LocalPartialsExec.plan(path, program.input, batch, input)
        }
        new OperatorRows(plan, path, rows.overSlices(program, path), RowOrder.None, batch)
      case path: PreAggregation.Sessions =>
        val rows = new PartialRows(program.input.keyTypes, path.computation)
        val plan = LocalPartialsExec.plan(path, program.input, batch, input)
        new OperatorRows(plan, path, rows.overSessions(program), RowOrder.Within, batch)
      case path: PreAggregation.RowByRow =>
        // The exchange keeps no order, so rows are numbered before it: by input partition, then row.
        def number = Alias(MonotonicallyIncreasingID(), "row_number")()
        if (program.plan.needsOrder) {
          // In a micro-batch a key has few rows. One key column then sorts by its prefix, without comparing rows.
          val order = if (node.child.isStreaming) RowOrder.Within else RowOrder.Sorted
          new OperatorRows(ProjectExec(input.output :+ number, input), path, program, order, batch)
        } else new OperatorRows(input, path, program, RowOrder.None, batch)
    }
  }
}
