package dev.sparkwindowing.spark.plan

import org.apache.spark.sql.catalyst.plans.logical.LogicalPlan

/** Checks that run when Spark visits or copies the plan of a query, before its first micro-batch. */
private[sparkwindowing] trait PlanChecks extends Serializable {

  /** Called where Spark's check of a starting query visits a node. */
  def visited(node: WindowNode, visit: LogicalPlan => Unit): Unit

  /** Called where a query copies its plan. */
  def copied(): Unit
}
