package dev.sparkwindowing.spark.task

import dev.sparkwindowing.spark.aggregates.AggregateContents
import dev.sparkwindowing.windows.Millis
import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.expressions.UnsafeRow

import java.util
import scala.collection.mutable.ArrayBuffer

/** Rows of a key in one session, within an input partition, and their buffer.
  *
  * @param number
  *   the number of its first row
  */
private[sparkwindowing] final class LocalSession(
    val key: UnsafeRow,
    var start: Long,
    var end: Long,
    var number: Long,
    val buffer: InternalRow
) {
  var rows: Long         = 1L
  var isMerged: Boolean  = false
  var next: LocalSession = _

  def hasTime: Boolean = start != Long.MinValue

  def cover(start: Long, end: Long): Unit = {
    if (start < this.start) this.start = start
    if (end > this.end) this.end = end
  }
}

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
  * @param watermark
  *   the watermark that the operator uses to judge lateness, `Long.MinValue` for none
  */
private[sparkwindowing] final class LocalSessions(
    contents: AggregateContents,
    gap: Long,
    lateness: Long,
    watermark: Long
) {
  private[this] val openSessions = new util.HashMap[UnsafeRow, Open]
  private[this] val all          = new ArrayBuffer[LocalSession]
  private[this] var last: Open   = _

  /** All sessions that were not merged into another. */
  def sessions: Iterator[LocalSession] = all.iterator.filterNot(_.isMerged)

  def size: Int = all.size

  /** Removes all sessions. */
  def clear(): Unit = {
    openSessions.clear()
    all.clear()
    last = null
  }

  /** Sets the key of the rows that follow, which may be a reused buffer; returns the stored copy. */
  def open(key: UnsafeRow): UnsafeRow = {
    last = openSessions.get(key)
    if (last == null) {
      last = new Open(key.copy())
      openSessions.put(last.key, last)
    }
    last.key
  }

  /** @param row
    *   may be a reused buffer
    * @param time
    *   event time in milliseconds, `Long.MinValue` for none
    */
  def add(row: InternalRow, time: Long, number: Long): Unit =
    if (time == Long.MinValue) addWithoutTime(last, number)
    else if (Millis.cleanupOf(time + gap - 1, lateness) <= watermark) {
      last.first = null
      create(row, time, number)
    } else addToOpen(row, time, number)

  // The list begins with the latest session, and its sessions do not touch. Each is at least a gap long, so the row
  // meets at most two.
  private[this] def addToOpen(row: InternalRow, time: Long, number: Long): Unit = {
    val end                 = time + gap
    var later: LocalSession = null
    var s                   = last.first
    var steps               = 0
    while (s != null && s.start > end && steps < LocalSessions.MaxSteps) {
      later = s
      s = s.next
      steps += 1
    }
    if (steps == LocalSessions.MaxSteps) {
      last.first = null
      later = null
      s = null
    }
    if (s != null && s.end >= time) {
      contents.add(s.buffer, row)
      s.rows += 1
      s.cover(time, end)
      val earlier = s.next
      if (earlier != null && earlier.end >= s.start) join(later, s, earlier)
    } else {
      val created = create(row, time, number)
      created.next = s
      link(later, created)
    }
  }

  private[this] def join(later: LocalSession, s: LocalSession, earlier: LocalSession): Unit = {
    contents.merge(earlier.buffer, s.buffer)
    earlier.rows += s.rows
    earlier.number = math.min(earlier.number, s.number)
    earlier.cover(s.start, s.end)
    s.isMerged = true
    link(later, earlier)
  }

  private[this] def link(later: LocalSession, s: LocalSession): Unit =
    if (later == null) last.first = s else later.next = s

  private[this] def create(row: InternalRow, time: Long, number: Long): LocalSession = {
    val created = new LocalSession(last.key, time, time + gap, number, contents.add(contents.empty(), row))
    all += created
    created
  }

  // One for all rows of a key, with an empty buffer.
  private[this] def addWithoutTime(of: Open, number: Long): Unit =
    if (of.withoutTime == null) {
      of.withoutTime = new LocalSession(of.key, Long.MinValue, Long.MinValue, number, contents.empty())
      all += of.withoutTime
    } else of.withoutTime.rows += 1

  private final class Open(val key: UnsafeRow) {
    var first: LocalSession       = _
    var withoutTime: LocalSession = _
  }
}

private[sparkwindowing] object LocalSessions {

  /** Maximum number of later sessions of a key that are searched for a row; beyond it, all of them are left as they
    * are.
    */
  private val MaxSteps = 32
}
