package dev.sparkwindowing.spark.exec

import dev.sparkwindowing.spark.relocated.Relocated.EventTimeWatermarkExec
import org.apache.spark.rdd.RDD
import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.expressions.{Attribute, SortOrder}
import org.apache.spark.sql.catalyst.plans.physical.Partitioning
import org.apache.spark.sql.execution.{SparkPlan, UnaryExecNode}

/** The micro-batch of an idle input, in which the watermark rises to a given time at least. Spark takes the watermark
  * from the event times that its watermark node has seen: this node passes one more event time to it, on the driver.
  *
  * @param watermark
  *   Spark's, in milliseconds
  */
private[spark] final case class RaisedWatermarkExec(watermark: Long, child: SparkPlan) extends UnaryExecNode {
  override def output: Seq[Attribute]           = child.output
  override def outputPartitioning: Partitioning = child.outputPartitioning
  override def outputOrdering: Seq[SortOrder]   = child.outputOrdering

  override protected def doExecute(): RDD[InternalRow] = {
    child.collectFirst { case w: EventTimeWatermarkExec => w }.foreach(w => w.eventTimeStats.add(watermark + w.delayMs))
    child.execute()
  }

  override protected def withNewChildInternal(newChild: SparkPlan): RaisedWatermarkExec = copy(child = newChild)
}
