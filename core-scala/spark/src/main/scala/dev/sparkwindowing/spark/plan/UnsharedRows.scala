package dev.sparkwindowing.spark.plan

import org.apache.spark.sql.catalyst.expressions.{Attribute, NamedExpression}
import org.apache.spark.sql.catalyst.plans.logical.{LogicalPlan, UnaryNode}

/** Rows below one watermark node, which is equal to no other one.
  *
  * Spark runs equal exchanges once and replaces the others by a reference. It then finds no watermark below a stateful
  * operator whose rows come from such a reference, and gives it the watermark 0 in every micro-batch. Two equal windows
  * over one stream, or any two windows over one shuffle, would have equal exchanges.
  *
  * @param owner
  *   unique
  */
private[sparkwindowing] final case class UnsharedRows(owner: Long, child: LogicalPlan) extends UnaryNode {
  def output: Seq[Attribute]                                                       = child.output
  override protected def withNewChildInternal(newChild: LogicalPlan): UnsharedRows = copy(child = newChild)
}

private[sparkwindowing] object UnsharedRows {
  def of(rows: LogicalPlan): LogicalPlan = rows match {
    case _: UnsharedRows => rows
    case _               => UnsharedRows(NamedExpression.newExprId.id, rows)
  }
}
