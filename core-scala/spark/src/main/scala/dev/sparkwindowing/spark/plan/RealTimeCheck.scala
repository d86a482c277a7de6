package dev.sparkwindowing.spark.plan

import dev.sparkwindowing.spark.advice.{Code, Face}
import org.apache.spark.sql.catalyst.plans.logical.LogicalPlan
import org.apache.spark.sql.catalyst.rules.Rule
import org.apache.spark.sql.catalyst.streaming.WriteToStreamStatement

/** Refuses windows under the real-time trigger of Spark 4.1 and later when a query starts, unless the session allows
  * them ([[RealTimeMode]]). It usually runs before Spark's checks of that mode.
  */
private[sparkwindowing] object RealTimeCheck extends Rule[LogicalPlan] {

  override def apply(plan: LogicalPlan): LogicalPlan = {
    plan match {
      // On versions with the trigger the statement has it.
      case start: WriteToStreamStatement => start.productIterator.foreach(refuse(_, start.inputQuery))
      case _                             => ()
    }
    plan
  }

  /** @param trigger
    *   the trigger of a query; anything else is ignored
    * @throws java.lang.IllegalArgumentException
    *   if it is the real-time trigger, the query has windows on a stream, and the session does not allow that
    * @throws java.lang.UnsupportedOperationException
    *   if it does, for what windows cannot do there
    */
  def refuse(trigger: Any, query: LogicalPlan): Unit =
    if (isRealTime(trigger))
      query.collectFirst { case node: WindowNode if node.isStateful => node.program.face }.foreach {
        _.use {
          if (RealTimeMode.isAllowed) RealTimeRefusals.check(query)
          else
            throw new IllegalArgumentException(
              s"windows on a stream do not run in real-time mode, got $trigger by $RealTime, unless ${RealTimeMode.Setting} " +
                s"is true. Type ${Code.trigger("1 second")} in its place, or on Spark 4.3 " +
                s"""spark.conf.set("${RealTimeMode.Setting}", "true"), which is experimental"""
            )
        }
      }

  private val RealTime = Code {
    case Face.Scala => "Trigger.RealTime(..)"
    case _          => "trigger(realTime=..)"
  }

  // By name, since other versions of Spark do not have the class.
  private def isRealTime(trigger: Any): Boolean =
    Option(trigger).exists(_.getClass.getSimpleName == "RealTimeTrigger")
}
