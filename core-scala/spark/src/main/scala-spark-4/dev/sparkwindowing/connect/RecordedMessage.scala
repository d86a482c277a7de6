package dev.sparkwindowing.connect

import dev.sparkwindowing.interop.connect.{RecordedCalls, Replay}
import org.apache.spark.connect.proto.Expression
import org.apache.spark.sql.catalyst.plans.logical.LogicalPlan
import org.apache.spark.sql.connect.planner.SparkConnectPlanner
import org.apache.spark.sql.functions.expr
import org.apache.spark.sql.{Column, SparkConnectBridge, SparkWindowingBridge}

import scala.jdk.CollectionConverters._

/** Message of a Spark Connect client, as its plugin and its table function get it.
  *
  * The message is a `Project` of Spark's own protocol: its first expression is a literal with the recorded calls as
  * JSON ([[RecordedCalls]]), the others are their columns; the references of its input are their DataFrames. The calls
  * run in the session of the caller, whatever the message says.
  */
private[connect] object RecordedMessage {

  /** The plan of the value that a message asks for.
    *
    * @param planner
    *   that of the caller's session
    * @throws java.lang.IllegalArgumentException
    *   if the message is refused; a refusal of a call passes unchanged
    */
  def planOf(bytes: Array[Byte], planner: SparkConnectPlanner): LogicalPlan = {
    val session     = planner.session
    val project     = SparkConnectBridge.parsed(session, bytes).getProject
    val expressions = project.getExpressionsList.asScala.toVector
    val references  = project.getInput.getWithRelations.getReferencesList.asScala.toVector
    val calls       = RecordedCalls.read(expressions.headOption.fold("")(_.getLiteral.getString))
    val replay      = new Replay(
      session,
      references.map(frame => () => SparkWindowingBridge.toDataFrame(session, planner.transformRelation(frame))),
      expressions.drop(1).map(column => () => columnOf(column, planner))
    )
    replay.run(calls) match {
      case Right(frame) => SparkWindowingBridge.analyzedPlan(frame)
      case Left(json)   => SparkConnectBridge.oneValue(json)
    }
  }

  // SQL is parsed where the column is used: an error then names the part that it stands in, as in a classic session.
  private def columnOf(column: Expression, planner: SparkConnectPlanner): Column =
    if (column.hasExpressionString) expr(column.getExpressionString.getExpression)
    else SparkConnectBridge.column(planner.transformExpression(column))
}
