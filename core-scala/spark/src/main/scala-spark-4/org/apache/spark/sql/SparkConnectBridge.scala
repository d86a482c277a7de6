package org.apache.spark.sql

import org.apache.spark.connect.proto
import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.expressions.{AttributeReference, Expression}
import org.apache.spark.sql.catalyst.plans.logical.{LocalRelation, LogicalPlan}
import org.apache.spark.sql.classic.ExpressionUtils
import org.apache.spark.sql.types.StringType
import org.apache.spark.unsafe.types.UTF8String
import org.sparkproject.connect.protobuf.CodedInputStream

/** Private methods of Spark that a plugin of Spark Connect needs. */
object SparkConnectBridge {

  def column(expression: Expression): Column = ExpressionUtils.column(expression)

  /** A relation of Spark's protocol, as deep as the server allows: a deep plan of a client is one too. */
  def parsed(session: SparkSession, bytes: Array[Byte]): proto.Relation = {
    val input = CodedInputStream.newInstance(bytes)
    input.setRecursionLimit(session.asInstanceOf[ClassicApi.Session].sparkContext.getConf.getInt(RecursionLimit, 1024))
    proto.Relation.parseFrom(input)
  }

  private val RecursionLimit = "spark.connect.grpc.marshallerRecursionLimit"

  /** One row with one text. */
  def oneValue(text: String): LogicalPlan =
    LocalRelation(Seq(AttributeReference("value", StringType)()), Seq(InternalRow(UTF8String.fromString(text))))
}
