package dev.sparkwindowing.operator

import dev.sparkwindowing.assigners.{EventTime, OverEventTimeWindows}
import dev.sparkwindowing.codec.CorruptBlockException
import dev.sparkwindowing.contents.{CopyableContents, ElementList, ListContents, TimestampContents, TimestampGroup}
import dev.sparkwindowing.pieces.PieceStore
import dev.sparkwindowing.state.{Page, WindowRecord}
import dev.sparkwindowing.windows.{Millis, TimeWindow, Window}

/** Operator for [[OverEventTimeWindows]]: one window for each element, of the elements up to it.
  *
  * Windows fire when the watermark reaches the time of their element, in order of event time and then of arrival. A
  * late element within the allowed lateness fires its own window and then again each window that has fired and contains
  * it, in the same order. So the last firing of each window does not depend on the order of arrival.
  *
  * In the block of a key the elements of one timestamp are one window, `[timestamp, timestamp + 1)`, whose bits are the
  * timers of firing and clean-up. It stays until no later element that is not late can contain it in its window. The
  * key then waits for no timer of its own: what is left over goes with the next timer of the key, at the latest with
  * the one that removes the last elements.
  *
  * @param lateness
  *   milliseconds that a window takes elements after the watermark has reached its last element
  */
final class OverOperator[E, C <: AnyRef, W <: AnyRef] private (
    windows: OverEventTimeWindows,
    lateness: Long,
    contents: TimestampContents[E, C],
    moving: MovingWindow[E, C, W],
    out: WindowOutput[E, W]
) extends KeyStateOperator[E, TimestampGroup[E, C]](contents) {
  import WindowRecord.{EventCleanup, EventEnd}

  private[this] val length     = windows.length
  private[this] val rows       = windows.rows
  private[this] val countsRows = windows.countsRows
  private[this] var watermark  = Long.MinValue
  private[this] val pane       = new PaneInfo

  // The window being processed and its element; null if there is none.
  private[this] var window: TimeWindow = _
  private[this] var element: E         = _

  // While the watermark advances: up to which time windows fire, the next record to fire, the first that does not, the
  // next to clean up, and whether there was any.
  private[this] var isAdvancing     = false
  private[this] var due             = 0L
  private[this] var firing          = 0
  private[this] var end             = 0
  private[this] var clean           = 0
  private[this] var hasChangedState = false

  // While windows fire: the first part of the current window, and the parts of the groups before the current one.
  private[this] var from   = 0
  private[this] var passed = 0

  override def firingElement: E = element

  /** Opens a key with its block, null if it has none.
    *
    * @throws dev.sparkwindowing.codec.CorruptBlockException
    *   if the block cannot be read, or another operator wrote it
    */
  override def open(block: Array[Byte], pieces: PieceStore): Unit = {
    window = null
    isAdvancing = false
    super.open(block, pieces)
    if (!state.eventTimers.isEmpty || !state.processingTimers.isEmpty)
      throw new CorruptBlockException("it holds windows, and this query keeps the elements of each timestamp")
  }

  def setWatermark(watermark: Long): Unit = this.watermark = watermark

  def currentWatermark: Long = watermark

  def processElement(element: E, timestamp: Long): Unit = {
    EventTime.require(timestamp)
    if (cleanupOf(timestamp) <= watermark)
      out.late(element, timestamp, if (countsRows) None else Some(windowOf(timestamp)))
    else {
      window = windowOf(timestamp)
      val at = positionOf(timestamp)
      val r  = state.record(at)
      r.keep(contents.add(if (r.hasContents) state.contentsOf(r) else contents.empty(), element, timestamp))
      state.changed = true
      if ((r.timers & EventEnd) == 0) fireLate(at)
      window = null
    }
  }

  // The record of a timestamp, which is inserted if there is none.
  private[this] def positionOf(timestamp: Long): Int = {
    val at = state.search(timestamp, timestamp + 1)
    if (at >= 0) at
    else {
      val r = state.insert(-at - 1, timestamp, timestamp + 1)
      r.timers = (if (timestamp > watermark) EventEnd else 0) | (if (lateness > 0) EventCleanup else 0)
      -at - 1
    }
  }

  // Fires the window of the last element of a record, and again the windows that contain it.
  private[this] def fireLate(at: Int): Unit = {
    val own = groupAt(at).count - 1
    val r   = state.record(at)
    pane.timing = PaneTiming.Late
    pane.isLast = false
    var end = at + 1
    if (countsRows) {
      var behind = 0L
      while (end < state.size && isFired(end) && behind < rows - 1) {
        behind += groupAt(end).count
        end += 1
      }
    } else {
      val last = Millis.cleanupOf(r.start, length)
      while (end < state.size && isFired(end) && state.record(end).start <= last) end += 1
    }
    beginFiring(at, end)
    var left = if (countsRows) rows else Long.MaxValue
    var i    = at
    while (i < end) {
      left -= fire(i, if (i == at && countsRows) own else 0, left)
      i += 1
    }
    endFiring()
  }

  private[this] def isFired(i: Int): Boolean = (state.record(i).timers & EventEnd) == 0

  def startWatermark(watermark: Long, dueUntil: Long): Unit = {
    this.watermark = watermark
    due = dueUntil
    firing = firstWith(EventEnd)
    end = firstAfter(firing, dueUntil)
    clean = firstWith(EventCleanup)
    isAdvancing = true
    hasChangedState = firing < end
    pane.timing = PaneTiming.OnTime
    pane.isLast = lateness == 0
    if (firing < end) beginFiring(firing, end)
  }

  // Fires and cleans up in order of time.
  def fireNext(): Boolean = isAdvancing && {
    val isLeft = firing < end || isDueForCleanup(clean, due)
    if (!isLeft) finish()
    else if (isDueForCleanup(clean, if (firing < end) state.record(firing).start else due)) {
      cleanUp(clean)
      hasChangedState = true
      clean += 1
    } else {
      val r = state.record(firing)
      fire(firing, 0, Long.MaxValue)
      r.timers &= ~EventEnd
      state.changed = true
      if (lateness == 0) cleanUp(firing)
      firing += 1
    }
    isLeft
  }

  private[this] def finish(): Unit = {
    isAdvancing = false
    endFiring()
    if (countsRows) { if (hasChangedState) removeBeforeLast() }
    else removeUntil(due)
    window = null
  }

  private[this] def isDueForCleanup(i: Int, limit: Long): Boolean =
    i < state.size && {
      val r = state.record(i)
      (r.timers & EventEnd) == 0 && cleanupOf(r.start) <= limit
    }

  // The windows of a record take no further element.
  private[this] def cleanUp(i: Int): Unit = {
    val r = state.record(i)
    r.timers &= ~EventCleanup
    state.changed = true
    if (countsRows) (0 until groupAt(i).count).foreach(n => clear(TimeWindow(startOf(i, n), r.end)))
    else clear(windowOf(r.start))
    if (contents.hasRemains) contents.dropRemains(state.contentsOf(r))
  }

  private[this] def clear(cleared: TimeWindow): Unit = {
    window = cleared
    out.cleared(cleared)
  }

  // Time of the first element of the window of an element, where rows are counted.
  private[this] def startOf(record: Int, element: Int): Long = state.record(back(record, rows - 1 - element)).start

  // The first of the records that hold the last `count` elements before a record.
  private[this] def back(record: Int, count: Long): Int = {
    var missing = count
    var i       = record
    while (i > 0 && missing > 0) {
      i -= 1
      missing -= groupAt(i).count
    }
    i
  }

  // Adds the elements of all windows of the records from `first` until `end` to the moving window.
  private[this] def beginFiring(first: Int, end: Int): Unit = {
    var low = first
    if (countsRows) low = back(first, rows - 1)
    else {
      val start = windowOf(state.record(first).start).start
      while (low > 0 && state.record(low - 1).start >= start) low -= 1
    }
    from = 0
    passed = 0
    var i = low
    while (i < end) {
      if (i == first) passed = moving.size
      moving.add(groupAt(i), state.record(i).start)
      i += 1
    }
  }

  private[this] def endFiring(): Unit = {
    moving.clear()
    element = null.asInstanceOf[E]
  }

  // Fires the windows of at most `most` elements of a record, in order; the number of them.
  private[this] def fire(i: Int, firstElement: Int, most: Long): Long = {
    val r     = state.record(i)
    val group = if (contents.countsFirings) state.contentsOf(r) else groupAt(i)
    val last  = math.min(group.count.toLong, firstElement + most).toInt
    if (countsRows) {
      var n = firstElement
      while (n < last) {
        val until = passed + n + 1
        from = math.max(from.toLong, until - rows).toInt
        fire(TimeWindow(moving.time(from), r.end), moving.contents(from, until), group, n)
        n += 1
      }
      passed += group.count
    } else {
      val whole = windowOf(r.start)
      while (moving.time(from) < whole.start) from += 1
      while (passed < moving.size && moving.time(passed) <= r.start) passed += 1
      val all = moving.contents(from, passed)
      (firstElement until last).foreach(fire(whole, all, group, _))
    }
    (last - firstElement).toLong
  }

  private[this] def fire(window: TimeWindow, all: W, group: TimestampGroup[E, C], n: Int): Unit = {
    this.window = window
    element = group.element(n)
    if (group.firings != null) {
      pane.number = group.firings(n)
      group.firings(n) += 1
      state.changed = true
    }
    out.fire(window, all, pane)
  }

  // Removes the elements that no window of an element to come contains.
  private[this] def removeUntil(time: Long): Unit = {
    var gone = 0
    while (gone < state.size && state.record(gone).timers == 0 && endOfUse(state.record(gone)) <= time) gone += 1
    if (gone > 0) {
      state.removeFirst(gone)
      state.changed = true
    }
  }

  // Of the elements whose windows are cleaned up, only the last ones are in the window of an element to come.
  private[this] def removeBeforeLast(): Unit = {
    var low  = firstWith(EventEnd | EventCleanup)
    var kept = 0L
    while (low > 0 && kept < rows - 1) {
      low -= 1
      kept += groupAt(low).count
    }
    state.removeFirst(low)
    val more = kept - (rows - 1)
    if (more > 0) state.contentsOf(state.record(0)).removeFirst(more.toInt)
  }

  private[this] def groupAt(i: Int): TimestampGroup[E, C] = state.lookAt(state.record(i))

  // The first record with one of these timers; they are set for all records after the first.
  private[this] def firstWith(timers: Int): Int = {
    var i = state.size
    var n = 1
    while (i > 0 && n > 0) {
      n = allWith(timers, i - 1)
      i -= n
    }
    i
  }

  // The number of records that end with this one and have one of the timers, as far as the table of pages says it: all
  // of a page, this one or none.
  private[this] def allWith(timers: Int, i: Int): Int = {
    val page = if (state.recordIfRead(i) == null) state.unreadPage(i) else null
    val most =
      if (page == null) -1 else math.max(countOf(page, timers & EventEnd), countOf(page, timers & EventCleanup))
    if (page != null && (most == 0 || most == page.count)) most
    else if ((state.record(i).timers & timers) != 0) 1
    else 0
  }

  private[this] def countOf(page: Page, timer: Int): Int = if (timer == 0) 0 else page.timers(timer)

  private[this] def firstAfter(from: Int, time: Long): Int = {
    var i = from
    while (i < state.size && state.record(i).start <= time) i += 1
    i
  }

  private[this] def windowOf(timestamp: Long): TimeWindow = {
    val start = timestamp - length
    TimeWindow(if (start <= timestamp) start else Long.MinValue + 1, timestamp + 1)
  }

  private[this] def cleanupOf(timestamp: Long): Long = Millis.cleanupOf(timestamp, lateness)

  private[this] def endOfUse(r: WindowRecord[_]): Long = Millis.cleanupOf(cleanupOf(r.start), length)

  /** The window that fires or is cleaned up, or that of the element being added. */
  protected def processedWindow: Option[Window] = Option(window)

  override def nextEventTimer: Long = {
    val firing = firstWith(EventEnd)
    val clean  = firstWith(EventCleanup)
    val next   = math.min(
      if (firing < state.size) state.record(firing).start else StateCell.NoTimer,
      if (clean < state.size) cleanupOf(state.record(clean).start) else StateCell.NoTimer
    )
    if (hasRemovalTimer) endOfUse(state.record(state.size - 1)) else next
  }

  /** One for each timestamp to fire and each to clean up, or the one that removes the last elements. */
  override def eventTimerCount: Int =
    if (hasRemovalTimer) 1 else state.size - firstWith(EventEnd) + state.size - firstWith(EventCleanup)

  // True if the elements only wait to be removed.
  private[this] def hasRemovalTimer: Boolean =
    !countsRows && state.size > 0 && state.record(state.size - 1).timers == 0
}

object OverOperator {

  /** Operator whose windows are merged. An element costs a constant number of merges, however long the windows are.
    *
    * @param contents
    *   merged in order of time
    * @param elements
    *   keeps the elements: of windows of a number of rows as long as a window can need them, of others until their
    *   windows are cleaned up, for `firingElement`. The former must be given
    */
  def merging[E, C <: AnyRef](
      windows: OverEventTimeWindows,
      lateness: Long,
      contents: CopyableContents[E, C],
      elements: Option[ListContents[E]],
      panes: Boolean,
      out: WindowOutput[E, C]
  ): OverOperator[E, C, C] = {
    val merged = if (windows.countsRows) None else Some(contents)
    val groups = new TimestampContents[E, C](merged, elements, panes && lateness > 0)
    new OverOperator(windows, lateness, groups, new MergedWindow[E, C](contents), out)
  }

  /** Operator whose windows are the list of their elements, in order of time and then of arrival. */
  def listing[E](
      windows: OverEventTimeWindows,
      lateness: Long,
      elements: ListContents[E],
      panes: Boolean,
      out: WindowOutput[E, ElementList[E]]
  ): OverOperator[E, AnyRef, ElementList[E]] = {
    val groups = new TimestampContents[E, AnyRef](None, Some(elements), panes && lateness > 0)
    new OverOperator(windows, lateness, groups, new ListedWindow[E](elements), out)
  }
}
