package dev.sparkwindowing.spark.plan

import dev.sparkwindowing.spark.advice.{Code, Face}
import org.apache.spark.sql.catalyst.plans.logical.LogicalPlan
import org.apache.spark.sql.catalyst.rules.Rule
import org.apache.spark.sql.catalyst.streaming.WriteToStreamStatement

/** Refuses windows under the real-time trigger of Spark 4.1 and later when a query starts.
  *
  * A window fires when all rows of a micro-batch have passed the exchange, and in real-time mode that is at the end of
  * a micro-batch of minutes. It usually runs before Spark's checks of that mode, whose errors suggest settings under
  * which results come that late.
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
    *   if it is the real-time trigger, and the query has windows on a stream
    */
  def refuse(trigger: Any, query: LogicalPlan): Unit =
    if (isRealTime(trigger))
      query.collectFirst { case node: WindowNode if node.isStateful => node.program.face }.foreach {
        _.use {
          throw new IllegalArgumentException(
            s"windows on a stream do not run in real-time mode, got $trigger by $RealTime: all results would come " +
              s"at the end of its long micro-batches. Type ${Code.trigger("1 second")} in its place"
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
