package dev.sparkwindowing.spark.exec

import dev.sparkwindowing.spark.plan.{
  AssignedWatermark,
  EndlessTriggers,
  IngestionTimeStamp,
  OperatorChoice,
  PartitionedWatermark,
  QuietStreams,
  SessionSettings,
  StartCheck,
  StatefulInput,
  UnsharedRows,
  WindowNode
}
import dev.sparkwindowing.spark.portable.{PlannedRows, PortablePlan}
import org.apache.spark.sql.catalyst.plans.logical.{LocalRelation, LogicalPlan}
import org.apache.spark.sql.execution.{SparkPlan, SparkStrategy}
import org.apache.spark.sql.internal.SQLConf

/** Plans our logical nodes. A [[WindowNode]] on a stream becomes a subclass of Spark's own stateful operator, or
  * Spark's operator itself around the portable one; otherwise a node that takes all rows of a key and then the end of
  * the input.
  */
object WindowStrategy extends SparkStrategy {

  def apply(plan: LogicalPlan): Seq[SparkPlan] = plan match {
    case node: WindowNode =>
      EndlessTriggers.refuse(node.program.plan, node.child.isStreaming)
      val rows = OperatorRows.of(node, planLater(node.child))
      if (node.child.isStreaming) {
        SessionSettings.check(SQLConf.get)
        StartCheck.refuseOperators(node)
        Seq(if (OperatorChoice.ofSession.isPortable) portable(node, rows) else native(node, rows))
      } else Seq(BatchWindowExec(rows.program, rows.order == RowOrder.Sorted, node.output, rows.plan))

    case AssignedWatermark(child) =>
      Seq(QuietStreams.raisedTo(child).fold(planLater(child))(RaisedWatermarkExec(_, planLater(child))))

    case IngestionTimeStamp(stamp, child) => Seq(IngestionTimeStampExec(stamp, planLater(child)))

    case PartitionedWatermark(watermark) =>
      Seq(PartitionedWatermarkExec.of(watermark, planLater(watermark.child)))

    case UnsharedRows(owner, child) => Seq(UnsharedRowsExec(owner, planLater(child)))

    case rows: PlannedRows => Seq(rows.rows)

    case _ => Nil
  }

  private def native(node: WindowNode, rows: OperatorRows): SparkPlan = {
    val initialKeys = rows.plan.output.take(node.program.input.keyCount).map(_.newInstance())
    val noState     = planLater(LocalRelation(initialKeys))
    WindowExec.plan(node, rows, StatefulInput.isIn(node.child), initialKeys, noState)
  }

  private def portable(node: WindowNode, rows: OperatorRows): SparkPlan = {
    rows.batch.watermark = Long.MinValue // what it aggregates before the exchange needs none
    PortablePlan.of(node, rows.path, rows.program, rows.order == RowOrder.Within, rows.plan)(planLater)
  }
}
