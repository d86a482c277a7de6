package dev.sparkwindowing.spark.realtime

import org.apache.spark.sql.catalyst.plans.logical.EventTimeWatermark
import org.apache.spark.sql.execution.SparkPlan

/** The watermark node of real-time mode, which Spark 3.5 does not have. */
private[spark] object RealTimeWatermarkExec {
  def of(node: EventTimeWatermark, child: SparkPlan): SparkPlan =
    throw new IllegalStateException(s"$node over $child in real-time mode, in Spark 3.5")
}
