package dev.sparkwindowing.spark.relocated

import org.apache.spark.sql.catalyst.expressions.EvalMode
import org.apache.spark.sql.catalyst.plans.logical.{LogicalPlan, TransformWithState, TransformWithStateInPandas}
import org.apache.spark.sql.execution.streaming

/** Names that differ between Spark versions, as in Spark 4.0. */
object Relocated {

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

  val CheckpointFileManager: streaming.CheckpointFileManager.type                     = streaming.CheckpointFileManager
  val EventTimeStats: streaming.EventTimeStats.type                                   = streaming.EventTimeStats
  val StatefulOperatorCustomSumMetric: streaming.StatefulOperatorCustomSumMetric.type =
    streaming.StatefulOperatorCustomSumMetric
  val StreamExecution: streaming.StreamExecution.type = streaming.StreamExecution

  /** Arithmetic that wraps around regardless of the session's setting for overflow. */
  val Wrapping: EvalMode.Value = EvalMode.LEGACY

  def isTransformWithState(plan: LogicalPlan): Boolean = plan match {
    case _: TransformWithState | _: TransformWithStateInPandas => true
    case _                                                     => false
  }
}
