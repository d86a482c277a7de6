package dev.sparkwindowing.spark.relocated

import org.apache.spark.sql.catalyst.expressions.{Cast, EvalMode, FunctionTableSubqueryArgumentExpression}
import org.apache.spark.sql.catalyst.plans.logical.{EventTimeWatermark, LogicalPlan}
import org.apache.spark.sql.catalyst.rules.Rule
import org.apache.spark.sql.execution.datasources.v2.StreamingDataSourceV2Relation
import org.apache.spark.sql.execution.streaming
import org.apache.spark.sql.types.DataType
import org.apache.spark.sql.{AnalysisException, Column, SparkSessionExtensions}

import scala.annotation.unused

/** Names that differ between Spark versions, as in Spark 3.5.
  *
  * Values are lazy: a Spark that lacks one of them lacks only what uses it.
  */
object Relocated {

  type StreamingScan                = StreamingDataSourceV2Relation
  type CheckpointFileManager        = streaming.CheckpointFileManager
  type EventTimeStats               = streaming.EventTimeStats
  type EventTimeStatsAccum          = streaming.EventTimeStatsAccum
  type EventTimeWatermarkExec       = streaming.EventTimeWatermarkExec
  type FlatMapGroupsWithStateExec   = streaming.FlatMapGroupsWithStateExec
  type StateData                    = streaming.state.FlatMapGroupsWithStateExecHelper.StateData
  type StateStoreSaveExec           = streaming.StateStoreSaveExec
  type StatefulOperatorCustomMetric = streaming.StatefulOperatorCustomMetric
  type StatefulOperatorStateInfo    = streaming.StatefulOperatorStateInfo
  type QueryExecutionThread         = streaming.QueryExecutionThread
  type HttpServletRequest           = javax.servlet.http.HttpServletRequest
  type StreamExecution              = streaming.StreamExecution
  type StreamingExecutionRelation   = streaming.StreamingExecutionRelation

  lazy val CheckpointFileManager: streaming.CheckpointFileManager.type = streaming.CheckpointFileManager
  lazy val EventTimeStats: streaming.EventTimeStats.type               = streaming.EventTimeStats
  lazy val StatefulOperatorCustomSumMetric: streaming.StatefulOperatorCustomSumMetric.type =
    streaming.StatefulOperatorCustomSumMetric
  lazy val StreamExecution: streaming.StreamExecution.type = streaming.StreamExecution

  /** Arithmetic that wraps around regardless of the session's setting for overflow. */
  lazy val Wrapping: EvalMode.Value = EvalMode.LEGACY

  /** Identity of a watermark, the same in the logical and the physical plan. */
  def watermarkId(node: EventTimeWatermark): AnyRef     = node.eventTime.exprId
  def watermarkId(node: EventTimeWatermarkExec): AnyRef = node.eventTime.exprId

  /** Returns the object with the metadata of the micro-batch that a query constructed last. */
  def constructed(query: StreamExecution): AnyRef = query

  /** Name of the error's condition; null if it has none. */
  def condition(e: AnalysisException): String = e.getErrorClass

  /** Spark 3.5 has no collations. */
  def isBinaryStable(@unused dataType: DataType): Boolean = true

  def tryCast(column: Column, to: DataType): Column = new Column(Cast(column.expr, to, evalMode = EvalMode.TRY))

  def isTransformWithState(@unused plan: LogicalPlan): Boolean = false

  /** The SQL of Spark 3.5 cannot partition a table argument. */
  def isPartitioned(@unused table: FunctionTableSubqueryArgumentExpression): Boolean = false

  /** Spark 3.5 has no such rules, and no trigger that one could refuse. */
  def addFirstRule(@unused extensions: SparkSessionExtensions, @unused rule: Rule[LogicalPlan]): Unit = ()

  /** Name of the object with the operators that Spark runs in real-time mode; it is there from 4.3 on. */
  val RealTimeAllowlist: Option[String] = None
}
