package dev.sparkwindowing.lateness

import dev.sparkwindowing.spark.rows.RowsBehind
import dev.sparkwindowing.windows.Millis
import org.apache.spark.sql.streaming.StreamingQuery

import java.util.Locale
import scala.jdk.CollectionConverters._

/** Delays of a watermark and what they keep, measured on rows in the order in which they came, those of a table or
  * those that a query has taken. Its text is `toString`.
  *
  * @param rows
  *   all rows
  * @param unknown
  *   those without an event time or a time of arrival, which are not measured
  * @param behind
  *   those that came when one of a later time had come in an earlier micro-batch
  * @param delays
  *   from the longest to the shortest
  * @param buckets
  *   of a query: what its counts do not tell
  */
final case class Advice(
    rows: Long,
    unknown: Long,
    behind: Long,
    delays: Seq[Advice.Delay],
    buckets: Option[Advice.Buckets] = None
) {

  override def toString: String = {
    val others = if (unknown == 0) "" else s" Of $unknown more the event time or the arrival is not known."
    val in     = buckets.fold("")(of => s" in ${of.batches} micro-batches")
    val head   = s"Of ${rows - unknown} rows$in $behind came behind a later one.$others"
    (head +: (delays.map(line) ++ buckets.map(_.text))).mkString("\n")
  }

  private def line(of: Advice.Delay): String = {
    val longest = delays.head.delay
    val sooner  = if (of.delay == longest) "" else s", and results come ${Millis.show(longest - of.delay)} sooner"
    s"""A delay of ${Millis.show(of.delay)} keeps ${Advice.percent(of)}$sooner"""
  }
}

object Advice {

  /** @param delay
    *   milliseconds
    * @param late
    *   rows whose event time is before the watermark when they come: they are lost if their windows are over
    * @param kept
    *   the share of the other ones, from 0 to 1
    */
  final case class Delay(delay: Long, late: Long, kept: Double)

  /** Counts in buckets, in place of the lateness of each row. A delay is the upper bound of one: the shortest that
    * keeps as many rows is more than half of it, or, of the first one, 1 s, more than none.
    *
    * @param batches
    *   micro-batches that were measured
    * @param beyond
    *   rows later than the longest delay that is measured
    */
  final case class Buckets(batches: Int, beyond: Long) {
    private[Advice] def text: String = {
      val more = s"$beyond rows came more than ${Millis.show(RowsBehind.Bounds.last)} late, beyond what is measured. "
      (if (beyond == 0) ""
       else more) + "Rows are counted in buckets up to 1 s, 2 s, 4 s and so on, so that a delay of " +
        "a little more than half may keep as many"
    }
  }

  /** Shares of the rows that delays should keep, by default. */
  val Shares: Seq[Double] = Seq(0.9, 0.97, 0.99, 0.999, 1)

  /** Returns what delays would have kept of the rows that a query has taken: those of the micro-batches in its
    * `recentProgress`, the last 100 by default (`spark.sql.streaming.numRecentProgressUpdates`). It is advice: no delay
    * is changed.
    *
    * @param query
    *   with windows of the native operator and one watermark, running or ended
    * @param keep
    *   shares of the rows that delays should keep, from 0 to 1
    * @throws java.lang.IllegalArgumentException
    *   if it has measured no rows, or a share is not from 0 to 1
    */
  def of(query: StreamingQuery, keep: Seq[Double] = Shares): Advice = RunningLateness.advise(
    for (progress <- query.recentProgress.toSeq; operator <- progress.stateOperators)
      yield operator.customMetrics.asScala.map { case (name, n) => name -> n.longValue }.toMap,
    keep
  )

  private[lateness] def check(shares: Seq[Double]): Unit = {
    if (shares.isEmpty) throw new IllegalArgumentException("keep must be shares from 0 to 1, got none")
    shares.find(share => !(share >= 0 && share <= 1)).foreach { share =>
      throw new IllegalArgumentException(s"keep must be shares from 0 to 1, got $share")
    }
  }

  // Never more than it is: 99.96 % of the rows are not all of them.
  private def percent(of: Delay): String = {
    val percent = "%.2f".formatLocal(Locale.ROOT, math.floor(of.kept * 10000 + 1e-6) / 100)
    if (of.late == 0) "all rows" else s"$percent % of the rows, ${of.late} late"
  }
}
