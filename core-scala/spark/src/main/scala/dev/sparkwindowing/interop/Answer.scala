package dev.sparkwindowing.interop

import dev.sparkwindowing.spark.plan.KeyedInput
import org.apache.spark.sql.DataFrame
import org.apache.spark.sql.catalyst.plans.logical.LogicalPlan

/** Answer to a message. */
private[sparkwindowing] sealed trait Answer

private[sparkwindowing] object Answer {
  final case class Frame(frame: DataFrame) extends Answer

  /** Rows that Spark may still have to analyze. */
  final case class Plan(plan: LogicalPlan) extends Answer

  /** The rows of a declaration, for its later steps. */
  final case class Resolved(rows: KeyedInput) extends Answer

  /** Another value, as JSON. */
  final case class Value(json: String) extends Answer
}
