package dev.sparkwindowing.spark.plan

import org.apache.spark.sql.catalyst.analysis.MultiInstanceRelation
import org.apache.spark.sql.catalyst.expressions.{Attribute, AttributeSet}
import org.apache.spark.sql.catalyst.plans.logical.{LogicalPlan, UnaryNode}

/** Stands over the watermark of a strategy and does nothing: filters are not pushed through it, so a row moves the
  * watermark whether they keep it or not, as in Flink.
  */
private[sparkwindowing] final case class AssignedWatermark(child: LogicalPlan) extends UnaryNode {
  def output: Seq[Attribute]                                                            = child.output
  override protected def withNewChildInternal(newChild: LogicalPlan): AssignedWatermark = copy(child = newChild)
}

/** Adds a column with the clock of the micro-batch, never a time that the watermark has passed. */
private[sparkwindowing] final case class StampedByClock(stamp: Attribute, child: LogicalPlan)
    extends UnaryNode
    with MultiInstanceRelation {
  def output: Seq[Attribute]                    = child.output :+ stamp
  override def producedAttributes: AttributeSet = AttributeSet(stamp)

  /** Asked for when a plan meets itself. */
  override def newInstance(): LogicalPlan = copy(stamp = stamp.newInstance())

  override protected def withNewChildInternal(newChild: LogicalPlan): StampedByClock = copy(child = newChild)
}
