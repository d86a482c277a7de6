package dev.sparkwindowing.operator

import dev.sparkwindowing.contents.WindowContents
import dev.sparkwindowing.state.{KeyState, WindowRecord}
import dev.sparkwindowing.windows.{TimeWindow, Window}

/** Windows without elements of a key whose windows are in its state: the one timer that a silent key has.
  *
  * It is a timer at the last millisecond of the next window that may be without elements, (time, since, end), where
  * `since` is the end of the last window before it that had some. No other entry of the state's timers is at its
  * window's last millisecond, since such a timer is a bit of the window's record.
  *
  * From there each window is passed in order. One with a record had elements, or has fired without. After the last that
  * the rule covers, the next window with elements is looked up. A late element moves the timer back. With an allowed
  * lateness a window that has fired without elements keeps a record, until its clean-up.
  */
private[operator] final class Silence[E, C <: AnyRef](
    rule: EmptyWindows,
    state: KeyState[C],
    ctx: WindowContext[C],
    contents: WindowContents[E, C],
    out: WindowOutput[E, C],
    panes: Boolean
) {
  private[this] val grid = rule.grid

  // The timer; the time is StateCell.NoTimer if there is none.
  private[this] var time  = StateCell.NoTimer
  private[this] var since = 0L
  private[this] var end   = 0L

  // A window that elements were added to, and the end of the next.
  private[this] var before = Long.MinValue
  private[this] var after  = 0L

  /** Time after which no window without elements starts. */
  var lastTime: Long = Long.MaxValue

  /** The window that fires without elements, null if none does. */
  var firing: Window = _

  /** Called when a key was opened. */
  def open(): Unit = {
    firing = null
    time = StateCell.NoTimer
    val timers = state.eventTimers
    var i      = 0
    while (i < timers.size) {
      if (timers.time(i) == timers.end(i) - 1) {
        time = timers.time(i)
        since = timers.start(i)
        end = timers.end(i)
      }
      i += 1
    }
  }

  /** Sets the timer again, after all timers of the state were removed. */
  def restore(): Unit = if (time != StateCell.NoTimer) set(since, end)

  /** Called when an element was added to the window that ends at `windowEnd`, the newest of its windows. */
  def added(windowEnd: Long): Unit = {
    if (windowEnd != before) {
      before = windowEnd
      after = grid.nextEnd(windowEnd)
    }
    if (after - 1 <= time && (after - 1 < time || windowEnd != since) && rule.covers(windowEnd, after, lastTime)) {
      if (time != StateCell.NoTimer) state.eventTimers.remove(time, since, end)
      set(windowEnd, after)
    }
  }

  private[this] def set(since: Long, end: Long): Unit = {
    this.since = since
    this.end = end
    time = end - 1
    state.eventTimers.add(time, since, end)
    state.changed = true
  }

  /** Called by the timer, which was removed: fires the window if it has no record, and sets the next timer. An earlier
    * rule may have set it.
    *
    * @param pane
    *   with the timing of the firing
    */
  def fire(pane: PaneInfo): Unit = {
    time = StateCell.NoTimer
    val (windowEnd, start) = (end, grid.windowStart(end))
    val at                 = state.search(start, windowEnd)
    var until              = since
    if (at >= 0) { if (!state.record(at).isFilled) until = windowEnd }
    else if (rule.covers(since, windowEnd, lastTime)) fireEmpty(-at - 1, start, windowEnd, pane)
    val next = grid.nextEnd(windowEnd)
    if (rule.covers(until, next, lastTime)) set(until, next) else lookFrom(start, windowEnd)
  }

  private[this] def fireEmpty(at: Int, start: Long, end: Long, pane: PaneInfo): Unit = {
    val cleanup = ctx.cleanupTime(end - 1)
    firing = TimeWindow(start, end)
    pane.isEmpty = true
    pane.isLast = cleanup == end - 1
    pane.number = 0
    pane.hasFired = false
    pane.replaced = null
    pane.isReplacedShown = false
    pane.isRepeat = false
    out.fire(firing, contents.empty(), pane)
    if (cleanup <= ctx.eventDueLimit) out.cleared(firing) else keep(state.insert(at, start, end), cleanup)
    firing = null
  }

  // So that it fires as late for a late element, and only once without.
  private[this] def keep(r: WindowRecord[C], cleanup: Long): Unit = {
    r.isFilled = true
    if (panes) {
      r.firings = 1
      r.hasFired = true
    }
    ctx.record = r
    if (cleanup != Long.MaxValue) ctx.registerEventTimeTimer(cleanup)
  }

  // Sets the timer behind the next window with elements after one.
  private[this] def lookFrom(start: Long, end: Long): Unit = {
    val at = state.search(start, end)
    var i  = if (at >= 0) at + 1 else -at - 1
    while (i < state.size && state.record(i).isFilled) i += 1
    if (i < state.size) {
      val r    = state.record(i)
      val next = grid.nextEnd(r.end)
      if (rule.covers(r.end, next, lastTime)) set(r.end, next) else lookFrom(r.start, r.end)
    }
  }
}
