package dev.sparkwindowing.spark.expressions

import org.apache.spark.sql.catalyst.expressions.{CommonExpressionRef, Expression, With}

/** Common expressions, to which some functions are rewritten and which only Spark's optimizer resolves. */
private[sparkwindowing] object CommonExpressions {

  /** Replaces references by the common expressions. */
  def inline(e: Expression): Expression = e.transformUp { case w: With =>
    val values = w.defs.map(d => d.id -> d.child).toMap
    w.child.transformDown { case r: CommonExpressionRef => values.getOrElse(r.id, r) }
  }
}
