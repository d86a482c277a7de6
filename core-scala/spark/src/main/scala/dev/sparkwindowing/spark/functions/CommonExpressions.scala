package dev.sparkwindowing.spark.functions

import org.apache.spark.sql.catalyst.expressions.{CommonExpressionRef, Expression, With}

/** Common expressions, which some functions are rewritten to and which only Spark's optimizer can resolve. */
private[sparkwindowing] object CommonExpressions {

  /** Puts them in the place of their references. */
  def inline(e: Expression): Expression = e.transformUp { case w: With =>
    val values = w.defs.map(d => d.id -> d.child).toMap
    w.child.transformDown { case r: CommonExpressionRef => values.getOrElse(r.id, r) }
  }
}
