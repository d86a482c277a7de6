package dev.sparkwindowing.spark.expressions

import org.apache.spark.sql.catalyst.expressions.Expression

/** Maps with their entries sorted: Spark 3.5 does not sort them, and does not group by them. */
private[sparkwindowing] object SortedMaps {
  val group: Boolean                  = false
  def of(key: Expression): Expression = key
}
