package dev.sparkwindowing.spark.task

import dev.sparkwindowing.spark.checkpoint.StateChange

/** Values of a micro-batch that are known when its operator runs, not when it is planned.
  *
  * `watermark` is the one that lateness is judged by; `pool` is set on streams only; `stateChange` is set in the first
  * micro-batch of a query that takes over the state of another.
  */
private[spark] final class RunningBatch extends Serializable {
  @volatile var watermark: Long                  = Long.MinValue
  @volatile var pool: Option[TaskPool.Operator]  = None
  @volatile var stateChange: Option[StateChange] = None
}
