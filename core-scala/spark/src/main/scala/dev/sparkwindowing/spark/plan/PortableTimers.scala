package dev.sparkwindowing.spark.plan

import dev.sparkwindowing.assigners.GlobalWindows
import dev.sparkwindowing.functions.TimeDomain
import org.apache.spark.sql.catalyst.plans.logical.{EventTimeWatermark, LogicalPlan}
import org.apache.spark.sql.streaming.GroupStateTimeout

/** Clock of the timers that the portable operator has: Spark's `flatMapGroupsWithState` knows one for a query.
  *
  * @param text
  *   as in the specification of a checkpoint, since the state depends on it
  */
private[sparkwindowing] sealed abstract class PortableTimers(val text: String) extends Product with Serializable {
  def timeout: GroupStateTimeout
}

private[sparkwindowing] object PortableTimers {

  case object EventTime extends PortableTimers("timers of event time") {
    def timeout: GroupStateTimeout = GroupStateTimeout.EventTimeTimeout
  }

  /** Spark then runs micro-batches without end, so only what sets such timers gets it. */
  case object ProcessingTime extends PortableTimers("timers of processing time") {
    def timeout: GroupStateTimeout = GroupStateTimeout.ProcessingTimeTimeout
  }

  case object None extends PortableTimers("no timers") {
    def timeout: GroupStateTimeout = GroupStateTimeout.NoTimeout
  }

  /** The clock of a query.
    *
    * @throws java.lang.UnsupportedOperationException
    *   if it needs both
    */
  def of(node: WindowNode): PortableTimers = {
    import node.program
    of(program.rules, program.output.window, program.computation.setsTimers, hasWatermark(node.child))
  }

  /** @param hasWindows
    *   whether the rules are those of windows, not of a function without windows
    * @param functionSets
    *   whether the function has timers of a clock
    * @param hasWatermark
    *   whether there is a watermark, without which no event-time timer is ever due
    */
  def of(
      rules: WindowRules,
      hasWindows: Boolean,
      functionSets: TimeDomain => Boolean,
      hasWatermark: Boolean
  ): PortableTimers = {
    val ofWindows =
      if (!hasWindows || isGlobal(rules)) scala.None
      else Some(if (rules.assigner.isEventTime) TimeDomain.EventTime else TimeDomain.ProcessingTime)
    def sets(clock: TimeDomain) =
      ofWindows.contains(clock) || hasWindows && rules.trigger.setsTimers(clock) || functionSets(clock)
    val event      = sets(TimeDomain.EventTime)
    val processing = sets(TimeDomain.ProcessingTime)
    if (event && hasWatermark && processing) throw both(rules, ofWindows, functionSets)
    else if (processing) ProcessingTime
    else if (event) EventTime
    else None
  }

  private def isGlobal(rules: WindowRules): Boolean = (rules.assigner: Any).isInstanceOf[GlobalWindows]

  /** True if a stream has a watermark, also where a node of this library computes it. */
  def hasWatermark(plan: LogicalPlan): Boolean = plan.exists {
    case _: EventTimeWatermark | _: PartitionedWatermark => true
    case _                                               => false
  }

  private def both(
      rules: WindowRules,
      ofWindows: Option[TimeDomain],
      functionSets: TimeDomain => Boolean
  ): UnsupportedOperationException = {
    import TimeDomain.{EventTime => Event, ProcessingTime => Processing}
    val remedy = ofWindows match {
      case Some(Event) if functionSets(Processing) =>
        "Let the state expire by event time, ttl_clock=\"event_time\""
      case Some(Processing) if functionSets(Event) =>
        "Let the state expire by processing time, ttl_clock=\"processing_time\""
      case Some(Event) =>
        s"${rules.trigger} sets timers of processing time in windows of event time. Let it fire early by elements or " +
          "event time, AfterWatermark.of(early=CountTrigger.of(100)), AfterWatermark.of(early=\"micro-batch\"), " +
          "ContinuousEventTimeTrigger.of(\"1 minute\"), or take the windows of processing time"
      case Some(Processing) =>
        s"${rules.trigger} sets timers of event time in windows of processing time. Take ProcessingTimeTrigger, " +
          "ContinuousProcessingTimeTrigger or CountTrigger, or the windows of event time"
      case _ if functionSets(Event) && functionSets(Processing) =>
        "The function sets timers of event time and of processing time, or its state expires by another clock than its " +
          "timers: let it set those of one, with ttl_clock as that"
      case _ =>
        s"${rules.trigger} on the global window sets timers of event time and of processing time: take one of the two " +
          "triggers, or a count, e.g. CountTrigger.of(100)"
    }
    PortableRules.refusal("timers of event time and of processing time in one query", remedy)
  }
}
