package dev.sparkwindowing.spark.expressions

import org.apache.spark.sql.catalyst.expressions.{CommonExpressionRef, Expression, With}

/** Common expressions, to which Spark rewrites some functions. Only Spark's optimizer resolves them. */
private[sparkwindowing] object CommonExpressions {

  /** Replaces references to common expressions by the expressions. */
  def inline(e: Expression): Expression = e.transformUp { case w: With =>
    val values = w.defs.map(d => d.id -> d.child).toMap
    w.child.transformDown { case r: CommonExpressionRef => values.getOrElse(r.id, r) }
  }
}
