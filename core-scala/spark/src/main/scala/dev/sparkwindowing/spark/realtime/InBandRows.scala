package dev.sparkwindowing.spark.realtime

import dev.sparkwindowing.spark.plan.RealTimeMode
import org.apache.spark.sql.catalyst.InternalRow

import java.util

/** Rows of a source task, with its watermark between them: what it has told is what all rows before it have made.
  *
  * It tells when the greatest event time has risen, at most once an interval, and then without waiting for a row; when
  * it has waited for too long; and as a heartbeat, with the time for which it has waited if there were no rows.
  *
  * @param timeOrdinal
  *   position of the event time in milliseconds
  * @param delay
  *   of the watermark, in milliseconds; None without a watermark: then it tells that it is there
  * @param silence
  *   of the task in this micro-batch
  * @param clock
  *   milliseconds, which are never set back
  */
private[spark] final class InBandRows(
    rows: PolledRows,
    watermarks: InBandColumns#Watermarks,
    timeOrdinal: Int,
    delay: Option[Long],
    mode: RealTimeMode,
    heartbeat: Long,
    silence: SourceSilence,
    clock: () => Long
) extends Iterator[InternalRow] {
  private[this] val ready       = new util.ArrayDeque[InternalRow]
  private[this] val pause       = math.min(math.max(1L, mode.interval), SourceSilence.LongestStep)
  private[this] var highest     = Long.MinValue
  private[this] var told        = Long.MinValue
  private[this] var toldAt      = clock()
  private[this] var nowIs       = toldAt
  private[this] var hasRows     = false // since the last telling
  private[this] var hasTimedOut = false // and has told so

  def hasNext: Boolean = {
    while (ready.isEmpty && !rows.isEnded) fill()
    !ready.isEmpty
  }

  def next(): InternalRow = {
    if (!hasNext) throw new NoSuchElementException
    ready.poll()
  }

  private[this] def fill(): Unit = {
    val row    = rows.poll(if (highest > told) math.min(pause, math.max(0L, toldAt + mode.interval - nowIs)) else pause)
    val before = nowIs
    val now    = clock()
    nowIs = now
    if (row != null) take(row, now)
    else if (rows.isEnded) { if (highest > told || !hasRows) tell(now) }
    else {
      silence.add(now - before)
      if (highest > told || now - toldAt >= heartbeat || !hasTimedOut && silence.isOver(mode)) tell(now)
    }
  }

  private[this] def take(row: InternalRow, now: Long): Unit = {
    ready.add(row)
    silence.end()
    if (delay.nonEmpty && !row.isNullAt(timeOrdinal)) highest = math.max(highest, row.getLong(timeOrdinal))
    hasRows = true
    if (hasTimedOut || highest > told && now - toldAt >= mode.interval || now - toldAt >= heartbeat) {
      hasTimedOut = false
      tell(now)
    }
  }

  private[this] def tell(now: Long): Unit = {
    told = highest
    toldAt = now
    if (!hasRows) hasTimedOut = silence.isOver(mode)
    // The engine's watermark is the last time that may not come any more.
    val watermark =
      if (!hasRows) silence.tell()
      else if (highest == Long.MinValue) Long.MinValue
      else highest - delay.getOrElse(0L) - 1
    hasRows = false
    watermarks(watermark).foreach(ready.add)
  }
}
