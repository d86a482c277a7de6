package dev.sparkwindowing.spark.plan

import dev.sparkwindowing.spark.relocated.Relocated
import org.apache.spark.sql.catalyst.plans.logical.{EventTimeWatermark, LogicalPlan}

/** The micro-batch in which windows fire: the one whose rows move the watermark past their end, or the next one. The
  * rows of the results are the same.
  */
private[sparkwindowing] sealed trait WatermarkTiming {

  /** Name in checkpoints, which never changes. */
  def code: String

  /** Description, with the reason if it is the next micro-batch. */
  def text: String
}

private[sparkwindowing] object WatermarkTiming {

  /** Setting for firing in the same micro-batch. */
  val Setting = "spark.windowing.watermarkInBatch"

  /** Windows fire in the micro-batch whose rows complete them. */
  case object SameBatch extends WatermarkTiming {
    def code: String = "same micro-batch"
    def text: String = "in the micro-batch whose rows complete the window"
  }

  /** Windows fire in the micro-batch after it, as Spark's own do. */
  final case class NextBatch(reason: String) extends WatermarkTiming {
    def code: String = "next micro-batch"
    def text: String = s"in the micro-batch after the rows that complete the window, since $reason"
  }

  /** The timing of the native operator in the active session; None without a watermark, and on a static DataFrame.
    *
    * @param query
    *   the plan of the whole query, as far as it is known
    * @throws java.lang.IllegalArgumentException
    *   if the setting is neither true nor false
    */
  def of(node: WindowNode, query: LogicalPlan): Option[WatermarkTiming] = {
    val count = watermarks(query)
    if (!node.child.isStreaming || count == 0) None
    else if (!SessionSettings.flag(Setting)) Some(NextBatch(s"$Setting is false"))
    else if (StatefulInput.isIn(node.child)) Some(NextBatch("the rows come from another stateful operator"))
    else if (count > 1) Some(NextBatch(s"the query has $count watermarks"))
    else Some(SameBatch)
  }

  /** Number of watermarks in a query, as it is written or optimized. */
  def watermarks(query: LogicalPlan): Int = {
    val all = query.collect {
      case w: EventTimeWatermark   => Relocated.watermarkId(w)
      case PartitionedWatermark(w) => Relocated.watermarkId(w)
      case RealTimeWatermark(w)    => Relocated.watermarkId(w)
    }
    all.distinct.size
  }
}
