package dev.sparkwindowing.spark.plan

import org.apache.spark.sql.AnalysisException
import org.apache.spark.sql.catalyst.analysis.UnsupportedOperationChecker
import org.apache.spark.sql.catalyst.plans.logical._
import org.apache.spark.sql.internal.SQLConf
import org.apache.spark.sql.streaming.{GroupStateTimeout, OutputMode}

/** Refuses, when a streaming query starts, what must not stand before a window.
  *
  * Spark's own check knows its stateful operators by class and has no place for others. It visits each node of the plan
  * with functions of its own, so a [[WindowNode]] that is visited by such a function asks it about an operator of
  * Spark's in its place: that function alone knows the output mode of the query.
  */
private[spark] object StartCheck {

  /** @param visit
    *   what goes through the plan
    * @throws java.lang.IllegalArgumentException
    *   if it is Spark's check, and the session or the input of the node is not for windows
    */
  def visited(node: WindowNode, visit: LogicalPlan => Unit): Unit =
    if (visit.getClass.getName.startsWith(CheckName) && node.child.isStreaming) {
      SessionSettings.check(SQLConf.get)
      refuseOperators(node)
      try visit(Distinct(node.child))
      catch { case e: AnalysisException => throw refusal(node, e) }
    }

  private val CheckName = UnsupportedOperationChecker.getClass.getName

  /** Operators of Spark for state of users' own, in whatever mode the query runs: those whose rows replace earlier
    * ones, which would be counted beside them, and those that pass no watermark on.
    *
    * @throws java.lang.IllegalArgumentException
    *   if there is one in front of the node
    */
  def refuseOperators(node: WindowNode): Unit = node.child.foreach {
    case f: FlatMapGroupsWithState if f.isStreaming =>
      refuse(if (f.isMapGroupsWithState) "mapGroupsWithState" else "flatMapGroupsWithState", f.outputMode, f.timeout)
    case f: FlatMapGroupsInPandasWithState if f.isStreaming => refuse("applyInPandasWithState", f.outputMode, f.timeout)
    case _                                                  => ()
  }

  private def refuse(operator: String, mode: OutputMode, timeout: GroupStateTimeout): Unit = {
    if (timeout == GroupStateTimeout.EventTimeTimeout)
      throw new IllegalArgumentException(
        s"$operator with event-time timeout in front of a window: it tells no watermark to what stands behind it, so the " +
          "window could not fire. Use the timeout of processing time or none, keyBy(..).process(..) with event-time timers, " +
          "or write its result to a table and read that as a stream with withWatermark"
      )
    if (mode != OutputMode.Append())
      throw new IllegalArgumentException(
        s"$operator in update mode in front of a window: its results replace earlier ones, and the window would count " +
          "them all. Take flatMapGroupsWithState (Python: applyInPandasWithState) with output mode append"
      )
  }

  private def refusal(node: WindowNode, spark: AnalysisException): IllegalArgumentException = {
    val isAggregated = node.child.exists {
      case _: Aggregate | _: Distinct => true
      case _                          => false
    }
    new IllegalArgumentException(
      if (isAggregated) UpdatedAggregates else s"in front of a window: ${spark.getMessage}",
      spark
    )
  }

  /** Of an aggregation whose results come again when they change. */
  val UpdatedAggregates: String =
    "an aggregation (groupBy, SELECT DISTINCT) in front of a window in output mode update or complete: its results come again " +
      "whenever they change, and the window would count them several times. Start the query with " +
      "writeStream.outputMode(\"append\"), the aggregation then needs a watermark"
}
