package dev.sparkwindowing.spark.plan

import dev.sparkwindowing.spark.advice.Code
import org.apache.spark.sql.catalyst.plans.logical.LogicalPlan

/** Errors for results of windows that are taken as if they had another event time than they have. */
private[sparkwindowing] object TimelessResults {

  /** The remedy where an event time is needed and the rows are results without one; None if they are no such results.
    */
  def instead(plan: LogicalPlan): Option[String] = plan.collectFirst { case node: WindowNode => node }.collect {
    case node if node.program.output.time == ResultTime.NoEnd =>
      "the rows are results of the global window (count windows), which has no end, so they have no event time: take " +
        "processing-time or count windows for them, e.g. TumblingProcessingTimeWindows, or write them to a table and read " +
        "that as a stream with withWatermark"
    case node if needsWatermark(node) =>
      node.program.face.use {
        "the rows are results of process(..) on a stream without watermark, so they have none: put it on the input of " +
          s"process, ${Code.df.withWatermark("ts")} before its ${Code.name("key_by")}"
      }
  }

  private def needsWatermark(node: WindowNode): Boolean = node.program.output.time match {
    case ResultTime.Unknown              => true
    case ResultTime.OfCall(hasWatermark) => node.isStreaming && !hasWatermark
    case _                               => false
  }

  /** Error for Spark's `withWatermark` on the results of a node. */
  def secondWatermark(plan: LogicalPlan): IllegalArgumentException = {
    val carried = plan.collectFirst { case node: WindowNode => node }.flatMap(_.program.output.time.eventTime)
    val remedy  = instead(plan).orElse(
      carried.map(c => s"Take withWatermark away: the result carries its watermark already, in the column `$c`")
    )
    new IllegalArgumentException(
      "withWatermark on the result of a window: its watermark would never move and the query would put out nothing. " +
        remedy.getOrElse("Take withWatermark away")
    )
  }
}
