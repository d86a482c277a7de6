package dev.sparkwindowing.connect

import dev.sparkwindowing.spark.analysis.UnresolvedWindows
import org.apache.spark.connect.proto.Relation
import org.apache.spark.sql.SparkConnectBridge
import org.apache.spark.sql.catalyst.plans.logical.LogicalPlan
import org.apache.spark.sql.connect.planner.SparkConnectPlanner

/** Spark's planner of clients, but for watermarks. For one of these Spark's planner looks up the table below at once,
  * and a dataset of a pipeline is not there yet: here it waits for the pipeline.
  */
private[connect] final class PipelinePlanner(of: SparkConnectPlanner)
    extends SparkConnectPlanner(of.sessionHolder, None) {

  override def transformRelation(relation: Relation): LogicalPlan =
    if (!relation.hasWithWatermark) super.transformRelation(relation)
    else {
      val watermark = relation.getWithWatermark
      val plan      = UnresolvedWindows.over(Seq(transformRelation(watermark.getInput))) { frames =>
        frames.head.withWatermark(watermark.getEventTime, watermark.getDelayThreshold)
      }
      SparkConnectBridge.marked(plan, relation)
    }
}
