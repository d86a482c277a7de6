package dev.sparkwindowing.spark.exec

import org.apache.spark.rdd.RDD
import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.expressions.{Attribute, NamedExpression, SortOrder}
import org.apache.spark.sql.catalyst.plans.physical.Partitioning
import org.apache.spark.sql.execution.{SparkPlan, UnaryExecNode}

/** Rows that are shown to one operator alone.
  *
  * Spark runs equal exchanges once and replaces the others by a reference. It then finds no watermark below a stateful
  * operator whose exchange was replaced, and gives it the watermark 0 in every micro-batch. Two equal windows over one
  * stream would have equal exchanges.
  *
  * @param owner
  *   unique, so that no two plans with such a node are equal
  */
private[exec] final case class UnsharedRowsExec(owner: Long, child: SparkPlan) extends UnaryExecNode {
  override def output: Seq[Attribute]           = child.output
  override def outputPartitioning: Partitioning = child.outputPartitioning
  override def outputOrdering: Seq[SortOrder]   = child.outputOrdering

  override protected def doExecute(): RDD[InternalRow] = child.execute()

  override protected def withNewChildInternal(newChild: SparkPlan): UnsharedRowsExec = copy(child = newChild)
}

private[exec] object UnsharedRowsExec {
  def of(rows: SparkPlan): SparkPlan = UnsharedRowsExec(NamedExpression.newExprId.id, rows)
}
