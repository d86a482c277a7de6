package dev.sparkwindowing.spark.exec

import dev.sparkwindowing.spark.checkpoint.StateRow
import dev.sparkwindowing.spark.plan.WindowNode
import dev.sparkwindowing.spark.relocated.Relocated.{FlatMapGroupsWithStateExec, StatefulOperatorStateInfo}
import org.apache.spark.rdd.RDD
import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.encoders.{ExpressionEncoder, RowEncoder}
import org.apache.spark.sql.catalyst.expressions._
import org.apache.spark.sql.catalyst.plans.logical.LogicalGroupState
import org.apache.spark.sql.execution.SparkPlan
import org.apache.spark.sql.streaming.{GroupStateTimeout, OutputMode}
import org.apache.spark.sql.types.NullType

/** The window operator on a stream, [[StreamWindows]], in Spark 3.5.
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
      child
    )
    with StreamWindows {

  // Spark 3.5 has no hook for the state's schema.
  override protected def doExecute(): RDD[InternalRow] = {
    checkState(session.sessionState.newHadoopConf(), getStateInfo.storeVersion)
    super.doExecute()
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
    child
  )

  // To count the rows of a source Spark 3.5 pairs the leaves of this plan with those of the logical one, which has no
  // empty initial state.
  override def foreach(visit: SparkPlan => Unit): Unit = {
    visit(this)
    child.foreach(visit)
  }

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
      input
    )
  }
}
