package dev.sparkwindowing.spark.exec

import org.apache.spark.rdd.RDD
import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.expressions.{Attribute, SortOrder}
import org.apache.spark.sql.catalyst.plans.physical.Partitioning
import org.apache.spark.sql.execution.{SparkPlan, UnaryExecNode}

/** Passes the rows of [[dev.sparkwindowing.spark.plan.UnsharedRows]] through. */
private[spark] final case class UnsharedRowsExec(owner: Long, child: SparkPlan) extends UnaryExecNode {
  override def output: Seq[Attribute]           = child.output
  override def outputPartitioning: Partitioning = child.outputPartitioning
  override def outputOrdering: Seq[SortOrder]   = child.outputOrdering

  override protected def doExecute(): RDD[InternalRow] = child.execute()

  override protected def withNewChildInternal(newChild: SparkPlan): UnsharedRowsExec = copy(child = newChild)
}
