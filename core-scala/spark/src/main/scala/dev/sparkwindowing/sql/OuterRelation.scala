package dev.sparkwindowing.sql

import org.apache.spark.sql.catalyst.expressions.Attribute
import org.apache.spark.sql.catalyst.plans.logical.{AnalysisHelper, CTERelationRef, LeafNode, LogicalPlan}

/** Stands for a common table expression of the query around a call while the plan of the call is made: Spark cannot
  * analyze a plan that refers to one without the query that defines it.
  */
private[sql] final case class OuterRelation(reference: CTERelationRef) extends LeafNode {
  override def output: Seq[Attribute] = reference.output
  override def isStreaming: Boolean   = reference.isStreaming
}

private[sql] object OuterRelation {

  /** The plan that `make` gives for tables, whose common table expressions it does not see. */
  def without(tables: Seq[LogicalPlan])(make: Seq[LogicalPlan] => LogicalPlan): LogicalPlan = {
    val hidden = tables.map(replaced(_) { case reference: CTERelationRef => OuterRelation(reference) })
    replaced(make(hidden)) { case OuterRelation(reference) => reference }
  }

  private def replaced(plan: LogicalPlan)(rule: PartialFunction[LogicalPlan, LogicalPlan]): LogicalPlan =
    AnalysisHelper.allowInvokingTransformsInAnalyzer(plan.transformUpWithSubqueries(rule))
}
