package dev.sparkwindowing.spark.plan

import dev.sparkwindowing.operator.KeyedPlan
import dev.sparkwindowing.triggers.Trigger
import org.apache.spark.sql.catalyst.InternalRow

/** Refuses triggers that would never fire, or never stop firing. */
private[sparkwindowing] object EndlessTriggers {

  /** @throws java.lang.IllegalArgumentException
    *   for a trigger for the end of the input on a stream, or one that fires at intervals of event time up to the end
    *   of time. Checked when a query starts
    */
  def refuse(plan: KeyedPlan[InternalRow], isStreaming: Boolean): Unit = plan match {
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
}
