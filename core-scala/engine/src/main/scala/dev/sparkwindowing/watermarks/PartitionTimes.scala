package dev.sparkwindowing.watermarks

/** Highest event times of the partitions of one input, after a probe. Immutable.
  *
  * The input's event time is that of its slowest partition which is not idle, as Flink combines the splits of a source.
  * A partition counts from its first element on. The rules of idleness are those of [[Idleness]], with a probe for each
  * call of [[after]]. An idle partition counts again with its next element.
  *
  * @param partitions
  *   by the name of the partition
  */
final case class PartitionTimes(partitions: Map[String, PartitionTimes.Partition]) {
  import PartitionTimes._

  /** The times after the elements and the probe that follows them.
    *
    * @param highest
    *   the highest event time of each partition among the elements, `Long.MinValue` if they have none
    * @param now
    *   processing time of the probe in milliseconds
    * @param timeout
    *   milliseconds without elements after which a partition is idle; without it no partition becomes idle
    */
  def after(highest: Map[String, Long], now: Long, timeout: Option[Long]): PartitionTimes = {
    val quiet = partitions.collect {
      case (name, p) if !highest.contains(name) =>
        val since = p.quietSince.getOrElse(now)
        name -> p.copy(quietSince = Some(since), isIdle = p.isIdle || timeout.exists(now - since > _))
    }
    val heard = highest.map { case (name, time) =>
      name -> Partition(partitions.get(name).fold(time)(p => math.max(p.highest, time)), None, isIdle = false)
    }
    val all   = quiet ++ heard
    val least = slowestOf(all)
    // Idle partitions below the minimum are not stored: they change nothing, and short-lived names would accumulate.
    PartitionTimes(all.filterNot { case (_, p) => p.isIdle && least.exists(p.highest <= _) })
  }

  /** The highest event time of the slowest partition that is not idle; None if there is none. */
  def slowest: Option[Long] = slowestOf(partitions)
}

object PartitionTimes {

  private def slowestOf(partitions: Map[String, Partition]): Option[Long] =
    partitions.valuesIterator.filterNot(_.isIdle).map(_.highest).reduceOption(_ min _)

  /** Before the first element. */
  val Empty: PartitionTimes = PartitionTimes(Map.empty)

  /** @param highest
    *   the highest event time
    * @param quietSince
    *   the first probe without an element after its last one
    */
  final case class Partition(highest: Long, quietSince: Option[Long], isIdle: Boolean)
}
