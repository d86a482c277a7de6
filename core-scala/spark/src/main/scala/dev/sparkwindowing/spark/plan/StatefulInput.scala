package dev.sparkwindowing.spark.plan

import dev.sparkwindowing.spark.relocated.Relocated
import org.apache.spark.sql.catalyst.plans.logical._

/** Detects that a stream's rows come from another stateful operator, ours or Spark's.
  *
  * Such rows were produced by this micro-batch's watermark, so they must be taken before it fires timers.
  */
private[spark] object StatefulInput {

  def isIn(plan: LogicalPlan): Boolean = plan.exists(isStateful)

  /** True for a stateful operator on a stream. */
  def isStateful(node: LogicalPlan): Boolean =
    node.isStreaming && (node match {
      case _: WindowNode | _: Aggregate | _: Distinct | _: Deduplicate | _: DeduplicateWithinWatermark => true
      case _: FlatMapGroupsWithState | _: FlatMapGroupsInPandasWithState                               => true
      case j: Join => j.left.isStreaming && j.right.isStreaming
      case other   => Relocated.isTransformWithState(other)
    })
}
