package dev.sparkwindowing.lateness

import org.apache.spark.sql.catalyst.util.QuantileSummaries

/** What is counted in a replay of some keys.
  *
  * @param batches
  *   number of micro-batches
  */
private[lateness] final class ReplayCounts(batches: Int) extends Serializable {
  import ReplayCounts.none

  var rows              = 0L
  var lost              = 0L
  var untimed           = 0L
  private var windows   = 0L
  private var revised   = 0L
  private var revisions = 0L
  private var first     = none
  private var last      = none

  /** By how many bytes the state grows in each micro-batch. */
  val states: Array[Long] = new Array[Long](batches)

  /** A window that fired so many times, and the milliseconds from its end to the first and the last firing. */
  def window(firings: Int, first: Long, last: Long): Unit = {
    windows += 1
    if (firings > 1) revised += 1
    revisions += firings - 1
    this.first = this.first.insert(first.toDouble)
    this.last = this.last.insert(last.toDouble)
  }

  /** Adds those of other keys. */
  def add(other: ReplayCounts): Unit = {
    rows += other.rows
    lost += other.lost
    untimed += other.untimed
    windows += other.windows
    revised += other.revised
    revisions += other.revisions
    first = first.compress().merge(other.first.compress())
    last = last.compress().merge(other.last.compress())
    states.indices.foreach(i => states(i) += other.states(i))
  }

  def outcome(delay: Long, hasTimes: Boolean): Outcome = Outcome(
    delay,
    rows,
    lost,
    untimed,
    windows,
    revised,
    revisions,
    if (hasTimes) waits(first) else None,
    if (hasTimes) waits(last) else None,
    states.scanLeft(0L)(_ + _).max
  )

  private def waits(of: QuantileSummaries): Option[Outcome.Waits] = {
    val all = of.compress()
    for (p50 <- all.query(0.5); p99 <- all.query(0.99)) yield Outcome.Waits(p50.toLong, p99.toLong)
  }
}

private object ReplayCounts {
  private val Error = 0.001

  private def none = new QuantileSummaries(QuantileSummaries.defaultCompressThreshold, Error)
}
