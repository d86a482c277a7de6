package dev.sparkwindowing.spark.plan

import org.apache.spark.sql.catalyst.expressions.{Attribute, AttributeSet}
import org.apache.spark.sql.catalyst.plans.logical.{EventTimeWatermark, LogicalPlan, UnaryNode}
import org.apache.spark.sql.catalyst.rules.Rule

/** Refuses a second watermark on a stream, marks Spark's watermark nodes that partitions determine, so that our
  * strategy plans them, and makes the watermark nodes of a query with windows unequal ([[UnsharedRows]]). An optimizer
  * rule, since Spark 4.0 asks its own strategy first about its own nodes.
  */
private[sparkwindowing] object WatermarkRule extends Rule[LogicalPlan] {

  /** @throws java.lang.IllegalArgumentException
    *   for Spark's `withWatermark` over the watermark of a strategy, or over the results of a window
    * @throws java.lang.UnsupportedOperationException
    *   for a query that the portable operator cannot run
    */
  def apply(plan: LogicalPlan): LogicalPlan = {
    PortableRules.refuseOthers(plan)
    val hasWindows = plan.exists(_.isInstanceOf[WindowNode])
    plan.transform { case w: EventTimeWatermark =>
      val marked = checked(w)
      if (hasWindows && w.child.isStreaming) marked.withNewChildren(Seq(UnsharedRows.of(w.child))) else marked
    }
  }

  private def checked(w: EventTimeWatermark): LogicalPlan = {
    if (w.child.isStreaming && TimestampsAndWatermarks.isAssigned(w.child)) throw TimestampsAndWatermarks.second
    if (w.child.isStreaming && w.child.exists(_.isInstanceOf[WindowNode]))
      throw TimelessResults.secondWatermark(w.child)
    if (PartitionProof.of(w.eventTime).isDefined) PartitionedWatermark(w) else w
  }
}

/** Spark's watermark on a [[PartitionProof]]. */
private[sparkwindowing] final case class PartitionedWatermark(watermark: EventTimeWatermark) extends UnaryNode {
  def child: LogicalPlan     = watermark.child
  def output: Seq[Attribute] = watermark.output

  @transient
  override lazy val references: AttributeSet = watermark.references

  override protected def withNewChildInternal(newChild: LogicalPlan): PartitionedWatermark =
    copy(watermark.withNewChildren(Seq(newChild)).asInstanceOf[EventTimeWatermark])
}
