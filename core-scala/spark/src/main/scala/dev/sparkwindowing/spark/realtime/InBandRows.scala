package dev.sparkwindowing.spark.realtime

import dev.sparkwindowing.spark.plan.RealTimeMode
import org.apache.spark.sql.catalyst.InternalRow

import java.util

/** Rows of a source task, with its watermark between them: what it has told is what all rows before it have made.
  *
  * It tells when the greatest event time has risen, at most once an interval, and then without waiting for a row; when
  * it has become idle; and as a heartbeat, which says whether there were rows since the last telling.
  *
  * @param timeOrdinal
  *   position of the event time in milliseconds
  * @param delay
  *   of the watermark, in milliseconds; None without a watermark: then it tells that it is there
  * @param silence
  *   so far
  * @param clock
  *   milliseconds
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
  private[this] val ready   = new util.ArrayDeque[InternalRow]
  private[this] val pause   = math.max(1L, mode.interval)
  private[this] var highest = Long.MinValue
  private[this] var told    = Long.MinValue
  private[this] var toldAt  = clock()
  private[this] var nowIs   = toldAt
  private[this] var isIdle  = false
  private[this] var hasRows = false // since the last telling

  def hasNext: Boolean = {
    while (ready.isEmpty && !rows.isEnded) fill()
    !ready.isEmpty
  }

  def next(): InternalRow = {
    if (!hasNext) throw new NoSuchElementException
    ready.poll()
  }

  private[this] def fill(): Unit = {
    val most   = if (highest > told) math.max(0L, toldAt + mode.interval - nowIs) else pause
    val row    = rows.poll(most)
    val before = nowIs
    val now    = clock()
    nowIs = now
    if (row != null) take(row, now)
    else if (rows.isEnded) { if (highest > told) tell(now) }
    else wait(most, now - before, now)
  }

  private[this] def wait(asked: Long, passed: Long, now: Long): Unit = {
    silence.add(asked, passed)
    if (!isIdle && silence.isIdle(mode)) {
      isIdle = true
      tell(now)
    } else if (highest > told || now - toldAt >= heartbeat) tell(now)
  }

  private[this] def take(row: InternalRow, now: Long): Unit = {
    ready.add(row)
    silence.end()
    if (delay.nonEmpty && !row.isNullAt(timeOrdinal)) highest = math.max(highest, row.getLong(timeOrdinal))
    hasRows = true
    if (isIdle || highest > told && now - toldAt >= mode.interval || now - toldAt >= heartbeat) {
      isIdle = false
      tell(now)
    }
  }

  private[this] def tell(now: Long): Unit = {
    told = highest
    toldAt = now
    // The engine's watermark is the last time that may not come any more.
    val watermark =
      if (isIdle) InBandColumns.Idle
      else if (!hasRows) InBandColumns.Silent
      else if (highest == Long.MinValue) Long.MinValue
      else highest - delay.getOrElse(0L) - 1
    hasRows = false
    watermarks(watermark).foreach(ready.add)
  }
}
