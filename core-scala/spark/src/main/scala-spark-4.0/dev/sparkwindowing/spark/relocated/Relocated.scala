package dev.sparkwindowing.spark.relocated

import org.apache.spark.sql.catalyst.expressions.EvalMode
import org.apache.spark.sql.catalyst.plans.logical.{LogicalPlan, TransformWithState, TransformWithStateInPandas}
import org.apache.spark.sql.execution.datasources.v2.StreamingDataSourceV2ScanRelation
import org.apache.spark.sql.execution.streaming

/** Names that differ between Spark versions, as in Spark 4.0.
  *
  * Values are lazy: a Spark that lacks one of them lacks only what uses it.
  */
object Relocated extends OfSpark4 {

  type StreamingScan                = StreamingDataSourceV2ScanRelation
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
  type HttpServletRequest           = jakarta.servlet.http.HttpServletRequest
  type StreamExecution              = streaming.StreamExecution
  type StreamingExecutionRelation   = streaming.StreamingExecutionRelation

  lazy val CheckpointFileManager: streaming.CheckpointFileManager.type = streaming.CheckpointFileManager
  lazy val EventTimeStats: streaming.EventTimeStats.type               = streaming.EventTimeStats
  lazy val StatefulOperatorCustomSumMetric: streaming.StatefulOperatorCustomSumMetric.type =
    streaming.StatefulOperatorCustomSumMetric
  lazy val StreamExecution: streaming.StreamExecution.type = streaming.StreamExecution

  /** Arithmetic that wraps around regardless of the session's setting for overflow. */
  lazy val Wrapping: EvalMode.Value = EvalMode.LEGACY

  def watermarkId(node: EventTimeWatermarkExec): AnyRef = node.nodeId

  /** Returns the object with the metadata of the micro-batch that a query constructed last. */
  def constructed(query: StreamExecution): AnyRef = query.getLatestExecutionContext()

  def isTransformWithState(plan: LogicalPlan): Boolean = plan match {
    case _: TransformWithState | _: TransformWithStateInPandas => true
    case _                                                     => false
  }

  /** Name of the object with the operators that Spark runs in real-time mode; it is there from 4.3 on. */
  val RealTimeAllowlist: Option[String] = None
}
