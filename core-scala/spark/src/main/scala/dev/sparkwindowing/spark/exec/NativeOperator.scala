package dev.sparkwindowing.spark.exec

import dev.sparkwindowing.declaration.Spec
import dev.sparkwindowing.spark.plan.{
  PhysicalOperator,
  PreAggregation,
  RealTimeMode,
  StateStoreRules,
  WatermarkTiming,
  WindowNode
}
import org.apache.spark.sql.catalyst.plans.logical.{LocalRelation, LogicalPlan}
import org.apache.spark.sql.execution.SparkPlan
import org.apache.spark.sql.internal.SQLConf

/** The native operator: on a stream a subclass of Spark's own stateful operator, on a static DataFrame a node that
  * takes all rows of a key and then the end of the input. It can do everything.
  */
private[spark] final class NativeOperator(val text: String) extends PhysicalOperator {

  def refuse(node: WindowNode, query: LogicalPlan): Unit                    = ()
  def path(node: WindowNode): PreAggregation                                = PreAggregation.ofSession(node.program)
  def timing(node: WindowNode, query: LogicalPlan): Option[WatermarkTiming] = WatermarkTiming.of(node, query)
  def state(node: WindowNode): Option[String]                               =
    if (node.child.isStreaming) Some(StateStoreRules.ofSession.text(node.program)) else None
  def specified(node: WindowNode): Seq[(String, Spec)] = Nil

  def plan(node: WindowNode, planLater: LogicalPlan => SparkPlan): SparkPlan = {
    val rows = if (RealTimeMode.isIn(node.child)) liveRows(node, planLater) else rowsOf(node, planLater)
    if (node.child.isStreaming) {
      val initialKeys = rows.plan.output.take(node.program.input.keyCount).map(_.newInstance())
      val noState     = planLater(LocalRelation(initialKeys))
      WindowExec.plan(node, rows, initialKeys, noState)
    } else BatchWindowExec(rows.program, rows.numbered, node.output, rows.plan)
  }

  private def rowsOf(node: WindowNode, planLater: LogicalPlan => SparkPlan): OperatorRows = {
    val measured = MeasuredInput.of(node)
    val input    = planLater(measured.fold(node.child)(_.plan))
    OperatorRows.of(node, path(node), input, measured.map(_.rows))
  }

  private def liveRows(node: WindowNode, planLater: LogicalPlan => SparkPlan): OperatorRows =
    OperatorRows.live(node, path(node), planLater(node.child), SQLConf.get.numShufflePartitions)
}
