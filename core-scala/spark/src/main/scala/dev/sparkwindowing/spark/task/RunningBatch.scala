package dev.sparkwindowing.spark.task

import dev.sparkwindowing.spark.checkpoint.StateChange

/** Values of a micro-batch that are known when its operator runs, not when it is planned. */
private[spark] final class RunningBatch extends Serializable {
  @volatile private var judging: Option[Long] = None

  /** On streams only. */
  @volatile var pool: Option[TaskPool.Operator] = None

  /** In the first micro-batch of a query that takes over the state of another. */
  @volatile var stateChange: Option[StateChange] = None

  /** The watermark that lateness is judged by.
    *
    * @throws java.lang.IllegalStateException
    *   before the operator has set it
    */
  def watermark: Long =
    judging.getOrElse(
      throw new IllegalStateException("the watermark of the micro-batch is read before the operator runs")
    )

  def watermark_=(value: Long): Unit = judging = Some(value)
}
