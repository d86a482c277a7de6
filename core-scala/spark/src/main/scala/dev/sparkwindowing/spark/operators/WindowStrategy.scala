package dev.sparkwindowing.spark.operators

import dev.sparkwindowing.spark.exec.{
  IngestionTimeStampExec,
  PartitionedWatermarkExec,
  RaisedWatermarkExec,
  UnsharedRowsExec
}
import dev.sparkwindowing.spark.plan.{
  AssignedWatermark,
  EndlessTriggers,
  IngestionTimeStamp,
  PartitionedWatermark,
  QuietStreams,
  RealTimeWatermark,
  SessionSettings,
  StartCheck,
  StartedWith,
  UnsharedRows,
  WindowNode
}
import dev.sparkwindowing.spark.portable.PlannedRows
import dev.sparkwindowing.spark.realtime.LiveRows
import org.apache.spark.sql.catalyst.plans.logical.LogicalPlan
import org.apache.spark.sql.execution.{SparkPlan, SparkStrategy}
import org.apache.spark.sql.internal.SQLConf

/** Plans our logical nodes: a [[WindowNode]] by the operator of the session. */
object WindowStrategy extends SparkStrategy {

  def apply(plan: LogicalPlan): Seq[SparkPlan] = plan match {
    case node: WindowNode =>
      EndlessTriggers.refuse(node.program.plan, node.child.isStreaming)
      if (node.child.isStreaming) {
        SessionSettings.check(SQLConf.get)
        StartCheck.refuseOperators(node)
      }
      Seq(SessionOperator.of(node).plan(node, planLater))

    case AssignedWatermark(child) =>
      Seq(QuietStreams.raisedTo(child).fold(planLater(child))(RaisedWatermarkExec(_, planLater(child))))

    case IngestionTimeStamp(stamp, child) => Seq(IngestionTimeStampExec(stamp, planLater(child)))

    case PartitionedWatermark(watermark) =>
      Seq(PartitionedWatermarkExec.of(watermark, planLater(watermark.child)))

    case RealTimeWatermark(watermark) => Seq(LiveRows.watermark(watermark, planLater(watermark.child)))

    case StartedWith(child, _) => Seq(planLater(child))

    case UnsharedRows(owner, child) => Seq(UnsharedRowsExec(owner, planLater(child)))

    case rows: PlannedRows => Seq(rows.rows)

    case _ => Nil
  }
}
