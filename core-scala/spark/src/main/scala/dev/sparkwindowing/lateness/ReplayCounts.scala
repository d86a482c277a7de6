package dev.sparkwindowing.lateness

import org.apache.spark.sql.catalyst.util.QuantileSummaries

/** Counts of a replay of some keys.
  *
  * @param batches
  *   number of micro-batches
  */
private[lateness] final class ReplayCounts(batches: Int) {
  import ReplayCounts._

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

  /** These counts in a form of Spark's own types: the driver may not find those of a jar that was added to a session.
    */
  def sent: Sent = (Array(rows, lost, untimed, windows, revised, revisions), states, first.compress(), last.compress())

  /** Adds those of other keys. */
  def add(other: Sent): Unit = {
    val (counts, grown, ofFirst, ofLast) = other
    rows += counts(0)
    lost += counts(1)
    untimed += counts(2)
    windows += counts(3)
    revised += counts(4)
    revisions += counts(5)
    first = first.compress().merge(ofFirst)
    last = last.compress().merge(ofLast)
    states.indices.foreach(i => states(i) += grown(i))
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

private[lateness] object ReplayCounts {

  /** Counts by place, growth of the state, waits for the first and the last firing. */
  type Sent = (Array[Long], Array[Long], QuantileSummaries, QuantileSummaries)

  private val Error = 0.001

  private def none = new QuantileSummaries(QuantileSummaries.defaultCompressThreshold, Error)
}
