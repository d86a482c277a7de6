package dev.sparkwindowing.connect

import dev.sparkwindowing.interop.Message
import org.apache.spark.sql.SparkConnectBridge
import org.apache.spark.sql.catalyst.expressions.{Expression, Literal}
import org.apache.spark.sql.catalyst.plans.logical.LogicalPlan
import org.apache.spark.sql.connect.SparkConnectSessions

import scala.util.Try

/** Temporary table function of one session, whose only argument is a message as the plugin gets it ([[ConnectMessage]])
  * and whose rows are those of the plan that the message asks for. The plan stands where the call stood: there is no
  * view, and no node around it.
  *
  * The session is the one in which Spark analyzes the call; nothing in the message names a session.
  */
private[connect] final class MessageFunction extends (Seq[Expression] => LogicalPlan) {

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
      SparkConnectBridge.withoutMarks(ConnectMessage.planOf(bytes, SparkConnectSessions.plannerOfCaller()))
    case _ => Message.refuse(s"is no argument of ${MessageFunction.Name}: it takes one binary literal")
  }
}

private[connect] object MessageFunction {

  /** Name of the function in a session. */
  val Name = "spark_windowing_message"
}
