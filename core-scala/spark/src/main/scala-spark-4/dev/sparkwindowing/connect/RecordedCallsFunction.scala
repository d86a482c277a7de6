package dev.sparkwindowing.connect

import dev.sparkwindowing.interop.connect.RecordedCalls
import org.apache.spark.sql.SparkConnectBridge
import org.apache.spark.sql.catalyst.expressions.{Expression, Literal}
import org.apache.spark.sql.catalyst.plans.logical.LogicalPlan
import org.apache.spark.sql.connect.SparkConnectSessions

import scala.util.Try

/** Temporary table function of one session, whose only argument is a message as the plugin gets it
  * ([[RecordedMessage]]) and whose rows are those of the plan that the message asks for. The plan stands where the call
  * stood: there is no view, and no node around it.
  *
  * The session is the one in which Spark analyzes the call; nothing in the message names a session.
  */
private[connect] final class RecordedCallsFunction extends (Seq[Expression] => LogicalPlan) {

  override def apply(arguments: Seq[Expression]): LogicalPlan = newest.fold(plan(arguments))(_.apply(arguments))

  // A further jar of the session gives it a new class loader, and only there a user's parts are parts of these windows.
  private def newest: Option[Seq[Expression] => LogicalPlan] =
    Option(Thread.currentThread().getContextClassLoader)
      .flatMap(loader => Try(Class.forName(getClass.getName, true, loader)).toOption)
      .filterNot(_ eq getClass)
      .map(_.getDeclaredConstructor().newInstance())
      .collect { case function: (Seq[Expression] => LogicalPlan) @unchecked => function }

  private def plan(arguments: Seq[Expression]): LogicalPlan = arguments match {
    case Seq(Literal(bytes: Array[Byte], _)) =>
      SparkConnectBridge.withoutMarks(RecordedMessage.planOf(bytes, SparkConnectSessions.plannerOfCaller()))
    case _ => RecordedCalls.refuse(s"is no argument of ${RecordedCallsFunction.Name}: it takes one binary literal")
  }
}

private[connect] object RecordedCallsFunction {

  /** Name of the function in a session. */
  val Name = "spark_windowing_recorded_calls"
}
