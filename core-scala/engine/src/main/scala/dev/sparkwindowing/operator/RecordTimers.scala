package dev.sparkwindowing.operator

import dev.sparkwindowing.state.WindowRecord.{EventCleanup, EventEnd, ProcessingEnd}
import dev.sparkwindowing.state.{KeyState, Page, WindowRecord}

/** The usual timers of the windows of a key, which are bits of their records: at the end of a window and at its
  * clean-up. A page is read when one of its timers is due.
  */
private[operator] final class RecordTimers[C <: AnyRef](state: KeyState[C], ctx: WindowContext[C]) {

  private[this] def bits(isEventTimer: Boolean): Int = if (isEventTimer) EventEnd | EventCleanup else ProcessingEnd

  /** The earliest one, [[StateCell.NoTimer]] if there is none. */
  def earliest(isEventTimer: Boolean): Long = {
    val ends = if (isEventTimer) EventEnd else ProcessingEnd
    var next = StateCell.NoTimer
    var i    = 0
    while (i < state.size) {
      val r = state.recordIfRead(i)
      if (r == null) {
        val page = state.unreadPage(i)
        next = math.min(next, earliestOf(page, isEventTimer))
        i += page.count
      } else {
        if ((r.timers & ends) != 0) next = math.min(next, r.maxTimestamp)
        else if (isEventTimer && (r.timers & EventCleanup) != 0) next = math.min(next, ctx.cleanupTime(r))
        i += 1
      }
    }
    next
  }

  private[this] def earliestOf(page: Page, isEventTimer: Boolean): Long =
    if (!isEventTimer) page.least(ProcessingEnd)
    else if (page.timers(EventCleanup) == 0) page.least(EventEnd)
    else math.min(page.least(EventEnd), ctx.cleanupTime(page.least(EventCleanup)))

  def count(isEventTimer: Boolean): Int = {
    val mask = bits(isEventTimer)
    var n    = 0
    var i    = 0
    while (i < state.size) {
      val r = state.recordIfRead(i)
      if (r == null) {
        val page = state.unreadPage(i)
        n += (if (isEventTimer) page.timers(EventEnd) + page.timers(EventCleanup) else page.timers(ProcessingEnd))
        i += page.count
      } else {
        n += Integer.bitCount(r.timers & mask)
        i += 1
      }
    }
    n
  }

  /** Makes `ctx.due` of those up to `limit`. */
  def collectDue(isEventTimer: Boolean, limit: Long): Unit = {
    val mask = bits(isEventTimer)
    ctx.due.clear()
    var i = 0
    while (i < state.size) {
      val r = state.recordIfRead(i)
      if (r != null) {
        if ((r.timers & mask) != 0) addIfDue(r, r.timers & mask, limit)
        i += 1
      } else {
        val page = state.unreadPage(i)
        if (earliestOf(page, isEventTimer) > limit) i += page.count else state.record(i) // which reads the page
      }
    }
  }

  private[this] def addIfDue(r: WindowRecord[C], timers: Int, limit: Long): Unit = {
    if ((timers & EventCleanup) != 0 && ctx.cleanupTime(r) <= limit) ctx.due.add(ctx.cleanupTime(r), r.start, r.end)
    if ((timers & ~EventCleanup) != 0 && r.maxTimestamp <= limit) ctx.due.add(r.maxTimestamp, r.start, r.end)
  }

  /** Removes one that is due; the record of its window, null if it was deleted meanwhile. */
  def remove(isEventTimer: Boolean, time: Long, start: Long, end: Long): WindowRecord[C] = {
    val at = state.search(start, end)
    if (at < 0) null
    else {
      val r   = state.record(at)
      val bit =
        if (!isEventTimer) ProcessingEnd
        else if (time == r.maxTimestamp) EventEnd
        else EventCleanup
      val set = (r.timers & bit) != 0
      r.timers &= ~bit
      if (set) r else null
    }
  }
}
