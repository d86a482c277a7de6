package dev.sparkwindowing.spark.expressions

import org.apache.spark.sql.catalyst.expressions.Expression
import org.apache.spark.sql.catalyst.optimizer.InsertMapSortInRepartitionExpressions
import org.apache.spark.sql.catalyst.plans.logical.{OneRowRelation, RepartitionByExpression}

/** Maps with their entries sorted, so that equal maps have equal bytes. */
private[sparkwindowing] object SortedMaps {

  /** True if Spark groups by maps. */
  val group: Boolean = true

  /** The key with all maps sorted, at any depth, by Spark's own rule for grouping. */
  def of(key: Expression): Expression =
    InsertMapSortInRepartitionExpressions(RepartitionByExpression(Seq(key), OneRowRelation(), None)) match {
      case r: RepartitionByExpression => r.partitionExpressions.head
      case _                          => key
    }
}
