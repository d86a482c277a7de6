package dev.sparkwindowing.spark.plan

import dev.sparkwindowing.spark.advice.Code
import org.apache.spark.sql.catalyst.plans.logical.{GlobalLimit, LogicalPlan}

/** Refusals, by name, of windows that the portable operator cannot run. */
private[sparkwindowing] object PortableRules {

  /** Refuses a window that the portable operator cannot run, if the session has that operator.
    *
    * @throws java.lang.UnsupportedOperationException
    *   with what it is and what to do
    */
  def refuse(node: WindowNode): Unit = if (node.child.isStreaming && OperatorChoice.ofSession.isPortable) {
    import node.program
    if (StatefulInput.isIn(node.child)) throw several
    program.staggered.foreach { case (windows, _) =>
      throw refusal(
        s"${windows.assigner}, whose shift is drawn when the query starts",
        "Take WindowStagger.ALIGNED, or shift the windows by an offset of your own, " +
          Code.named("offset", Code.text("15 seconds"))
      )
    }
    if (program.allowsStateChange)
      throw refusal(
        s"${Code.name("allow_state_change")}",
        s"Change the query back and take ${Code.name("allow_state_change")} away, or start with a new checkpointLocation"
      )
    PortableTimers.of(node)
    ()
  }

  /** Refuses a query whose window has another stateful operator anywhere beside it, if the session has the portable
    * operator.
    *
    * @throws java.lang.UnsupportedOperationException
    *   if there is one
    */
  def refuseOthers(query: LogicalPlan): Unit = {
    def isWindow(plan: LogicalPlan) = plan.isInstanceOf[WindowNode] && plan.isStreaming
    if (
      query.exists(isWindow) && OperatorChoice.ofSession.isPortable && query.collect {
        case limit: GlobalLimit if limit.isStreaming => limit
        case plan if StatefulInput.isStateful(plan)  => plan
      }.size > 1
    ) throw several
  }

  /** The error for something that only the native operator does. */
  def refusal(what: String, remedy: String): UnsupportedOperationException = new UnsupportedOperationException(
    s"the portable window operator cannot do this: $what. $remedy. It runs here since ${reason(OperatorChoice.ofSession)}"
  )

  private def several = refusal(
    "a window with another stateful operator in the query (a window, an aggregation, a join of streams, deduplication, a limit)",
    "Write the result of the first to a table and read that as a stream of a second query, with a watermark of its own"
  )

  private def reason(choice: OperatorChoice): String = choice match {
    case OperatorChoice.Portable(why) => why
    case other                        => other.text
  }
}
