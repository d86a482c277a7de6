package dev.sparkwindowing.spark.relocated

import org.apache.spark.sql.catalyst.expressions.FunctionTableSubqueryArgumentExpression
import org.apache.spark.sql.catalyst.plans.logical.{EventTimeWatermark, LogicalPlan}
import org.apache.spark.sql.catalyst.rules.Rule
import org.apache.spark.sql.catalyst.util.UnsafeRowUtils
import org.apache.spark.sql.types.DataType
import org.apache.spark.sql.{AnalysisException, Column, SparkSessionExtensions}

/** Members of [[Relocated]] that are the same in all versions of Spark 4. */
private[relocated] trait OfSpark4 {

  /** Identity of a watermark, the same in the logical and the physical plan. */
  def watermarkId(node: EventTimeWatermark): AnyRef = node.nodeId

  /** Name of the error's condition; null if it has none. */
  def condition(e: AnalysisException): String = e.getCondition

  /** True if equal values have equal bytes; false for some collations. */
  def isBinaryStable(dataType: DataType): Boolean = UnsafeRowUtils.isBinaryStable(dataType)

  def tryCast(column: Column, to: DataType): Column = column.try_cast(to)

  /** True for a table argument with PARTITION BY, ORDER BY or WITH SINGLE PARTITION. */
  def isPartitioned(table: FunctionTableSubqueryArgumentExpression): Boolean =
    table.partitionByExpressions.nonEmpty || table.orderByExpressions.nonEmpty || table.withSinglePartition

  /** Adds a rule that sees a query that starts before Spark's own checks do. */
  def addFirstRule(extensions: SparkSessionExtensions, rule: Rule[LogicalPlan]): Unit =
    extensions.injectHintResolutionRule(_ => rule)
}
