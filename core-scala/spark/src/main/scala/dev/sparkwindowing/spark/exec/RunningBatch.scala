package dev.sparkwindowing.spark.exec

import dev.sparkwindowing.spark.plan.StateChange

/** What is known of a micro-batch when its operator runs, and not yet when it is planned.
  *
  * `watermark` is the one that rows are judged against; there is a `pool` on streams only; there is a `stateChange` in
  * the first micro-batch of a query that takes over the state of another.
  */
private[spark] final class RunningBatch extends Serializable {
  @volatile var watermark: Long                  = Long.MinValue
  @volatile var pool: Option[TaskPool.Operator]  = None
  @volatile var stateChange: Option[StateChange] = None
}
