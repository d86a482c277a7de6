package dev.sparkwindowing.spark.portable

import dev.sparkwindowing.declaration.Spec
import dev.sparkwindowing.spark.advice.Code
import dev.sparkwindowing.spark.exec.OperatorRows
import dev.sparkwindowing.spark.plan.{
  PhysicalOperator,
  PreAggregation,
  RealTimeMode,
  StartedWith,
  StatefulInput,
  WatermarkTiming,
  WindowNode
}
import org.apache.spark.sql.catalyst.plans.logical.{GlobalLimit, LogicalPlan}
import org.apache.spark.sql.execution.SparkPlan

/** The portable operator: Spark's public `flatMapGroupsWithState` around the work on a key, on streams alone.
  *
  * @param reason
  *   why it runs here
  */
private[spark] final class PortableOperator(reason: String) extends PhysicalOperator {

  def text: String = s"portable ($reason)"

  def refuse(node: WindowNode, query: LogicalPlan): Unit = {
    val stateful = query.collect {
      case limit: GlobalLimit if limit.isStreaming => limit
      case plan if StatefulInput.isStateful(plan)  => plan
    }
    if (stateful.size > 1)
      throw refusal(
        "a window with another stateful operator in the query (a window, an aggregation, a join of streams, deduplication, " +
          "a limit). Write the result of the first to a table and read that as a stream of a second query, with a watermark " +
          "of its own"
      )
    node.program.staggered.foreach { case (windows, _) =>
      throw refusal(
        s"${windows.assigner}, whose shift is drawn when the query starts. Take WindowStagger.ALIGNED, or shift the windows " +
          s"by an offset of your own, ${Code.named("offset", Code.text("15 seconds"))}"
      )
    }
    if (node.program.allowsStateChange)
      throw refusal(
        s"$Allow. Change the query back and take $Allow away, or start with a new checkpointLocation"
      )
    if (RealTimeMode.isIn(query)) throw refusal(s"real-time mode. Run it in micro-batches, ${Code.trigger("1 second")}")
    if (query.exists(_.isInstanceOf[StartedWith]))
      throw refusal(
        s"${Code.name("starting_with")}. Take it away, and have the stream begin early enough, as with Kafka's startingTimestamp"
      )
    timers(node)
    ()
  }

  def path(node: WindowNode): PreAggregation = PreAggregation.ofSession(node.program) match {
    case _: PreAggregation.Sessions =>
      PreAggregation.RowByRow("the portable operator tells no watermark to what runs before the exchange")
    case path => path
  }

  def timing(node: WindowNode, query: LogicalPlan): Option[WatermarkTiming] =
    if (WatermarkTiming.watermarks(query) == 0) None
    else Some(WatermarkTiming.NextBatch("the operator is the portable one"))

  def state(node: WindowNode): Option[String] = Some("a row for each key, since the operator is the portable one")

  def specified(node: WindowNode): Seq[(String, Spec)] = timers(node).specified

  def plan(node: WindowNode, planLater: LogicalPlan => SparkPlan): SparkPlan = {
    val rows = OperatorRows.of(node, path(node), planLater(node.child))
    rows.batch.watermark = Long.MinValue // what it aggregates before the exchange needs none
    PortablePlan.of(node, rows, timers(node), timing(node, _))(planLater)
  }

  private def Allow = Code.name("allow_state_change")

  private def timers(node: WindowNode): PortableTimers =
    PortableTimers.of(node).fold(both => throw refusal(both), identity)

  private def refusal(what: String): UnsupportedOperationException = new UnsupportedOperationException(
    s"the portable window operator cannot do this: $what. It runs here since $reason"
  )
}
