package dev.sparkwindowing.spark.plan

import dev.sparkwindowing.declaration.Spec
import org.apache.spark.sql.catalyst.plans.logical.LogicalPlan
import org.apache.spark.sql.execution.SparkPlan

/** Operator that runs a [[WindowNode]] in Spark. `spark.operators.SessionOperator` chooses one in the active session.
  * Its `query` is the plan of the whole query, as far as it is known.
  */
private[spark] trait PhysicalOperator {

  /** Name of the operator, with the reason where there is one, for `explain`. */
  def text: String

  /** Refuses, by name, what this operator cannot do.
    *
    * @throws java.lang.UnsupportedOperationException
    *   with what it is and what to do
    */
  def refuse(node: WindowNode, query: LogicalPlan): Unit

  /** Form of its input. */
  def path(node: WindowNode): PreAggregation

  /** The micro-batch in which windows fire; None without a watermark, and on a static DataFrame. */
  def timing(node: WindowNode, query: LogicalPlan): Option[WatermarkTiming]

  /** Text for `explain` of what is stored for a key; None on a static DataFrame. */
  def state(node: WindowNode): Option[String]

  /** Fields of this operator in the specification of a checkpoint, besides the two above. */
  def specified(node: WindowNode): Seq[(String, Spec)]

  /** The physical plan. It compares the specification with that of the checkpoint in the first micro-batch of a run, on
    * the driver.
    *
    * @param planLater
    *   has Spark plan a logical plan
    */
  def plan(node: WindowNode, planLater: LogicalPlan => SparkPlan): SparkPlan
}
