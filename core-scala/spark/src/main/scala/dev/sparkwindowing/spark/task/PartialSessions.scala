package dev.sparkwindowing.spark.task

import dev.sparkwindowing.spark.computations.PartialContents
import dev.sparkwindowing.windows.Millis
import org.apache.spark.sql.catalyst.InternalRow

/** Combines the rows of an input partition into sessions, before the exchange.
  *
  * The operator after the exchange takes the sessions in the order of their numbers, and its results must equal those
  * for single rows. Rows that are not late always find a session, so those of a key may be combined in any way. A row
  * whose own session is late is accepted only if it meets a session of earlier rows: it stays alone, and later rows are
  * not combined with rows before it.
  *
  * @param gap
  *   milliseconds
  * @param lateness
  *   the allowed lateness in milliseconds
  */
private[sparkwindowing] final class PartialSessions[C <: AnyRef](
    contents: PartialContents[C],
    gap: Long,
    lateness: Long
) extends PartialResults[C](contents) {
  private[this] var watermark = Long.MinValue

  def begin(watermark: Long): Unit = {
    clear()
    this.watermark = watermark
  }

  protected[this] def addTimed(row: InternalRow, time: Long, number: Long): Unit =
    if (Millis.cleanupOf(time + gap - 1, lateness) <= watermark) {
      last.first = null
      create(row, time, time, time + gap, number)
    } else addToOpen(row, time, number)

  // The list begins with the latest session, and its sessions do not touch. Each is at least a gap long, so the row
  // meets at most two.
  private[this] def addToOpen(row: InternalRow, time: Long, number: Long): Unit = {
    val end                     = time + gap
    var later: PartialResult[C] = null
    var s                       = last.first
    var steps                   = 0
    while (s != null && s.start > end && steps < PartialResults.MaxSteps) {
      later = s
      s = s.next
      steps += 1
    }
    if (steps == PartialResults.MaxSteps) {
      last.first = null
      later = null
      s = null
    }
    if (s != null && s.end >= time) {
      addTo(s, row, time)
      s.cover(time, end)
      val earlier = s.next
      if (earlier != null && earlier.end >= s.start) join(later, s, earlier)
    } else {
      val created = create(row, time, time, end, number)
      created.next = s
      link(later, created)
    }
  }

  private[this] def join(later: PartialResult[C], s: PartialResult[C], earlier: PartialResult[C]): Unit = {
    earlier.buffer = contents.merge(earlier.buffer, s.buffer)
    earlier.rows += s.rows
    earlier.number = math.min(earlier.number, s.number)
    earlier.cover(s.start, s.end)
    s.isMerged = true
    link(later, earlier)
  }

  private[this] def link(later: PartialResult[C], s: PartialResult[C]): Unit =
    if (later == null) last.first = s else later.next = s
}
