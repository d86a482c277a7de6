package org.apache.spark.sql

import org.apache.spark.sql.catalyst.expressions.Expression
import org.apache.spark.sql.catalyst.plans.logical.LogicalPlan

/** Sessions and DataFrames that have a plan, in Spark 4. */
private[sql] object ClassicApi {
  type Session    = classic.SparkSession
  type Dataset[T] = classic.Dataset[T]

  def ofRows(session: SparkSession, plan: LogicalPlan): Dataset[Row] =
    classic.Dataset.ofRows(session.asInstanceOf[Session], plan)

  def column(expression: Expression): Column = classic.ExpressionUtils.column(expression)
}
