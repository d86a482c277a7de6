package dev.sparkwindowing.spark.realtime

import dev.sparkwindowing.spark.relocated.Relocated.EventTimeWatermarkExec
import org.apache.spark.rdd.RDD
import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.expressions.Attribute
import org.apache.spark.sql.catalyst.plans.logical.EventTimeWatermark
import org.apache.spark.sql.execution.SparkPlan
import org.apache.spark.unsafe.types.CalendarInterval

import java.util.UUID

/** Spark's watermark node in real-time mode, with the [[ReachedWatermark]]: it looks at no row. */
private[spark] final class RealTimeWatermarkExec private (
    override val eventTimeStats: ReachedWatermark,
    nodeId: UUID,
    eventTime: Attribute,
    delay: CalendarInterval,
    child: SparkPlan
) extends EventTimeWatermarkExec(nodeId, eventTime, delay, child) {

  // Spark copies plans with the parameters of its own class.
  def this(nodeId: UUID, eventTime: Attribute, delay: CalendarInterval, child: SparkPlan) =
    this(new ReachedWatermark(EventTimeWatermark.getDelayMs(delay)), nodeId, eventTime, delay, child)

  // Operators above are serialized with the plan below them, of which tasks need nothing. Spark's own accumulator in
  // this node is not registered and could not be.
  private def writeReplace(): AnyRef = child

  override protected def doExecute(): RDD[InternalRow] = child.execute()

  override protected def withNewChildInternal(newChild: SparkPlan): EventTimeWatermarkExec =
    new RealTimeWatermarkExec(nodeId, eventTime, delay, newChild)
}

private[spark] object RealTimeWatermarkExec {
  def of(node: EventTimeWatermark, child: SparkPlan): SparkPlan =
    new RealTimeWatermarkExec(node.nodeId, node.eventTime, node.delay, child)
}
