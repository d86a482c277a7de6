package dev.sparkwindowing.spark.expressions

import org.apache.spark.sql.catalyst.expressions.Expression

/** Common expressions, which Spark 3.5 has not. */
private[sparkwindowing] object CommonExpressions {
  def inline(e: Expression): Expression = e

  def withoutBetween(e: Expression): Expression = e
}
