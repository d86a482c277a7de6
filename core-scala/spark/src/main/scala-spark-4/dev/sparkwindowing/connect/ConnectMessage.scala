package dev.sparkwindowing.connect

import dev.sparkwindowing.SparkWindowing
import dev.sparkwindowing.interop.{Answer, Answers, Beside, Message}
import org.apache.spark.connect.proto.Expression
import org.apache.spark.sql.catalyst.plans.logical.LogicalPlan
import org.apache.spark.sql.connect.planner.SparkConnectPlanner
import org.apache.spark.sql.functions.expr
import org.apache.spark.sql.{Column, SparkConnectBridge, SparkWindowingBridge}

import scala.jdk.CollectionConverters._

/** Message of a Spark Connect client, as its plugin and its table function get it.
  *
  * It is a `Project` of Spark's own protocol: its first expression is a literal with the [[Message]], the others are
  * its columns; the references of its input are its DataFrames. It is answered in the session of the caller.
  */
private[connect] object ConnectMessage {

  /** The plan of what a message asks for. From its first message on, a session has the table functions of windows.
    *
    * @param planner
    *   that of the caller's session
    * @throws java.lang.IllegalArgumentException
    *   if the message is refused; a refusal of what it asks for passes unchanged
    */
  def planOf(bytes: Array[Byte], planner: SparkConnectPlanner): LogicalPlan = {
    val session     = planner.session
    val project     = SparkConnectBridge.parsed(session, bytes).getProject
    val expressions = project.getExpressionsList.asScala.toVector
    val references  = project.getInput.getWithRelations.getReferencesList.asScala.toVector
    val columns     = expressions.drop(1).map(column => () => columnOf(column, planner))
    val message     = Message.read(expressions.headOption.fold("")(_.getLiteral.getString))
    SparkWindowing.attach(session)
    if (message.inPipeline)
      PipelineFlow.planOf(message, references.map(new PipelinePlanner(planner).transformRelation), columns)
    else {
      val frames = references.map(frame => () => planner.transformRelation(frame))
      SparkWindowingBridge.within(session)(Answers.of(message, new Beside.Plans(session, frames, columns))) match {
        case Answer.Frame(frame) => SparkWindowingBridge.analyzedPlan(frame)
        case Answer.Plan(plan)   => plan
        case Answer.Value(json)  => SparkConnectBridge.oneValue(json)
        case Answer.Resolved(_)  => Message.refuse("asks for rows that are for a later step in the same process")
      }
    }
  }

  // SQL is parsed where the column is used: an error then names the part that it stands in, as in a classic session.
  private def columnOf(column: Expression, planner: SparkConnectPlanner): Column =
    if (column.hasExpressionString) expr(column.getExpressionString.getExpression)
    else SparkConnectBridge.column(planner.transformExpression(column))
}
