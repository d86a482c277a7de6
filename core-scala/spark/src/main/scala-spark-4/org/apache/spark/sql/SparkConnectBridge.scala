package org.apache.spark.sql

import org.apache.spark.connect.proto
import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.expressions.{AttributeReference, Expression}
import org.apache.spark.sql.catalyst.plans.logical.{LocalRelation, LogicalPlan}
import org.apache.spark.sql.types.StringType
import org.apache.spark.unsafe.types.UTF8String
import org.sparkproject.connect.protobuf.CodedInputStream

/** Private methods of Spark that the server's side of Spark Connect needs. */
object SparkConnectBridge {

  def column(expression: Expression): Column = ClassicApi.column(expression)

  /** A relation of Spark's protocol, as deep as the server allows: a deep plan of a client is one too. */
  def parsed(session: SparkSession, bytes: Array[Byte]): proto.Relation = {
    val input = CodedInputStream.newInstance(bytes)
    input.setRecursionLimit(session.asInstanceOf[ClassicApi.Session].sparkContext.getConf.getInt(RecursionLimit, 1024))
    proto.Relation.parseFrom(input)
  }

  /** Adds a temporary table function to a session, in place of one with the same name. */
  def addTableFunction(session: SparkSession, name: String, plan: Seq[Expression] => LogicalPlan): Unit =
    session
      .asInstanceOf[ClassicApi.Session]
      .sessionState
      .tableFunctionRegistry
      .createOrReplaceTempFunction(name, plan, "scala_udf")

  /** The same plan without the marks by which Spark finds a DataFrame's columns, for a place that has marks of its own.
    */
  def withoutMarks(plan: LogicalPlan): LogicalPlan = {
    plan.unsetTagValue(classic.Dataset.DATASET_ID_TAG)
    plan.unsetTagValue(LogicalPlan.PLAN_ID_TAG)
    plan
  }

  /** The same plan with the mark by which Spark finds the columns of a client's DataFrame. */
  def marked(plan: LogicalPlan, of: proto.Relation): LogicalPlan = {
    if (of.getCommon.hasPlanId) plan.setTagValue(LogicalPlan.PLAN_ID_TAG, of.getCommon.getPlanId)
    plan
  }

  private val RecursionLimit = "spark.connect.grpc.marshallerRecursionLimit"

  /** One row with one text. */
  def oneValue(text: String): LogicalPlan =
    LocalRelation(Seq(AttributeReference("value", StringType)()), Seq(InternalRow(UTF8String.fromString(text))))
}
