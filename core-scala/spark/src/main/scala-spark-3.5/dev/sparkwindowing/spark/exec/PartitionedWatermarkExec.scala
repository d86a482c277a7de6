package dev.sparkwindowing.spark.exec

import dev.sparkwindowing.spark.relocated.Relocated.EventTimeWatermarkExec
import org.apache.spark.sql.catalyst.expressions.Attribute
import org.apache.spark.sql.catalyst.plans.logical.EventTimeWatermark
import org.apache.spark.sql.execution.SparkPlan
import org.apache.spark.unsafe.types.CalendarInterval

/** Spark's watermark node with [[TimesByPartition]], in Spark 3.5. */
private[exec] final class PartitionedWatermarkExec private (
    override val eventTimeStats: PartitionStats,
    eventTime: Attribute,
    delay: CalendarInterval,
    child: SparkPlan
) extends EventTimeWatermarkExec(eventTime, delay, child)
    with TimesByPartition {

  // Spark copies plans with the parameters of its own class.
  def this(eventTime: Attribute, delay: CalendarInterval, child: SparkPlan) =
    this(new PartitionStats, eventTime, delay, child)

  override protected def stats: PartitionStats = eventTimeStats

  // Operators above are serialized with the plan below them, of which tasks need nothing. Spark's own accumulator in
  // this node is not registered and could not be.
  private def writeReplace(): AnyRef = child

  override protected def withNewChildInternal(newChild: SparkPlan): EventTimeWatermarkExec =
    new PartitionedWatermarkExec(eventTime, delay, newChild)
}

private[spark] object PartitionedWatermarkExec {
  def of(node: EventTimeWatermark, child: SparkPlan): SparkPlan =
    new PartitionedWatermarkExec(node.eventTime, node.delay, child)
}
