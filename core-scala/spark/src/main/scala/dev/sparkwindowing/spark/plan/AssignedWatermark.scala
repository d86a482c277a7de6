package dev.sparkwindowing.spark.plan

import org.apache.spark.sql.catalyst.analysis.MultiInstanceRelation
import org.apache.spark.sql.catalyst.expressions.{Attribute, AttributeSet}
import org.apache.spark.sql.catalyst.plans.logical.{LogicalPlan, UnaryNode}

/** Node over the watermark of a strategy. It passes rows through and stops filters from being pushed below it, so that
  * every row moves the watermark, even one that a filter removes, as in Flink.
  */
private[sparkwindowing] final case class AssignedWatermark(child: LogicalPlan) extends UnaryNode {
  def output: Seq[Attribute]                                                            = child.output
  override protected def withNewChildInternal(newChild: LogicalPlan): AssignedWatermark = copy(child = newChild)
}

/** Adds a column with the processing time of the micro-batch, or a later time if the watermark has passed it. */
private[sparkwindowing] final case class IngestionTimeStamp(stamp: Attribute, child: LogicalPlan)
    extends UnaryNode
    with MultiInstanceRelation {
  def output: Seq[Attribute]                    = child.output :+ stamp
  override def producedAttributes: AttributeSet = AttributeSet(stamp)

  /** Called when a plan is joined with itself. */
  override def newInstance(): LogicalPlan = copy(stamp = stamp.newInstance())

  override protected def withNewChildInternal(newChild: LogicalPlan): IngestionTimeStamp = copy(child = newChild)
}
