package dev.sparkwindowing.spark.plan

import dev.sparkwindowing.operator.KeyedPlan
import dev.sparkwindowing.spark.advice.Code
import dev.sparkwindowing.triggers.{ContinuousProcessingTimeTrigger, ProcessingTimeTrigger, Trigger}
import org.apache.spark.sql.catalyst.InternalRow

/** Refuses triggers that would never fire, or never stop firing. */
private[sparkwindowing] object EndlessTriggers {

  /** @throws java.lang.IllegalArgumentException
    *   for a trigger for the end of the input on a stream, or one that fires at intervals of event time up to the end
    *   of time. Checked when a query starts
    */
  def refuse(plan: KeyedPlan[InternalRow], isStreaming: Boolean): Unit = plan match {
    case named: KeyedPlan.Sections[InternalRow]  => named.sections.foreach(s => refuse(s._2, isStreaming))
    case windows: KeyedPlan.Windows[InternalRow] =>
      windows.trigger.tree.foreach {
        case inner: Trigger[_] if isStreaming && inner.needsEndOfInput =>
          throw new IllegalArgumentException(
            s"$inner on a stream: a stream never ends, so it would never fire and the state would only grow. Take " +
              "another trigger, e.g. .trigger(CountTrigger.of(100)), or a static DataFrame"
          )
        case inner: Trigger[_] if !isStreaming && windows.clock.isEmpty && inner.firesToEndOfTime =>
          throw new IllegalArgumentException(
            s"$inner on the global window of a static DataFrame would fire without end: the watermark at its end is that " +
              "of all time. Take event-time windows, e.g. TumblingEventTimeWindows"
          )
        case _ => ()
      }
    case _ => ()
  }

  /** @throws java.lang.IllegalArgumentException
    *   for windows that fire by processing time alone, in a query that ends when its input is read: the clock starts no
    *   micro-batch there
    */
  def refuseClockAlone(plan: KeyedPlan[InternalRow]): Unit = plan match {
    case named: KeyedPlan.Sections[InternalRow] => named.sections.foreach(s => refuseClockAlone(s._2))
    case windows: KeyedPlan.Windows[InternalRow] if windows.trigger.tree.filter(_.children.isEmpty).forall(isClock) =>
      throw new IllegalArgumentException(
        s"${windows.trigger} of ${windows.assigner} fires by processing time alone, and a run of a pipeline ends when its " +
          "input is read: no micro-batch comes in which it could fire. Take windows of event time, e.g. " +
          s"${Code.name("sw.TumblingEventTimeWindows")}.of(..), or results with each run: " +
          s".trigger(${Code.name("sw.MicroBatchTrigger")}.create())"
      )
    case _ => ()
  }

  private def isClock(trigger: Any): Boolean = trigger match {
    case _: ProcessingTimeTrigger | _: ContinuousProcessingTimeTrigger => true
    case _                                                             => false
  }
}
