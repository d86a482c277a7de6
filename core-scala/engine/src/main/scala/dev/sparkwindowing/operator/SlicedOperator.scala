package dev.sparkwindowing.operator

import dev.sparkwindowing.assigners.EventTime
import dev.sparkwindowing.codec.CorruptBlockException
import dev.sparkwindowing.contents.CopyableContents
import dev.sparkwindowing.pieces.PieceStore
import dev.sparkwindowing.state.WindowRecord
import dev.sparkwindowing.windows.{SliceGrid, TimeWindow, Window}

/** Operator with the results of a [[WindowOperator]] for tumbling or sliding event-time windows under the event-time
  * trigger, without allowed lateness and evictor, for contents that merge in any order.
  *
  * Each element is stored once, in its slice, and a window is merged from its slices when it fires. So an element costs
  * the same whatever the size and the slide, and the state holds a slice in place of size / slide windows. Firings,
  * late elements and clean-ups of a key, and their order, are those of a [[WindowOperator]]. An element may be the
  * partial result of a slice, with the start of the slice as its time.
  *
  * In the block of a key each slice is a window without timers, and the next window to fire is the one event-time
  * timer. If that has no elements as yet and fires without, the timer starts at the end of the last window with some.
  * The host fires due windows before it passes elements.
  *
  * @param grid
  *   the slices of the windows, from their assigner
  * @param emptyWindows
  *   the rule of windows without elements, null if there are none
  */
final class SlicedOperator[E, C <: AnyRef](
    grid: SliceGrid,
    contents: CopyableContents[E, C],
    out: WindowOutput[E, C],
    emptyWindows: EmptyWindows = null
) extends KeyStateOperator[E, C](contents) {
  private[this] val merged    = new MergedSlices[E, C](state, contents, grid)
  private[this] var watermark = Long.MinValue
  // A window fires once, at its end, and so on time.
  private[this] val pane = new PaneInfo
  pane.isLast = true

  // The slice of the last element of any key, and its record in the open key if that was looked up.
  private[this] var sliceStart             = 0L
  private[this] var sliceEnd               = 0L
  private[this] var newestEnd              = 0L
  private[this] var slice: WindowRecord[C] = _

  // The firing window; null while elements are processed.
  private[this] var firing: TimeWindow = _
  // True while windows fire: the end of the next one, and the time up to which they do.
  private[this] var isFiring = false
  private[this] var nextEnd  = 0L
  private[this] var limit    = 0L
  // The end of the last window with elements, and the time after which no window without starts.
  private[this] var since    = 0L
  private[this] var lastTime = Long.MaxValue
  // True while an element is added to its slice.
  private[this] var adds = false

  /** Opens a key with its block, null if it has none.
    *
    * @throws dev.sparkwindowing.codec.CorruptBlockException
    *   if the block cannot be read, or a [[WindowOperator]] wrote it
    */
  override def open(block: Array[Byte], pieces: PieceStore): Unit = {
    slice = null
    firing = null
    isFiring = false
    adds = false
    super.open(block, pieces)
    if (state.eventTimers.size > 1 || state.eventTimers.isEmpty && state.size > 0)
      throw new CorruptBlockException("it holds windows, and this query keeps slices")
  }

  def setWatermark(watermark: Long): Unit = this.watermark = watermark

  def currentWatermark: Long = watermark

  override def fillUpTo(lastTime: Long): Unit = this.lastTime = lastTime

  def processElement(element: E, timestamp: Long): Unit = {
    EventTime.require(timestamp)
    if (timestamp < sliceStart || timestamp >= sliceEnd) findSlice(timestamp)
    if (newestEnd - 1 <= watermark) out.late(element, timestamp, Some(newestWindow))
    else {
      adds = true
      if (slice == null) slice = recordOfSlice()
      slice.keep(contents.add(if (slice.hasContents) state.contentsOf(slice) else contents.empty(), element, timestamp))
      state.changed = true
      adds = false
    }
  }

  /** The firing window, or the newest of the windows that an element is added to. */
  protected def processedWindow: Option[Window] = if (adds) Some(newestWindow) else Option(firing)

  private[this] def newestWindow = TimeWindow(grid.windowStart(newestEnd), newestEnd)

  private[this] def findSlice(timestamp: Long): Unit = {
    newestEnd = grid.newestEnd(timestamp)
    sliceStart = grid.sliceStart(timestamp)
    sliceEnd = grid.sliceEnd(timestamp)
    slice = null
  }

  // The timer of an existing slice is set.
  private[this] def recordOfSlice(): WindowRecord[C] = {
    val at = state.search(sliceStart, sliceEnd)
    if (at >= 0) state.record(at)
    else {
      val end = grid.oldestEnd(math.max(sliceStart, watermark + 1))
      setTimer(grid.windowStart(end), end)
      state.insert(-at - 1, sliceStart, sliceEnd)
    }
  }

  // Sets the timer of the window that ends at `end`, unless an earlier one is set.
  private[this] def setTimer(since: Long, end: Long): Unit = {
    val timers = state.eventTimers
    if (timers.isEmpty || end - 1 < timers.headTime) {
      timers.clear()
      timers.add(end - 1, since, end)
    }
  }

  def startWatermark(watermark: Long, dueUntil: Long): Unit = {
    this.watermark = watermark
    limit = dueUntil
    isFiring = nextEventTimer <= dueUntil && !state.eventTimers.isEmpty
    if (isFiring) {
      nextEnd = state.eventTimers.headEnd
      since = state.eventTimers.headStart
      state.changed = true
      state.eventTimers.clear()
      // Its record may be among those removed.
      slice = null
      merged.begin(dueUntil)
    }
  }

  def fireNext(): Boolean = isFiring && {
    val end     = nextEnd
    val isEmpty = !merged.has(end)
    if (!isEmpty) since = end
    // The timer may be that of an earlier rule.
    if (!isEmpty || emptyWindows != null && emptyWindows.covers(since, end, lastTime)) {
      firing = TimeWindow(grid.windowStart(end), end)
      pane.isEmpty = isEmpty
      out.fire(firing, if (isEmpty) contents.empty() else merged.contentsUntil(end), pane)
      out.cleared(firing)
    }
    val withElements = merged.endAfter(end)
    nextEnd = if (emptyWindows == null) withElements else endAfter(end, withElements)
    if (nextEnd == StateCell.NoTimer || nextEnd - 1 > limit) {
      val ofNext = if (nextEnd == withElements && nextEnd != StateCell.NoTimer) grid.windowStart(nextEnd) else since
      finish(end, ofNext)
    }
    true
  }

  private[this] def endAfter(end: Long, withElements: Long): Long = {
    val next = grid.nextEnd(end)
    if (emptyWindows.covers(since, next, lastTime)) next else withElements
  }

  private[this] def finish(last: Long, since: Long): Unit = {
    merged.finish(last)
    firing = null
    isFiring = false
    if (nextEnd != StateCell.NoTimer) setTimer(since, nextEnd)
  }
}
