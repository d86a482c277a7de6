package dev.sparkwindowing.spark.operators

import dev.sparkwindowing.spark.plan.{
  PartitionProof,
  PartitionedWatermark,
  RealTimeMode,
  RealTimeWatermark,
  TimelessResults,
  TimestampsAndWatermarks,
  UnsharedRows,
  WindowNode
}
import org.apache.spark.sql.catalyst.plans.logical.{EventTimeWatermark, LogicalPlan}
import org.apache.spark.sql.catalyst.rules.Rule

/** Refuses a second watermark on a stream, marks Spark's watermark nodes that partitions determine, so that our
  * strategy plans them, and makes the watermark nodes of a query with windows unequal ([[UnsharedRows]]). An optimizer
  * rule, since Spark 4.0 asks its own strategy first about its own nodes.
  */
private[sparkwindowing] object WatermarkRule extends Rule[LogicalPlan] {

  /** @throws java.lang.IllegalArgumentException
    *   for Spark's `withWatermark` over the watermark of a strategy, or over the results of a window
    * @throws java.lang.UnsupportedOperationException
    *   for a query that the operator of the session cannot run
    */
  def apply(plan: LogicalPlan): LogicalPlan = {
    SessionOperator.refuse(plan)
    TimestampsAndWatermarks.refuseSecond(plan)
    val hasWindows = plan.exists(_.isInstanceOf[WindowNode])
    plan.transform { case w: EventTimeWatermark =>
      val marked = checked(w, hasWindows)
      if (hasWindows && w.child.isStreaming) marked.withNewChildren(Seq(UnsharedRows.of(w.child))) else marked
    }
  }

  private def checked(w: EventTimeWatermark, hasWindows: Boolean): LogicalPlan = {
    if (w.child.isStreaming && w.child.exists(_.isInstanceOf[WindowNode]))
      throw TimelessResults.secondWatermark(w.child)
    if (PartitionProof.of(w.eventTime).isDefined) PartitionedWatermark(w)
    else if (hasWindows && RealTimeMode.isIn(w.child)) RealTimeWatermark(w)
    else w
  }
}
