package dev.sparkwindowing.spark.relocated

import org.apache.spark.sql.catalyst.expressions.{EvalMode, NumericEvalContext}
import org.apache.spark.sql.catalyst.plans.logical.{LogicalPlan, TransformWithState, TransformWithStateInPySpark}
import org.apache.spark.sql.execution.datasources.v2.StreamingDataSourceV2ScanRelation
import org.apache.spark.sql.execution.streaming.operators.stateful
import org.apache.spark.sql.execution.streaming.operators.stateful.flatmapgroupswithstate
import org.apache.spark.sql.execution.streaming.{checkpointing, runtime}

/** Names that differ between Spark versions, as in Spark 4.1 and later.
  *
  * Values are lazy: a Spark that lacks one of them lacks only what uses it.
  */
object Relocated extends OfSpark4 {

  type StreamingScan                = StreamingDataSourceV2ScanRelation
  type CheckpointFileManager        = checkpointing.CheckpointFileManager
  type EventTimeStats               = stateful.EventTimeStats
  type EventTimeStatsAccum          = stateful.EventTimeStatsAccum
  type EventTimeWatermarkExec       = stateful.EventTimeWatermarkExec
  type FlatMapGroupsWithStateExec   = flatmapgroupswithstate.FlatMapGroupsWithStateExec
  type StateData                    = flatmapgroupswithstate.FlatMapGroupsWithStateExecHelper.StateData
  type StateStoreSaveExec           = stateful.StateStoreSaveExec
  type StatefulOperatorCustomMetric = stateful.StatefulOperatorCustomMetric
  type StatefulOperatorStateInfo    = stateful.StatefulOperatorStateInfo
  type QueryExecutionThread         = runtime.QueryExecutionThread
  type HttpServletRequest           = jakarta.servlet.http.HttpServletRequest
  type StreamExecution              = runtime.StreamExecution
  type StreamingExecutionRelation   = runtime.StreamingExecutionRelation

  lazy val CheckpointFileManager: checkpointing.CheckpointFileManager.type = checkpointing.CheckpointFileManager
  lazy val EventTimeStats: stateful.EventTimeStats.type                    = stateful.EventTimeStats
  lazy val StatefulOperatorCustomSumMetric: stateful.StatefulOperatorCustomSumMetric.type =
    stateful.StatefulOperatorCustomSumMetric
  lazy val StreamExecution: runtime.StreamExecution.type = runtime.StreamExecution

  /** Arithmetic that wraps around regardless of the session's setting for overflow. */
  lazy val Wrapping: NumericEvalContext = NumericEvalContext(EvalMode.LEGACY)

  def watermarkId(node: EventTimeWatermarkExec): AnyRef = node.nodeId

  /** Returns the object with the metadata of the micro-batch that a query constructed last. */
  def constructed(query: StreamExecution): AnyRef = query.getLatestExecutionContext()

  def isTransformWithState(plan: LogicalPlan): Boolean = plan match {
    case _: TransformWithState | _: TransformWithStateInPySpark => true
    case _                                                      => false
  }

  /** Name of the object with the operators that Spark runs in real-time mode; it is there from 4.3 on. */
  val RealTimeAllowlist: Option[String] = Some(
    "org.apache.spark.sql.execution.streaming.runtime.RealTimeModeAllowlist$"
  )
}
