package dev.sparkwindowing.spark.expressions

import org.apache.spark.sql.catalyst.expressions.{Between, CommonExpressionRef, Expression, With}

/** Common expressions, to which Spark rewrites some functions. Only Spark's optimizer resolves them. */
private[sparkwindowing] object CommonExpressions {

  /** Replaces references to common expressions by the expressions. */
  def inline(e: Expression): Expression = e.transformUp { case w: With =>
    val values = w.defs.map(d => d.id -> d.child).toMap
    w.child.transformDown { case r: CommonExpressionRef => values.getOrElse(r.id, r) }
  }

  /** Replaces BETWEEN, an expression with common expressions, by the comparisons that Spark 3.5 makes of it. */
  def withoutBetween(e: Expression): Expression = e.transformDown { case b: Between => inline(b.replacement) }
}
