package dev.sparkwindowing.spark.plan

import org.apache.spark.sql.catalyst.plans.logical.{LogicalPlan, UnaryNode}

/** Rows of a table that a query takes as if they stood before a stream.
  *
  * @param rows
  *   its plan, with the columns of the stream
  * @param emit
  *   whether windows that they complete are results
  */
private[sparkwindowing] final class History(val rows: LogicalPlan, val emit: Boolean)

/** A stream in a query that starts with the state of a history. It is planned as its child: before the first
  * micro-batch another query takes the history in its place.
  */
private[sparkwindowing] final case class StartedWith(child: LogicalPlan, history: History) extends UnaryNode {
  override def output                                                             = child.output
  override protected def withNewChildInternal(newChild: LogicalPlan): StartedWith = copy(child = newChild)
  override def simpleString(maxFields: Int): String                               = "StartedWith a history"
}
