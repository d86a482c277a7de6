package dev.sparkwindowing.spark.exec

import dev.sparkwindowing.spark.checkpoint.StateRow
import dev.sparkwindowing.spark.plan.WindowNode
import dev.sparkwindowing.spark.relocated.Relocated.{FlatMapGroupsWithStateExec, StatefulOperatorStateInfo}
import org.apache.hadoop.conf.Configuration
import org.apache.spark.sql.catalyst.encoders.{ExpressionEncoder, RowEncoder}
import org.apache.spark.sql.catalyst.expressions._
import org.apache.spark.sql.catalyst.plans.logical.LogicalGroupState
import org.apache.spark.sql.execution.SparkPlan
import org.apache.spark.sql.execution.streaming.state.StateSchemaValidationResult
import org.apache.spark.sql.streaming.{GroupStateTimeout, OutputMode}
import org.apache.spark.sql.types.NullType

/** The window operator on a stream, [[StreamWindows]], in Spark 4.
  *
  * The constructor has exactly the parameters of the class that it extends, since Spark copies plans by reflection.
  */
private[spark] final class WindowExec(
    carrier: (Any, Iterator[Any], LogicalGroupState[Any]) => Iterator[Any],
    keyDeserializer: Expression,
    valueDeserializer: Expression,
    initialStateDeserializer: Expression,
    groupingAttributes: Seq[Attribute],
    initialStateGroupAttrs: Seq[Attribute],
    dataAttributes: Seq[Attribute],
    initialStateDataAttrs: Seq[Attribute],
    outputObjAttr: Attribute,
    stateInfo: Option[StatefulOperatorStateInfo],
    stateEncoder: ExpressionEncoder[Any],
    stateFormatVersion: Int,
    outputMode: OutputMode,
    timeoutConf: GroupStateTimeout,
    batchTimestampMs: Option[Long],
    eventTimeWatermarkForLateEvents: Option[Long],
    eventTimeWatermarkForEviction: Option[Long],
    initialState: SparkPlan,
    hasInitialState: Boolean,
    skipEmittingInitialStateKeys: Boolean,
    child: SparkPlan
) extends FlatMapGroupsWithStateExec(
      carrier,
      keyDeserializer,
      valueDeserializer,
      initialStateDeserializer,
      groupingAttributes,
      initialStateGroupAttrs,
      dataAttributes,
      initialStateDataAttrs,
      outputObjAttr,
      stateInfo,
      stateEncoder,
      stateFormatVersion,
      outputMode,
      timeoutConf,
      batchTimestampMs,
      eventTimeWatermarkForLateEvents,
      eventTimeWatermarkForEviction,
      initialState,
      hasInitialState,
      skipEmittingInitialStateKeys,
      child
    )
    with StreamWindows {

  override def validateAndMaybeEvolveStateSchema(
      hadoopConf: Configuration,
      batchId: Long,
      stateSchemaVersion: Int
  ): List[StateSchemaValidationResult] = {
    checkState(hadoopConf, batchId)
    super.validateAndMaybeEvolveStateSchema(hadoopConf, batchId, stateSchemaVersion)
  }

  override def copy(
      func: (Any, Iterator[Any], LogicalGroupState[Any]) => Iterator[Any],
      keyDeserializer: Expression,
      valueDeserializer: Expression,
      initialStateDeserializer: Expression,
      groupingAttributes: Seq[Attribute],
      initialStateGroupAttrs: Seq[Attribute],
      dataAttributes: Seq[Attribute],
      initialStateDataAttrs: Seq[Attribute],
      outputObjAttr: Attribute,
      stateInfo: Option[StatefulOperatorStateInfo],
      stateEncoder: ExpressionEncoder[Any],
      stateFormatVersion: Int,
      outputMode: OutputMode,
      timeoutConf: GroupStateTimeout,
      batchTimestampMs: Option[Long],
      eventTimeWatermarkForLateEvents: Option[Long],
      eventTimeWatermarkForEviction: Option[Long],
      initialState: SparkPlan,
      hasInitialState: Boolean,
      skipEmittingInitialStateKeys: Boolean,
      child: SparkPlan
  ): FlatMapGroupsWithStateExec = new WindowExec(
    func,
    keyDeserializer,
    valueDeserializer,
    initialStateDeserializer,
    groupingAttributes,
    initialStateGroupAttrs,
    dataAttributes,
    initialStateDataAttrs,
    outputObjAttr,
    stateInfo,
    stateEncoder,
    stateFormatVersion,
    outputMode,
    timeoutConf,
    batchTimestampMs,
    eventTimeWatermarkForLateEvents,
    eventTimeWatermarkForEviction,
    initialState,
    hasInitialState,
    skipEmittingInitialStateKeys,
    child
  )

  override protected def withNewChildrenInternal(left: SparkPlan, right: SparkPlan): FlatMapGroupsWithStateExec =
    copy(child = left)
}

private[spark] object WindowExec {

  /** Builds the operator. Declared as SparkPlan, so that callers link even where this class does not. */
  def plan(node: WindowNode, rows: OperatorRows, initialKeys: Seq[Attribute], noState: SparkPlan): SparkPlan = {
    val unused = Literal(null, NullType)
    val input  = rows.plan
    new WindowExec(
      new OperatorPayload(node, rows),
      unused,
      unused,
      unused,
      input.output.take(node.program.input.keyCount),
      initialKeys,
      input.output,
      Nil,
      AttributeReference("unused", NullType)(),
      None,
      ExpressionEncoder(RowEncoder.encoderFor(StateRow.Value)).asInstanceOf[ExpressionEncoder[Any]],
      2,
      OutputMode.Append,
      GroupStateTimeout.EventTimeTimeout,
      None,
      None,
      None,
      noState,
      false,
      false,
      input
    )
  }
}
