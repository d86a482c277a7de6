package dev.sparkwindowing.spark.relocated

import org.apache.spark.sql.catalyst.expressions.{EvalMode, FunctionTableSubqueryArgumentExpression}
import org.apache.spark.sql.catalyst.plans.logical.{
  EventTimeWatermark,
  LogicalPlan,
  TransformWithState,
  TransformWithStateInPandas
}
import org.apache.spark.sql.catalyst.rules.Rule
import org.apache.spark.sql.catalyst.util.UnsafeRowUtils
import org.apache.spark.sql.execution.datasources.v2.StreamingDataSourceV2ScanRelation
import org.apache.spark.sql.execution.streaming
import org.apache.spark.sql.types.DataType
import org.apache.spark.sql.{AnalysisException, Column, SparkSessionExtensions}

/** Names that differ between Spark versions, as in Spark 4.0.
  *
  * Values are lazy: a Spark that lacks one of them lacks only what uses it.
  */
object Relocated {

  type StreamingScan                   = StreamingDataSourceV2ScanRelation
  type CheckpointFileManager           = streaming.CheckpointFileManager
  type EventTimeStats                  = streaming.EventTimeStats
  type EventTimeStatsAccum             = streaming.EventTimeStatsAccum
  type EventTimeWatermarkExec          = streaming.EventTimeWatermarkExec
  type FlatMapGroupsWithStateExec      = streaming.FlatMapGroupsWithStateExec
  type StateData                       = streaming.state.FlatMapGroupsWithStateExecHelper.StateData
  type StateStoreSaveExec              = streaming.StateStoreSaveExec
  type StatefulOperatorCustomMetric    = streaming.StatefulOperatorCustomMetric
  type StatefulOperatorCustomSumMetric = streaming.StatefulOperatorCustomSumMetric
  type StatefulOperatorStateInfo       = streaming.StatefulOperatorStateInfo
  type QueryExecutionThread            = streaming.QueryExecutionThread
  type StreamExecution                 = streaming.StreamExecution
  type StreamingExecutionRelation      = streaming.StreamingExecutionRelation

  lazy val CheckpointFileManager: streaming.CheckpointFileManager.type = streaming.CheckpointFileManager
  lazy val EventTimeStats: streaming.EventTimeStats.type               = streaming.EventTimeStats
  lazy val StatefulOperatorCustomSumMetric: streaming.StatefulOperatorCustomSumMetric.type =
    streaming.StatefulOperatorCustomSumMetric
  lazy val StreamExecution: streaming.StreamExecution.type = streaming.StreamExecution

  /** Arithmetic that wraps around regardless of the session's setting for overflow. */
  lazy val Wrapping: EvalMode.Value = EvalMode.LEGACY

  /** Identity of a watermark, the same in the logical and the physical plan. */
  def watermarkId(node: EventTimeWatermark): AnyRef     = node.nodeId
  def watermarkId(node: EventTimeWatermarkExec): AnyRef = node.nodeId

  /** Returns the object with the metadata of the micro-batch that a query constructed last. */
  def constructed(query: StreamExecution): AnyRef = query.getLatestExecutionContext()

  /** Name of the error's condition; null if it has none. */
  def condition(e: AnalysisException): String = e.getCondition

  /** True if equal values have equal bytes; false for some collations. */
  def isBinaryStable(dataType: DataType): Boolean = UnsafeRowUtils.isBinaryStable(dataType)

  def tryCast(column: Column, to: DataType): Column = column.try_cast(to)

  def isTransformWithState(plan: LogicalPlan): Boolean = plan match {
    case _: TransformWithState | _: TransformWithStateInPandas => true
    case _                                                     => false
  }

  /** True for a table argument with PARTITION BY, ORDER BY or WITH SINGLE PARTITION. */
  def isPartitioned(table: FunctionTableSubqueryArgumentExpression): Boolean =
    table.partitionByExpressions.nonEmpty || table.orderByExpressions.nonEmpty || table.withSinglePartition

  /** Adds a rule that sees a query that starts before Spark's own checks do. */
  def addFirstRule(extensions: SparkSessionExtensions, rule: Rule[LogicalPlan]): Unit =
    extensions.injectHintResolutionRule(_ => rule)
}
