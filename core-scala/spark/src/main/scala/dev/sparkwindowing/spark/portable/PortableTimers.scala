package dev.sparkwindowing.spark.portable

import dev.sparkwindowing.declaration.Spec
import dev.sparkwindowing.functions.TimeDomain
import dev.sparkwindowing.operator.KeyedPlan
import dev.sparkwindowing.spark.advice.Code
import dev.sparkwindowing.spark.checkpoint.Specification
import dev.sparkwindowing.spark.links.OperatorSetting
import dev.sparkwindowing.spark.plan.{PartitionedWatermark, WindowNode}
import org.apache.spark.sql.catalyst.plans.logical.{EventTimeWatermark, LogicalPlan}
import org.apache.spark.sql.streaming.GroupStateTimeout

/** Clock of the timers that the portable operator has: Spark's `flatMapGroupsWithState` knows one for a query.
  *
  * @param code
  *   name in checkpoints, which never changes
  */
private[spark] sealed abstract class PortableTimers(val code: String, val timeout: GroupStateTimeout)
    extends Product
    with Serializable {

  /** Description, for errors. */
  def text: String = s"timers of $code"

  /** Fields of the operator in the specification. */
  def specified: Seq[(String, Spec)] =
    Seq(Specification.Operator -> Spec.Text(OperatorSetting.Portable), "timers" -> Spec.Text(code))
}

private[spark] object PortableTimers {

  case object EventTime extends PortableTimers("event time", GroupStateTimeout.EventTimeTimeout)

  /** Spark then runs micro-batches without end, so only what sets such timers gets it. */
  case object ProcessingTime extends PortableTimers("processing time", GroupStateTimeout.ProcessingTimeTimeout)

  case object None extends PortableTimers("none", GroupStateTimeout.NoTimeout) {
    override def text: String = "no timers"
  }

  /** The clock of a query; if it needs both, what to do. */
  def of(node: WindowNode): Either[String, PortableTimers] =
    of(node.program.plan, node.program.computation.setsTimers, hasWatermark(node.child))

  /** @param functionSets
    *   whether the function has timers of a clock
    * @param hasWatermark
    *   whether there is a watermark, without which no event-time timer is ever due
    */
  def of(
      plan: KeyedPlan[_],
      functionSets: TimeDomain => Boolean,
      hasWatermark: Boolean
  ): Either[String, PortableTimers] = {
    def sets(clock: TimeDomain) = plan.setsTimers(clock) || functionSets(clock)
    val event                   = sets(TimeDomain.EventTime)
    val processing              = sets(TimeDomain.ProcessingTime)
    if (event && hasWatermark && processing) Left(both(plan, functionSets))
    else Right(if (processing) ProcessingTime else if (event) EventTime else None)
  }

  /** True if a stream has a watermark, also where a node of this library computes it. */
  def hasWatermark(plan: LogicalPlan): Boolean = plan.exists {
    case _: EventTimeWatermark | _: PartitionedWatermark => true
    case _                                               => false
  }

  private def early(fires: Any) = s"AfterWatermark.of(${Code.named("early", fires)})"

  private def both(plan: KeyedPlan[_], functionSets: TimeDomain => Boolean): String = {
    import TimeDomain.{EventTime => Event, ProcessingTime => Processing}
    def trigger = plan match {
      case windows: KeyedPlan.Windowed[_] => windows.trigger.toString
      case _                              => "a trigger"
    }
    val remedy = plan.clock match {
      case Some(Event) if functionSets(Processing) =>
        "Let the state expire by event time, " + Code.named("ttl_clock", Code.text("event_time"))
      case Some(Processing) if functionSets(Event) =>
        "Let the state expire by processing time, " + Code.named("ttl_clock", Code.text("processing_time"))
      case Some(Event) =>
        s"$trigger sets timers of processing time in windows of event time. Let it fire early by elements or " +
          s"event time, ${early("CountTrigger.of(100)")}, ${early(Code.text("micro-batch"))}, " +
          "ContinuousEventTimeTrigger.of(\"1 minute\"), or take the windows of processing time"
      case Some(Processing) =>
        s"$trigger sets timers of event time in windows of processing time. Take ProcessingTimeTrigger, " +
          "ContinuousProcessingTimeTrigger or CountTrigger, or the windows of event time"
      case _ if functionSets(Event) && functionSets(Processing) =>
        "The function sets timers of event time and of processing time, or its state expires by another clock than its " +
          s"timers: let it set those of one, with ${Code.name("ttl_clock")} as that"
      case _ =>
        s"$trigger on the global window sets timers of event time and of processing time: take one of the two " +
          "triggers, or a count, e.g. CountTrigger.of(100)"
    }
    s"timers of event time and of processing time in one query. $remedy"
  }
}
