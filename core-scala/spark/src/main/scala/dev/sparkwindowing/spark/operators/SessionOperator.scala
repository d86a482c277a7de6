package dev.sparkwindowing.spark.operators

import dev.sparkwindowing.spark.exec.NativeOperator
import dev.sparkwindowing.spark.links.{LinkedFeature, OperatorSetting, SparkLinks}
import dev.sparkwindowing.spark.plan.{PhysicalOperator, WindowNode}
import dev.sparkwindowing.spark.portable.PortableOperator
import org.apache.spark.sql.catalyst.plans.logical.LogicalPlan

/** The operator of windows in the active session. This is the only place that decides which one it is. */
private[sparkwindowing] object SessionOperator {

  /** The native operator on a static DataFrame. On a stream the one of the setting, or the portable one if this Spark
    * lacks what the native one needs.
    *
    * @throws java.lang.IllegalArgumentException
    *   if the setting names no operator
    */
  def of(node: WindowNode): PhysicalOperator = if (!node.child.isStreaming) native else ofStreams

  private def ofStreams: PhysicalOperator = OperatorSetting.ofSession match {
    case Some(OperatorSetting.Native) => new NativeOperator(s"native (${OperatorSetting.Name} is native)")
    case Some(_)                      => new PortableOperator(s"${OperatorSetting.Name} is portable")
    case None                         =>
      SparkLinks.missing(LinkedFeature.NativeOperator).fold(native)(why => new PortableOperator(s"$why in this Spark"))
  }

  private def native: PhysicalOperator = new NativeOperator("native")

  /** Refuses a query, or what is known of it, with a window that the operator cannot run.
    *
    * @throws java.lang.UnsupportedOperationException
    *   with what it is and what to do
    */
  def refuse(query: LogicalPlan): Unit =
    query.collect { case node: WindowNode => node }.foreach(node => of(node).refuse(node, query))
}
