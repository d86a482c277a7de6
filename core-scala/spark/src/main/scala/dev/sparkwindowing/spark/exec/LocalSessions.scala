package dev.sparkwindowing.spark.exec

import dev.sparkwindowing.spark.functions.AggregateContents
import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.expressions.UnsafeRow

import java.util
import scala.collection.mutable.ArrayBuffer

/** The rows of a key that share a session as far as an input partition knows, and their buffer.
  *
  * @param number
  *   that of its first row
  */
private[exec] final class LocalSession(
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

/** Puts the rows of an input partition together to sessions, before the exchange.
  *
  * The operator behind the exchange takes what comes out in the order of the numbers, and must see what it would see
  * with the rows themselves. Rows that are in time always find a session, so those of a key may be put together in any
  * way. A row that is late by itself is taken only if it meets a session that rows before it have made: it stays alone,
  * and ends what the rows before it may be put together with.
  *
  * @param gap
  *   milliseconds
  * @param watermark
  *   the one that the operator judges the rows against, `Long.MinValue` for none
  */
private[exec] final class LocalSessions(contents: AggregateContents, gap: Long, watermark: Long) {
  private[this] val openSessions = new util.HashMap[UnsafeRow, Open]
  private[this] val all          = new ArrayBuffer[LocalSession]
  private[this] var last: Open   = _

  /** All sessions. */
  def sessions: Iterator[LocalSession] = all.iterator.filterNot(_.isMerged)

  def size: Int = all.size

  /** Forgets all. */
  def clear(): Unit = {
    openSessions.clear()
    all.clear()
    last = null
  }

  /** The rows that follow are of this key, which may be a reused buffer; gives back the one that is kept. */
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
    else if (time + gap - 1 <= watermark) {
      last.first = null
      create(row, time, number)
    } else addToOpen(row, time, number)

  // The list begins with the latest session, and its sessions lie apart. Each is at least a gap long, so the row meets
  // two at most.
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

  // One for all of a key, with an empty buffer.
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

private[exec] object LocalSessions {

  /** How many sessions of a key a row may be behind; if it is more, all of them are left as they are. */
  private val MaxSteps = 32
}
