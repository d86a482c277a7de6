package dev.sparkwindowing.spark.plan

import org.apache.spark.sql.catalyst.expressions.{Attribute, TimeWindow}
import org.apache.spark.sql.catalyst.plans.logical.{EventTimeWatermark, LogicalPlan}
import org.apache.spark.sql.types.{Metadata, MetadataBuilder}

/** Marks in the metadata of a column that make it the event time: Spark's, and one of this library. */
private[sparkwindowing] object EventTimeMarks {

  /** Metadata key of a column that holds the assigned event times. */
  val Assigned: String = "spark_windowing.event_time"

  /** True for a column with Spark's mark of a watermark. */
  def hasWatermark(column: Attribute): Boolean = column.metadata.contains(EventTimeWatermark.delayKey)

  /** True if such marks say nothing: a table keeps the mark of the stream that wrote it, and a stream of its rows has
    * no watermark from that.
    */
  def areOfTable(plan: LogicalPlan): Boolean = plan.isStreaming && !plan.exists {
    case _: EventTimeWatermark | _: PartitionedWatermark => true
    case leaf                                            => leaf.children.isEmpty && leaf.isStreaming && !isSource(leaf)
  }

  // StreamingRelation and its like: packages differ between versions of Spark.
  private def isSource(leaf: LogicalPlan): Boolean = leaf.nodeName.startsWith("Streaming")

  /** The metadata of a column without the marks of an event time. */
  def removed(metadata: Metadata): Metadata =
    new MetadataBuilder()
      .withMetadata(metadata)
      .remove(EventTimeWatermark.delayKey)
      .remove(TimeWindow.marker)
      .remove(Assigned)
      .build()
}
