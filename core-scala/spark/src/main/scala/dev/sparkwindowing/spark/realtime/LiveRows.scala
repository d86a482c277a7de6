package dev.sparkwindowing.spark.realtime

import dev.sparkwindowing.functions.TimeDomain
import dev.sparkwindowing.spark.plan.{PreAggregation, RealTimeMode, RealTimeWatermark, WindowNode}
import org.apache.spark.sql.catalyst.expressions.Attribute
import org.apache.spark.sql.catalyst.plans.logical.{EventTimeWatermark, LogicalPlan}
import org.apache.spark.sql.execution.SparkPlan

/** Input of an operator in real-time mode.
  *
  * @param columns
  *   the operator's input columns
  * @param salt
  *   column behind the keys in the exchange
  * @param numbered
  *   whether rows get a number, as those of a micro-batch have
  */
private[spark] final class LiveRows private (
    val mode: RealTimeMode,
    @transient val columns: Seq[Attribute],
    @transient val salt: Attribute,
    val numbered: Boolean
) extends Serializable

private[spark] object LiveRows {

  /** @param partitions
    *   number of the operator's partitions
    * @return
    *   the plan of the input, and what the operator knows of it
    */
  def of(node: WindowNode, path: PreAggregation, input: SparkPlan, partitions: Int): (SparkPlan, LiveRows) = {
    val mode    = RealTimeMode.ofSession
    val program = node.program
    val inBand  = InBandColumns.attributes()
    val plan    = InBandWatermarksExec(
      program.input.timeOrdinal,
      delayOf(node.child),
      partitions,
      mode,
      mode.heartbeat(program.plan.setsTimers(TimeDomain.ProcessingTime)),
      inBand,
      input
    )
    val numbered = path.isInstanceOf[PreAggregation.RowByRow] && program.plan.needsOrder
    (plan, new LiveRows(mode, input.output, inBand.head, numbered))
  }

  /** The watermark node of the input. */
  def watermark(node: EventTimeWatermark, child: SparkPlan): SparkPlan = RealTimeWatermarkExec.of(node, child)

  private def delayOf(input: LogicalPlan): Option[Long] = input.collectFirst { case RealTimeWatermark(w) =>
    EventTimeWatermark.getDelayMs(w.delay)
  }
}
