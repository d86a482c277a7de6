package dev.sparkwindowing.spark.exec

import dev.sparkwindowing.spark.plan.PartitionProof
import dev.sparkwindowing.spark.relocated.Relocated.EventTimeWatermarkExec
import org.apache.spark.TaskContext
import org.apache.spark.rdd.RDD
import org.apache.spark.sql.SparkWindowingBridge
import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.expressions.Attribute
import org.apache.spark.sql.catalyst.plans.logical.EventTimeWatermark
import org.apache.spark.sql.execution.SparkPlan
import org.apache.spark.unsafe.types.CalendarInterval

import java.util.UUID

/** Spark's watermark node, with the event time of the slowest partition in place of the highest one.
  *
  * Spark reads the event times that the node has observed when a micro-batch ends, and so does [[NextWatermark]].
  */
private[exec] final class PartitionedWatermarkExec private (
    override val eventTimeStats: PartitionStats,
    nodeId: UUID,
    eventTime: Attribute,
    delay: CalendarInterval,
    child: SparkPlan
) extends EventTimeWatermarkExec(nodeId, eventTime, delay, child) {

  // Spark copies plans with the parameters of its own class.
  def this(nodeId: UUID, eventTime: Attribute, delay: CalendarInterval, child: SparkPlan) =
    this(new PartitionStats, nodeId, eventTime, delay, child)

  override protected def doExecute(): RDD[InternalRow] = {
    val batch = SparkWindowingBridge
      .microBatch(session)
      .getOrElse(throw new IllegalStateException("a watermark by partition on a stream, outside a micro-batch"))
    PartitionProof.of(eventTime).foreach { proof =>
      eventTimeStats.begin(sparkContext, batch, nodeId, proof, session.sessionState.newHadoopConf())
    }
    val (all, partitions) = (eventTimeStats.all, eventTimeStats.partitions)
    val ordinal           = child.output.indexWhere(_.exprId == eventTime.exprId)
    child.execute().mapPartitions { rows =>
      val times = new HighestTimes
      TaskContext.get().addTaskCompletionListener[Unit](_ => times.foreach(partitions.add))
      rows.map { row =>
        val proved = row.getStruct(ordinal, 2)
        val millis = if (proved.isNullAt(1)) Long.MinValue else Math.floorDiv(proved.getLong(1), 1000L)
        if (millis != Long.MinValue) all.add(millis)
        times.add(proved.getUTF8String(0), millis)
        row
      }
    }
  }

  // Operators above are serialized with the plan below them, of which tasks need nothing. Spark's own accumulator in
  // this node is not registered and could not be.
  private def writeReplace(): AnyRef = child

  override protected def withNewChildInternal(newChild: SparkPlan): EventTimeWatermarkExec =
    new PartitionedWatermarkExec(nodeId, eventTime, delay, newChild)
}

private[spark] object PartitionedWatermarkExec {
  def of(node: EventTimeWatermark, child: SparkPlan): SparkPlan =
    new PartitionedWatermarkExec(node.nodeId, node.eventTime, node.delay, child)
}
