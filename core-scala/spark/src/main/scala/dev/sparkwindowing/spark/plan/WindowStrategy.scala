package dev.sparkwindowing.spark.plan

import dev.sparkwindowing.spark.exec.{BatchWindowExec, StampedByClockExec, WindowExec}
import org.apache.spark.sql.catalyst.expressions.{Alias, MonotonicallyIncreasingID}
import org.apache.spark.sql.catalyst.plans.logical.{EventTimeWatermark, LocalRelation, LogicalPlan}
import org.apache.spark.sql.execution.{ProjectExec, SparkPlan, SparkStrategy}

/** Plans our nodes. A [[WindowNode]]: on a stream into Spark's own stateful operator, changed where it must be; else
  * into a node that takes all rows of a key and then the end of the input.
  */
object WindowStrategy extends SparkStrategy {

  def apply(plan: LogicalPlan): Seq[SparkPlan] = plan match {
    case node: WindowNode =>
      EndlessTriggers.refuse(node.program, node.child.isStreaming)
      val input   = planLater(node.child)
      val ordered = node.program.seesOrder
      // The exchange keeps no order, so rows are numbered before it: input partition, then row.
      val numbered =
        if (ordered) ProjectExec(input.output :+ Alias(MonotonicallyIncreasingID(), "row_number")(), input) else input
      if (node.child.isStreaming) {
        val initialKeys = numbered.output.take(node.program.input.keyCount).map(_.newInstance())
        val noState     = planLater(LocalRelation(initialKeys))
        Seq(WindowExec.plan(node, ordered, StatefulInput.isIn(node.child), numbered, initialKeys, noState))
      } else Seq(BatchWindowExec(node.program, ordered, node.output, numbered))

    case AssignedWatermark(child) => Seq(planLater(child))

    case StampedByClock(stamp, child) => Seq(StampedByClockExec(stamp, planLater(child)))

    case w: EventTimeWatermark if w.child.isStreaming && TimestampsAndWatermarks.isAssigned(w.child) =>
      throw TimestampsAndWatermarks.second

    case w: EventTimeWatermark if w.child.isStreaming && w.child.exists(_.isInstanceOf[WindowNode]) =>
      throw new IllegalArgumentException(
        "withWatermark on the result of a window: its watermark would never move and the query would put out nothing. " +
          "Take withWatermark away: the result carries its watermark already, in the column `window`"
      )

    case _ => Nil
  }
}
