package dev.sparkwindowing.lateness

import dev.sparkwindowing.windows.Millis

import java.util.Locale

/** Delays of a watermark and what they keep, measured on rows in the order in which they came. Its text is `toString`.
  *
  * @param rows
  *   all rows
  * @param unknown
  *   those without an event time or a time of arrival, which are not measured
  * @param behind
  *   those that came when one of a later time had come in an earlier micro-batch
  * @param delays
  *   from the longest to the shortest
  */
final case class Advice(rows: Long, unknown: Long, behind: Long, delays: Seq[Advice.Delay]) {

  override def toString: String = {
    val others = if (unknown == 0) "" else s" Of $unknown more the event time or the arrival is not known."
    val head   = s"Of ${rows - unknown} rows $behind came behind a later one.$others"
    (head +: delays.map(line)).mkString("\n")
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

  // Never more than it is: 99.96 % of the rows are not all of them.
  private def percent(of: Delay): String = {
    val percent = "%.2f".formatLocal(Locale.ROOT, math.floor(of.kept * 10000 + 1e-6) / 100)
    if (of.late == 0) "all rows" else s"$percent % of the rows, ${of.late} late"
  }
}
