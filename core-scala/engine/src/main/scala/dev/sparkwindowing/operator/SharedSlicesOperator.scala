package dev.sparkwindowing.operator

import dev.sparkwindowing.assigners.EventTime
import dev.sparkwindowing.codec.CorruptBlockException
import dev.sparkwindowing.contents.CopyableContents
import dev.sparkwindowing.pieces.PieceStore
import dev.sparkwindowing.state.WindowRecord
import dev.sparkwindowing.windows.{RefinedSlices, SliceGrid, TimeWindow, Window}

/** Operator for windows of several grids under the event-time trigger, without allowed lateness and evictor, for
  * contents that merge in any order. The results of each grid are those of a [[SlicedOperator]] with that grid alone.
  *
  * Each element is stored once, in its slice of the time line, and a window of each grid is merged from its slices when
  * it fires. Windows fire in the order of their ends, those with one end in the order of the grids. An element that is
  * late for the windows of some grids is late for these and in those of the others.
  *
  * After the firings neighbouring slices become one where no window that has yet to fire starts or ends between them,
  * and those that no such window needs are removed. So the state holds no more than a slice for each open window and
  * the elements of the slice in progress.
  *
  * In the block of a key each slice is a window without timers, and the next window to fire is the one event-time
  * timer. The host fires due windows before it passes elements.
  *
  * @param all
  *   the grids of the windows, from their assigners
  * @param outputs
  *   one for each grid
  */
final class SharedSlicesOperator[E, C <: AnyRef](
    all: Seq[SliceGrid],
    contents: CopyableContents[E, C],
    outputs: Seq[WindowOutput[E, C]]
) extends KeyStateOperator[E, C](contents) {
  private[this] val grids     = all.toArray
  private[this] val outs      = outputs.toArray
  private[this] val cuts      = RefinedSlices(all).needed
  private[this] val merged    = grids.map(new MergedSlices[E, C](state, contents, _, isShared = true))
  private[this] var watermark = Long.MinValue
  // A window fires once, at its end, and so on time.
  private[this] val pane = new PaneInfo
  pane.isLast = true

  // The cut of the time line with the last element of any key, the ends of its last windows and the latest of these, and
  // its record in the open key if that was looked up.
  private[this] var cutStart               = 0L
  private[this] var cutEnd                 = 0L
  private[this] val newestEnds             = new Array[Long](grids.length)
  private[this] var earliestNewest         = 0L
  private[this] var newest                 = 0
  private[this] var slice: WindowRecord[C] = _

  // The firing window; null while elements are processed.
  private[this] var firing: TimeWindow = _
  // True while windows fire: the next end of each grid, the grid of the earliest, and the time up to which they do.
  private[this] var isFiring = false
  private[this] val nextEnds = new Array[Long](grids.length)
  private[this] var next     = 0
  private[this] var limit    = 0L
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

  def processElement(element: E, timestamp: Long): Unit = {
    EventTime.require(timestamp)
    if (timestamp < cutStart || timestamp >= cutEnd) findCut(timestamp)
    if (earliestNewest - 1 <= watermark) lateForSome(element, timestamp)
    if (newestEnds(newest) - 1 > watermark) {
      adds = true
      if (slice == null) slice = recordOf(timestamp)
      slice.keep(contents.add(if (slice.hasContents) state.contentsOf(slice) else contents.empty(), element, timestamp))
      state.changed = true
      adds = false
    }
  }

  /** The firing window, or the newest of the windows that an element is added to. */
  protected def processedWindow: Option[Window] = if (adds) Some(newestWindow(newest)) else Option(firing)

  private[this] def newestWindow(i: Int) = TimeWindow(grids(i).windowStart(newestEnds(i)), newestEnds(i))

  private[this] def findCut(timestamp: Long): Unit = {
    cutStart = cuts.sliceStart(timestamp)
    cutEnd = cuts.sliceEnd(timestamp)
    slice = null
    newest = 0
    earliestNewest = Long.MaxValue
    var i = 0
    while (i < grids.length) {
      newestEnds(i) = grids(i).newestEnd(timestamp)
      earliestNewest = math.min(earliestNewest, newestEnds(i))
      if (newestEnds(i) > newestEnds(newest)) newest = i
      i += 1
    }
  }

  private[this] def lateForSome(element: E, timestamp: Long): Unit = {
    var i = 0
    while (i < grids.length) {
      if (newestEnds(i) - 1 <= watermark) outs(i).late(element, timestamp, Some(newestWindow(i)))
      i += 1
    }
  }

  // A slice may have become one with others. The timer of an existing one is set.
  private[this] def recordOf(timestamp: Long): WindowRecord[C] = {
    val at     = state.search(cutStart, Long.MaxValue)
    val before = (if (at >= 0) at else -at - 1) - 1
    if (before >= 0 && state.record(before).end > timestamp) state.record(before)
    else {
      setTimerOfCut()
      state.insert(before + 1, cutStart, cutEnd)
    }
  }

  // Sets the timer of the first window that the cut is in and that has yet to fire, unless an earlier one is set.
  private[this] def setTimerOfCut(): Unit = {
    val time     = math.max(cutStart, watermark + 1)
    var of       = -1
    var earliest = Long.MaxValue
    var i        = 0
    while (i < grids.length) {
      if (newestEnds(i) - 1 > watermark) {
        val end = grids(i).oldestEnd(time)
        if (of < 0 || end < earliest) {
          of = i
          earliest = end
        }
      }
      i += 1
    }
    setTimer(of, earliest)
  }

  private[this] def setTimer(i: Int, end: Long): Unit = {
    val timers = state.eventTimers
    if (timers.isEmpty || end - 1 < timers.headTime) {
      timers.clear()
      timers.add(end - 1, grids(i).windowStart(end), end)
    }
  }

  def startWatermark(watermark: Long, dueUntil: Long): Unit = {
    this.watermark = watermark
    limit = dueUntil
    isFiring = nextEventTimer <= dueUntil && !state.eventTimers.isEmpty
    if (isFiring) {
      val earliest = state.eventTimers.headEnd
      state.changed = true
      state.eventTimers.clear()
      // Its record may be among those removed.
      slice = null
      var i = 0
      while (i < grids.length) {
        nextEnds(i) = merged(i).beginShared(dueUntil, earliest)
        i += 1
      }
      findNext()
      if (!isDue) finish()
    }
  }

  def fireNext(): Boolean = isFiring && {
    val i   = next
    val end = nextEnds(i)
    firing = TimeWindow(grids(i).windowStart(end), end)
    outs(i).fire(firing, merged(i).contentsUntil(end), pane)
    outs(i).cleared(firing)
    nextEnds(i) = merged(i).endAfter(end)
    findNext()
    if (!isDue) finish()
    true
  }

  private[this] def findNext(): Unit = {
    next = 0
    var i = 1
    while (i < grids.length) {
      if (nextEnds(i) < nextEnds(next)) next = i
      i += 1
    }
  }

  private[this] def isDue: Boolean = nextEnds(next) != StateCell.NoTimer && nextEnds(next) - 1 <= limit

  private[this] def finish(): Unit = {
    merged.foreach(_.finishShared())
    firing = null
    isFiring = false
    if (nextEnds(next) != StateCell.NoTimer) setTimer(next, nextEnds(next))
    removeFired()
    keepTogether()
  }

  private[this] def removeFired(): Unit = {
    var fired = 0
    while (fired < state.size && isFired(state.record(fired).start)) fired += 1
    if (fired > 0) state.removeFirst(fired)
  }

  private[this] def isFired(time: Long): Boolean = {
    var i = 0
    while (i < grids.length && grids(i).newestEnd(time) - 1 <= limit) i += 1
    i == grids.length
  }

  // Between slices of the time after the firings nothing has changed.
  private[this] def keepTogether(): Unit = {
    var from = 0
    while (from < state.size - 1 && state.record(from).start <= limit) {
      var until = from + 1
      while (until < state.size && areTogether(state.record(from).start, state.record(until).start)) until += 1
      if (until - from > 1) join(from, until)
      from += 1
    }
  }

  // True if both times are in the same windows, of those that have yet to fire.
  private[this] def areTogether(time: Long, later: Long): Boolean = {
    var i = 0
    while (i < grids.length && areTogether(grids(i), time, later)) i += 1
    i == grids.length
  }

  private[this] def areTogether(grid: SliceGrid, time: Long, later: Long): Boolean = {
    val end = grid.newestEnd(later)
    end - 1 <= limit || end == grid.newestEnd(time) &&
    grid.oldestEnd(math.max(later, limit + 1)) == grid.oldestEnd(math.max(time, limit + 1))
  }

  private[this] def join(from: Int, until: Int): Unit = {
    var sum = state.contentsOf(state.record(from))
    var i   = from + 1
    while (i < until) {
      sum = contents.merge(sum, state.lookAt(state.record(i)))
      i += 1
    }
    state.append(state.record(from).start, state.record(until - 1).end).contents = sum
    state.replace(from, until)
  }
}
