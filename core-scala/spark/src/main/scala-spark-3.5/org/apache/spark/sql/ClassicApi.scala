package org.apache.spark.sql

import org.apache.spark.sql
import org.apache.spark.sql.catalyst.expressions.Expression
import org.apache.spark.sql.catalyst.plans.logical.LogicalPlan

/** Sessions and DataFrames that have a plan, in Spark 3.5: those that there are. */
private[sql] object ClassicApi {
  type Session    = SparkSession
  type Dataset[T] = sql.Dataset[T]

  def ofRows(session: SparkSession, plan: LogicalPlan): Dataset[Row] =
    sql.Dataset.ofRows(session, plan)

  def column(expression: Expression): Column = new Column(expression)
}
