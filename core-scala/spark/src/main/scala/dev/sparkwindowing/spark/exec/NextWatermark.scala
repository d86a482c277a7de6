package dev.sparkwindowing.spark.exec

import dev.sparkwindowing.spark.metrics.InputTimes
import dev.sparkwindowing.spark.relocated.Relocated.EventTimeWatermarkExec
import dev.sparkwindowing.spark.task.StreamBatch
import org.apache.spark.sql.execution.SparkPlan
import org.apache.spark.sql.execution.exchange.Exchange

/** The watermark that Spark will set for the next micro-batch, for tasks that run after an exchange.
  *
  * Spark computes it from the event times that its watermark node has seen, when the micro-batch has ended. But an
  * exchange ends before the tasks after it are serialized, and then the node has seen all rows of the micro-batch. So
  * the value is read when this object is serialized. A task that runs again gets the same bytes, and a micro-batch that
  * runs again has the same rows.
  *
  * @param node
  *   the query's only watermark node, below the exchange; None if there is none
  * @param current
  *   Spark's watermark of this micro-batch in milliseconds, 0 before the first; in a task that of the next
  */
private[exec] final class NextWatermark(@transient node: Option[EventTimeWatermarkExec], current: Long)
    extends Serializable {

  /** On the driver: Spark's watermark of the next micro-batch, as far as its rows have been seen. */
  def observed: Long = node.fold(current) { n =>
    val times = n.eventTimeStats.value
    if (times.count > 0) math.max(current, times.max - n.delayMs) else current
  }

  /** In a task: the watermark of the next micro-batch, in the engine's terms. */
  def value: Long = StreamBatch.watermark(Some(current))

  // Called by Java's serialization.
  private def writeReplace(): AnyRef = new NextWatermark(None, observed)
}

private[exec] object NextWatermark {

  /** @param input
    *   the operator's input, below its exchange
    * @param query
    *   the whole plan of the running micro-batch
    */
  def of(input: SparkPlan, query: SparkPlan, current: Long): NextWatermark = {
    val node = watermarks(query) match {
      case Seq(only) => belowExchange(input).find(_ eq only)
      case _         => None
    }
    new NextWatermark(node, current)
  }

  /** The event times of each input with a watermark, in the order of the plan. */
  def inputs(plan: SparkPlan): Seq[InputTimes] = watermarks(plan).map { node =>
    def highest    = Some(node.eventTimeStats.value).filter(_.count > 0).map(_.max)
    def partitions = node.eventTimeStats match {
      case byPartition: PartitionStats => byPartition.byPartition
      case _                           => Map.empty[String, Long]
    }
    InputTimes(node.delayMs, () => highest, () => partitions)
  }

  private def watermarks(plan: SparkPlan): Seq[EventTimeWatermarkExec] = plan.collect {
    case w: EventTimeWatermarkExec =>
      w
  }

  private def belowExchange(plan: SparkPlan): Seq[EventTimeWatermarkExec] = plan match {
    case exchange: Exchange => watermarks(exchange)
    case other              => other.children.flatMap(belowExchange)
  }
}
