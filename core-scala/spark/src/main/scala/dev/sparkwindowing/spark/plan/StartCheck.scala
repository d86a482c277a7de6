package dev.sparkwindowing.spark.plan

import dev.sparkwindowing.spark.advice.Code
import org.apache.spark.sql.AnalysisException
import org.apache.spark.sql.catalyst.analysis.UnsupportedOperationChecker
import org.apache.spark.sql.catalyst.plans.logical._
import org.apache.spark.sql.internal.SQLConf
import org.apache.spark.sql.streaming.{GroupStateTimeout, OutputMode}

/** Refuses, when a streaming query starts, operators that must not stand before a window.
  *
  * Spark's own check knows its stateful operators by class and has no extension point. It visits each node of the plan
  * with functions of its own. A [[WindowNode]] visited by such a function passes it a Spark operator in its own place,
  * because only that function knows the output mode of the query.
  */
private[spark] object StartCheck {

  /** @param visit
    *   a visitor of the plan
    * @param operator
    *   what would run the node
    * @throws java.lang.IllegalArgumentException
    *   if it is Spark's check, and the session or the input of the node does not allow windows
    */
  def visited(node: WindowNode, visit: LogicalPlan => Unit, operator: => PhysicalOperator): Unit =
    if (visit.getClass.getName.startsWith(CheckName) && node.child.isStreaming) {
      SessionSettings.check(SQLConf.get)
      refuseOperators(node)
      node.program.face.use(operator.refuse(node, node))
      try visit(Distinct(node.child))
      catch { case e: AnalysisException => throw refusal(node, e) }
    }

  private val CheckName = UnsupportedOperationChecker.getClass.getName

  /** Refuses Spark's operators with user-defined state in any output mode of the query: those whose rows replace
    * earlier ones, which the window would count in addition, and those that pass no watermark on.
    *
    * @throws java.lang.IllegalArgumentException
    *   if there is one before the node
    */
  def refuseOperators(node: WindowNode): Unit = node.program.face.use(node.child.foreach {
    case f: FlatMapGroupsWithState if f.isStreaming =>
      val operator = if (f.isMapGroupsWithState) "mapGroupsWithState" else InScala
      refuse(operator, InScala, f.outputMode, f.timeout)
    case f: FlatMapGroupsInPandasWithState if f.isStreaming => refuse(InPandas, InPandas, f.outputMode, f.timeout)
    case _                                                  => ()
  })

  private val InScala  = "flatMapGroupsWithState"
  private val InPandas = "applyInPandasWithState"

  private def refuse(operator: String, instead: String, mode: OutputMode, timeout: GroupStateTimeout): Unit = {
    if (timeout == GroupStateTimeout.EventTimeTimeout)
      throw new IllegalArgumentException(
        s"$operator with event-time timeout in front of a window: it passes no watermark downstream, so the " +
          s"window could not fire. Use the timeout of processing time or none, ${Code.name("key_by")}(..).process(..) with " +
          "event-time timers, or write its result to a table and read that as a stream with withWatermark"
      )
    if (mode != OutputMode.Append())
      throw new IllegalArgumentException(
        s"$operator in update mode in front of a window: its results replace earlier ones, and the window would count " +
          s"them all. Take $instead with output mode append"
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

  /** Error for an aggregation that emits changed results again. */
  val UpdatedAggregates: String =
    "an aggregation (groupBy, SELECT DISTINCT) in front of a window in output mode update or complete: its results come again " +
      "whenever they change, and the window would count them several times. Start the query with " +
      "writeStream.outputMode(\"append\"), the aggregation then needs a watermark"
}
