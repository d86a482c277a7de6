package dev.sparkwindowing.spark.relocated

import org.apache.spark.sql.catalyst.expressions.{EvalMode, NumericEvalContext}
import org.apache.spark.sql.catalyst.plans.logical.{LogicalPlan, TransformWithState, TransformWithStateInPySpark}
import org.apache.spark.sql.execution.streaming.operators.stateful
import org.apache.spark.sql.execution.streaming.operators.stateful.flatmapgroupswithstate
import org.apache.spark.sql.execution.streaming.{checkpointing, runtime}

/** Names that differ between Spark versions, as in Spark 4.1 and later. */
object Relocated {

  type CheckpointFileManager           = checkpointing.CheckpointFileManager
  type EventTimeStats                  = stateful.EventTimeStats
  type EventTimeStatsAccum             = stateful.EventTimeStatsAccum
  type EventTimeWatermarkExec          = stateful.EventTimeWatermarkExec
  type FlatMapGroupsWithStateExec      = flatmapgroupswithstate.FlatMapGroupsWithStateExec
  type StateData                       = flatmapgroupswithstate.FlatMapGroupsWithStateExecHelper.StateData
  type StateStoreSaveExec              = stateful.StateStoreSaveExec
  type StatefulOperatorCustomMetric    = stateful.StatefulOperatorCustomMetric
  type StatefulOperatorCustomSumMetric = stateful.StatefulOperatorCustomSumMetric
  type StatefulOperatorStateInfo       = stateful.StatefulOperatorStateInfo
  type QueryExecutionThread            = runtime.QueryExecutionThread
  type StreamExecution                 = runtime.StreamExecution
  type StreamingExecutionRelation      = runtime.StreamingExecutionRelation

  val CheckpointFileManager: checkpointing.CheckpointFileManager.type = checkpointing.CheckpointFileManager
  val EventTimeStats: stateful.EventTimeStats.type                    = stateful.EventTimeStats
  val StatefulOperatorCustomSumMetric: stateful.StatefulOperatorCustomSumMetric.type =
    stateful.StatefulOperatorCustomSumMetric
  val StreamExecution: runtime.StreamExecution.type = runtime.StreamExecution

  /** Arithmetic that wraps around regardless of the session's setting for overflow. */
  val Wrapping: NumericEvalContext = NumericEvalContext(EvalMode.LEGACY)

  def isTransformWithState(plan: LogicalPlan): Boolean = plan match {
    case _: TransformWithState | _: TransformWithStateInPySpark => true
    case _                                                      => false
  }
}
