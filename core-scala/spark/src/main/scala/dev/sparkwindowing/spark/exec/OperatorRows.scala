package dev.sparkwindowing.spark.exec

import dev.sparkwindowing.spark.aggregates.SqlAggregates
import dev.sparkwindowing.spark.plan.{PartialRows, PreAggregation, WindowNode, WindowProgram}
import dev.sparkwindowing.spark.realtime.LiveRows
import dev.sparkwindowing.spark.rows.RowsBehind
import dev.sparkwindowing.spark.task.{HashedSlices, RunningBatch}
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
  * @param numbered
  *   whether the last column has numbers, in whose order the rows of a key are taken. On a static DataFrame Spark sorts
  *   by key, event time and number. In a micro-batch a key has few rows, which the operator sorts: Spark then sorts one
  *   key column by its prefix, without comparing rows
  * @param behind
  *   counts of rows that are behind earlier ones, if they are measured
  * @param live
  *   in real-time mode, what the rows have beside their columns
  */
private[spark] final class OperatorRows private (
    @transient val plan: SparkPlan,
    val path: PreAggregation,
    val program: WindowProgram,
    val numbered: Boolean,
    val batch: RunningBatch,
    @transient val behind: Option[RowsBehind],
    val live: Option[LiveRows] = None
) extends Serializable

private[spark] object OperatorRows {

  /** Single rows in real-time mode, whatever a micro-batch of the query would have: the state is the same.
    *
    * @param partitions
    *   number of the operator's partitions
    */
  def live(node: WindowNode, path: PreAggregation, input: SparkPlan, partitions: Int): OperatorRows = {
    val program      = node.program.over(path.over(node.program.plan), node.program.computation, node.program.input)
    val (plan, live) = LiveRows.of(node, path, input, partitions)
    new OperatorRows(plan, path, program, false, new RunningBatch, None, Some(live))
  }

  def of(
      node: WindowNode,
      path: PreAggregation,
      input: SparkPlan,
      behind: Option[RowsBehind] = None
  ): OperatorRows = {
    val program = node.program
    val batch   = new RunningBatch
    if (!node.child.isStreaming) batch.watermark = Long.MinValue
    path match {
      case path: PreAggregation.Aggregated =>
        val plan = (path, path.computation) match {
          case (slices: PreAggregation.Slices, a: SqlAggregates) if a.areFlat =>
            HashedSlices.plan(a, slices.slices, program.input, input)
          case _ => PartialResultsExec.plan(path, program.input, batch, input)
        }
        // Without late rows the sessions of a key may come in any order.
        val numbered = node.child.isStreaming && path.isInstanceOf[PreAggregation.Sessions]
        new OperatorRows(plan, path, PartialRows.program(program, path), numbered, batch, behind)
      case path: PreAggregation.RowByRow =>
        // The exchange keeps no order, so rows are numbered before it: by input partition, then row.
        def number   = Alias(MonotonicallyIncreasingID(), "row_number")()
        val numbered = program.plan.needsOrder
        val plan     = if (numbered) ProjectExec(input.output :+ number, input) else input
        new OperatorRows(plan, path, program, numbered, batch, behind)
    }
  }
}
