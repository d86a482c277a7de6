package dev.sparkwindowing.spark.plan

import org.apache.spark.sql.catalyst.expressions.TimeWindow
import org.apache.spark.sql.catalyst.plans.logical.EventTimeWatermark
import org.apache.spark.sql.types.{Metadata, MetadataBuilder}

/** Marks in the metadata of a column that make it the event time: Spark's, and one of this library. */
private[sparkwindowing] object EventTimeMarks {

  /** Metadata key of a column that holds the assigned event times. */
  val Assigned: String = "spark_windowing.event_time"

  /** The metadata of a column without the marks of an event time. */
  def removed(metadata: Metadata): Metadata =
    new MetadataBuilder()
      .withMetadata(metadata)
      .remove(EventTimeWatermark.delayKey)
      .remove(TimeWindow.marker)
      .remove(Assigned)
      .build()
}
