package dev.sparkwindowing.spark.plan

import org.apache.spark.sql.catalyst.expressions.{Attribute, AttributeSet}
import org.apache.spark.sql.catalyst.plans.logical.{EventTimeWatermark, LogicalPlan, UnaryNode}

/** Spark's watermark below windows in real-time mode. */
private[sparkwindowing] final case class RealTimeWatermark(watermark: EventTimeWatermark) extends UnaryNode {
  def child: LogicalPlan     = watermark.child
  def output: Seq[Attribute] = watermark.output

  @transient
  override lazy val references: AttributeSet = watermark.references

  override protected def withNewChildInternal(newChild: LogicalPlan): RealTimeWatermark =
    copy(watermark.withNewChildren(Seq(newChild)).asInstanceOf[EventTimeWatermark])
}
