package dev.sparkwindowing.operator

import dev.sparkwindowing.contents.CopyableContents
import dev.sparkwindowing.state.KeyState
import dev.sparkwindowing.windows.SliceGrid

import java.util.Arrays

/** Contents of successive windows, merged from their slices, while they fire. Uses the two-stacks algorithm.
  *
  * The slices of a window are the records `from` until `until`. Those before `middle` are merged from the right, so
  * that each has the merged contents from itself up to `middle`; those from `middle` on are merged into `back`. The
  * contents of a window are one of the former and `back`. When `from` passes `middle`, the remaining slices are merged
  * from the right anew. So a slice is merged at most twice and a window once, however many slices it has. A window that
  * shares no slice with the previous one is merged from the right if it loses its first slice at once, else into
  * `back`.
  *
  * Slices that are removed after the firings may be changed by merging; the others must not change and are copied
  * first. The slices of a cumulative window that has fired are needed only together, so they become one: the next
  * window merges only the slices that are new. Buffers are reused from key to key.
  *
  * @param isShared
  *   whether other windows need the slices, too: they do not change, and remain until the operator removes them
  */
private[operator] final class MergedSlices[E, C <: AnyRef](
    state: KeyState[C],
    contents: CopyableContents[E, C],
    grid: SliceGrid,
    isShared: Boolean = false
) {
  private[this] val none      = null.asInstanceOf[C]
  private[this] var suffixes  = new Array[AnyRef](8)
  private[this] var from      = 0
  private[this] var middle    = 0
  private[this] var until     = 0
  private[this] var back      = none
  private[this] var isBackOwn = false
  // Without a copy of its first slice for each, a window that shares none is merged from the right as well.
  private[this] val mayShare = !isShared || grid.overlaps
  // The contents of the last window, as long as the next has the same slices.
  private[this] var window = none
  // The first slice of the last window that fires, and the first slice that remains after it.
  private[this] var lastFrom = 0
  private[this] var kept     = 0

  /** Begins the firing of windows that end up to `limit` + 1. No slice is before the first window. */
  def begin(limit: Long): Unit = {
    lastFrom = 0
    kept = 0
    if (state.size > 0) {
      val end     = grid.newestEnd(state.record(state.size - 1).start)
      val lastEnd = if (end - 1 <= limit) end else grid.lastEndUpTo(limit + 1)
      lastFrom = firstFrom(grid.windowStart(lastEnd))
      kept = firstFrom(grid.nextStart(lastEnd))
    }
    from = 0
    middle = 0
    until = 0
  }

  /** Begins the firing of windows that end up to `limit` + 1, the first at `earliest` or later.
    *
    * @return
    *   the end of the first one that has a slice, [[StateCell.NoTimer]] if there is none
    */
  def beginShared(limit: Long, earliest: Long): Long = {
    val first = grid.oldestEnd(earliest - 1)
    val start = firstFrom(grid.windowStart(first))
    val end   =
      if (start == state.size) StateCell.NoTimer
      else grid.oldestEnd(math.max(state.record(start).start, earliest - 1))
    if (end != StateCell.NoTimer && end - 1 <= limit) {
      begin(limit)
      from = start
      middle = start
      until = start
      window = none
    }
    end
  }

  /** Ends the firing, and leaves the slices. */
  def finishShared(): Unit = {
    Arrays.fill(suffixes, 0, math.min(middle, suffixes.length), null)
    back = none
    window = none
    middle = 0
  }

  /** Ends the firing, after the window that ends at `end` as the last: removes the slices that are in no remaining
    * window.
    */
  def finish(end: Long): Unit = {
    if (grid.isCumulative && from == kept && until > from) keepTogether(end)
    Arrays.fill(suffixes, 0, math.min(middle, suffixes.length), null)
    back = none
    window = none
    state.removeFirst(kept)
  }

  /** True if the window that ends at `end` has a slice. Windows must be asked for in order of their ends. */
  def has(end: Long): Boolean = from < state.size && state.record(from).start < end

  /** The contents of the window that ends at `end` and has a slice, not to be changed. Windows must be asked for in
    * order of their ends.
    */
  def contentsUntil(end: Long): C = {
    var to = math.max(from, until)
    while (to < state.size && state.record(to).start < end) to += 1
    if (to != until) window = none
    val isNew     = from >= until
    val fromRight = if (isNew) mayShare && isLastOf(from, end) else from > middle
    if (fromRight) mergeFromRight(to)
    else {
      if (isNew) {
        middle = from
        until = from
        back = none
      }
      while (until < to) {
        mergeIntoBack(until)
        until += 1
      }
    }
    until = to
    if (window == null) window = whole(end)
    window
  }

  /** The end of the next window after `end` that has a slice; [[StateCell.NoTimer]] if there is none. */
  def endAfter(end: Long): Long = {
    val next = grid.nextStart(end)
    while (from < state.size && state.record(from).start < next) {
      from += 1
      window = none
    }
    if (from == state.size) StateCell.NoTimer
    else if (state.record(from).start < end) grid.nextEnd(end)
    else grid.oldestEnd(state.record(from).start)
  }

  private[this] def whole(end: Long): C =
    if (middle == until) suffix(from)
    else if (from == middle) back
    else contents.merge(if (!isShared && isLastOf(from, end)) suffix(from) else contents.copy(suffix(from)), back)

  // True if the window that ends at `end` is the last one with this slice, so that the slice is not needed again.
  private[this] def isLastOf(i: Int, end: Long): Boolean = state.record(i).start < grid.nextStart(end)

  private[this] def mergeIntoBack(i: Int): Unit =
    if (back == null) {
      back = slice(i)
      isBackOwn = mayChange(i) || grid.isCumulative && !isShared
    } else {
      if (!isBackOwn) back = contents.copy(back)
      isBackOwn = true
      back = contents.merge(back, slice(i))
    }

  // No firing window starts after `lastFrom`, so the slices from there on are needed only together.
  private[this] def mergeFromRight(to: Int): Unit = {
    if (suffixes.length < to) suffixes = Arrays.copyOf(suffixes, math.max(to, suffixes.length * 2))
    var i   = math.max(from, math.min(lastFrom, to - 1))
    var sum = slice(i)
    if (i + 1 < to) {
      if (!mayChange(i)) sum = contents.copy(sum)
      var j = i + 1
      while (j < to) {
        sum = contents.merge(sum, slice(j))
        j += 1
      }
    }
    suffixes(i) = sum
    while (i > from) {
      i -= 1
      sum = contents.merge(if (isShared) contents.copy(slice(i)) else slice(i), sum)
      suffixes(i) = sum
    }
    middle = to
    back = none
  }

  // True if the slice is removed after the firings.
  private[this] def mayChange(i: Int): Boolean = !isShared && i < kept

  private[this] def slice(i: Int): C = state.lookAt(state.record(i))

  private[this] def suffix(i: Int): C = suffixes(i).asInstanceOf[C]

  // Makes one slice of those of the last window.
  private[this] def keepTogether(end: Long): Unit = {
    val first    = state.record(from)
    val together = state.append(grid.windowStart(end), end)
    if (until - from == 1) together.takeContents(first) else together.contents = back
    state.replace(from, until)
  }

  // The position of the first slice that starts at or after `time`.
  private[this] def firstFrom(time: Long): Int = {
    val at = state.search(time, Long.MinValue)
    if (at >= 0) at else -at - 1
  }
}
