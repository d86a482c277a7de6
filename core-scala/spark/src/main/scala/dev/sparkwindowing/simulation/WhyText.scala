package dev.sparkwindowing.simulation

import dev.sparkwindowing.windows.{GlobalWindow, TimeWindow, Window}
import org.apache.spark.sql.SparkSession
import org.apache.spark.sql.catalyst.util.DateTimeUtils

import java.time.format.DateTimeFormatter
import java.time.{Instant, ZoneId}

/** Times, windows and durations as texts. */
private[simulation] final class WhyText private (zone: ZoneId) {
  private[this] val seconds = DateTimeFormatter.ofPattern("yyyy-MM-dd HH:mm:ss")
  private[this] val millis  = DateTimeFormatter.ofPattern("yyyy-MM-dd HH:mm:ss.SSS")

  /** @param time milliseconds */
  def time(time: Long): String =
    if (time == Long.MaxValue) "the end of time"
    else (if (time % 1000 == 0) seconds else millis).format(Instant.ofEpochMilli(time).atZone(zone))

  def window(window: Window): String = window match {
    case TimeWindow(start, end) => s"[${time(start)}, ${time(end)})"
    case GlobalWindow           => "The global window"
  }

  /** As an argument, rounded up.
    *
    * @param time
    *   milliseconds
    */
  def duration(time: Long): String = {
    val seconds = Math.floorDiv(time + 999, 1000L)
    if (seconds == 1) "1 second" else s"$seconds seconds"
  }
}

private[simulation] object WhyText {

  /** Texts in the time zone of a session. */
  def in(session: SparkSession): WhyText =
    new WhyText(DateTimeUtils.getZoneId(session.conf.get("spark.sql.session.timeZone")))
}
