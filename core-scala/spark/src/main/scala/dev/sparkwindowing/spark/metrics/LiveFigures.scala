package dev.sparkwindowing.spark.metrics

import scala.collection.mutable

/** Figures of the tasks of a long micro-batch in real-time mode while it runs, which executors tell with their
  * heartbeats.
  *
  * @param names
  *   of the operator's metrics, by the id of Spark's accumulator
  * @param watermark
  *   id of the accumulator with the watermark that a task has reached, in milliseconds; 0 before the first
  * @param partitions
  *   number of the tasks
  */
private[spark] final class LiveFigures(names: Map[Long, String], watermark: Long, partitions: Int) {
  private[this] val tasks = mutable.Map.empty[Long, Map[Long, Long]]

  /** Takes the accumulators of a task, which may be one of another operator. Those that are 0 may be left out.
    *
    * @return
    *   whether it is one of this operator
    */
  def update(task: Long, values: Map[Long, Long]): Boolean = {
    val own   = values.filter { case (id, _) => id == watermark || names.contains(id) }
    val isOwn = own.nonEmpty || tasks.contains(task)
    if (isOwn) tasks(task) = own
    isOwn
  }

  /** True if all tasks have told something. */
  def areAll: Boolean = tasks.size == partitions

  /** Sums over the tasks, by name. */
  def sums: Map[String, Long] = names.map { case (id, name) => name -> tasks.values.map(_.getOrElse(id, 0L)).sum }

  /** The watermark of the slowest task; None before the first, or before all have told something. */
  def reached: Option[Long] =
    if (!areAll) None else Some(tasks.values.map(_.getOrElse(watermark, 0L)).min).filter(_ > 0)
}
