package dev.sparkwindowing.spark.relocated

import org.apache.spark.sql.catalyst.expressions.{EvalMode, NumericEvalContext}
import org.apache.spark.sql.catalyst.plans.logical.{LogicalPlan, TransformWithState, TransformWithStateInPySpark}
import org.apache.spark.sql.execution.streaming.{checkpointing, operators}

/** Names that differ between Spark versions, as in Spark 4.1 and later. */
private[spark] object Relocated {

  type CheckpointFileManager = checkpointing.CheckpointFileManager

  type EventTimeWatermarkExec = operators.stateful.EventTimeWatermarkExec

  val CheckpointFileManager: checkpointing.CheckpointFileManager.type = checkpointing.CheckpointFileManager

  /** Arithmetic that wraps around regardless of the session's setting for overflow. */
  val Wrapping: NumericEvalContext = NumericEvalContext(EvalMode.LEGACY)

  def isTransformWithState(plan: LogicalPlan): Boolean = plan match {
    case _: TransformWithState | _: TransformWithStateInPySpark => true
    case _                                                      => false
  }
}
