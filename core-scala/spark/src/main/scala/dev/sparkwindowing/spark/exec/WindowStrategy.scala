package dev.sparkwindowing.spark.exec

import dev.sparkwindowing.spark.plan.{
  AssignedWatermark,
  IngestionTimeStamp,
  PartitionedWatermark,
  QuietStreams,
  SessionSettings,
  StartCheck,
  StatefulInput,
  WindowNode
}
import org.apache.spark.sql.catalyst.plans.logical.{LocalRelation, LogicalPlan}
import org.apache.spark.sql.execution.{SparkPlan, SparkStrategy}
import org.apache.spark.sql.internal.SQLConf

/** Plans our logical nodes. A [[WindowNode]] on a stream becomes a subclass of Spark's own stateful operator; otherwise
  * a node that takes all rows of a key and then the end of the input.
  */
object WindowStrategy extends SparkStrategy {

  def apply(plan: LogicalPlan): Seq[SparkPlan] = plan match {
    case node: WindowNode =>
      node.program.rules.refuseEndless(node.child.isStreaming)
      val rows = OperatorRows.of(node, planLater(node.child))
      if (node.child.isStreaming) {
        SessionSettings.check(SQLConf.get)
        StartCheck.refuseOperators(node)
        val initialKeys = rows.plan.output.take(node.program.input.keyCount).map(_.newInstance())
        val noState     = planLater(LocalRelation(initialKeys))
        Seq(WindowExec.plan(node, rows, StatefulInput.isIn(node.child), initialKeys, noState))
      } else Seq(BatchWindowExec(rows.program, rows.order == RowOrder.Sorted, node.output, rows.plan))

    case AssignedWatermark(child) =>
      Seq(QuietStreams.raisedTo(child).fold(planLater(child))(RaisedWatermarkExec(_, planLater(child))))

    case IngestionTimeStamp(stamp, child) => Seq(IngestionTimeStampExec(stamp, planLater(child)))

    case PartitionedWatermark(watermark) =>
      Seq(PartitionedWatermarkExec.of(watermark, planLater(watermark.child)))

    case _ => Nil
  }
}
