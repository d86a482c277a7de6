package dev.sparkwindowing.operator

import dev.sparkwindowing.assigners.SliceGrid
import dev.sparkwindowing.contents.CopyableContents
import dev.sparkwindowing.state.KeyState

import java.util.Arrays

/** The contents of one window after the other, each merged of its slices, while one call fires them.
  *
  * The slices of a window are the records `from` until `until`. Those before `middle` have been merged from the right,
  * so that each knows what it and those between it and `middle` hold; those from `middle` on are merged into `back`. A
  * window is one of the first and `back`. When `from` passes `middle`, what is left is merged from the right anew. So a
  * slice is merged twice and a window once at most, however many slices it has. Of windows that share no slice with the
  * one before, one that loses its first slice at once is merged from the right, any other into `back`.
  *
  * Slices that go when the windows have fired may be changed by merging; the others must stay as they are and are
  * copied first. Buffers are reused from key to key.
  */
private[operator] final class MergedSlices[E, C <: AnyRef](
    state: KeyState[C],
    contents: CopyableContents[E, C],
    grid: SliceGrid
) {
  private[this] val none      = null.asInstanceOf[C]
  private[this] var suffixes  = new Array[AnyRef](8)
  private[this] var from      = 0
  private[this] var middle    = 0
  private[this] var until     = 0
  private[this] var back      = none
  private[this] var isBackOwn = false
  // The contents of the last window, as long as its slices are those of the next.
  private[this] var window = none
  // The first slice of the last window that fires, and the first slice that stays behind it.
  private[this] var lastFrom = 0
  private[this] var kept     = 0

  /** Windows that end up to `limit` + 1 are about to fire. The state has a slice, and the first one is in the first
    * window.
    */
  def begin(limit: Long): Unit = {
    val end     = grid.newestEnd(state.record(state.size - 1).start)
    val lastEnd = if (end - 1 <= limit) end else grid.lastEndUpTo(limit + 1)
    lastFrom = firstFrom(lastEnd - grid.size)
    kept = firstFrom(lastEnd - grid.size + grid.slide)
    from = 0
    middle = 0
    until = 0
  }

  /** All windows have fired: drops the slices that are in none of the others. */
  def finish(): Unit = {
    Arrays.fill(suffixes, 0, math.min(middle, suffixes.length), null)
    back = none
    window = none
    state.removeFirst(kept)
  }

  /** The contents of the window that ends at `end`; the call before was about a window before it. Not to be changed. */
  def contentsUntil(end: Long): C = {
    var to = math.max(from, until)
    while (to < state.size && state.record(to).start < end) to += 1
    if (to != until) window = none
    val isNew     = from >= until
    val fromRight = if (isNew) isLastOf(from, end) else from > middle
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

  /** The end of the first window behind the one that ends at `end` which has a slice; [[StateCell.NoTimer]] if there is
    * none.
    */
  def endAfter(end: Long): Long = {
    val next = end - grid.size + grid.slide
    while (from < state.size && state.record(from).start < next) {
      from += 1
      window = none
    }
    if (from == state.size) StateCell.NoTimer
    else if (state.record(from).start < end) end + grid.slide
    else grid.oldestEnd(state.record(from).start)
  }

  private[this] def whole(end: Long): C =
    if (middle == until) suffix(from)
    else if (from == middle) back
    else contents.merge(if (isLastOf(from, end)) suffix(from) else contents.copy(suffix(from)), back)

  // Whether the window that ends at `end` is the last of the slice, so that nobody asks for it again.
  private[this] def isLastOf(i: Int, end: Long): Boolean = state.record(i).start < end - grid.size + grid.slide

  private[this] def mergeIntoBack(i: Int): Unit =
    if (back == null) {
      back = slice(i)
      isBackOwn = i < kept
    } else {
      if (!isBackOwn) back = contents.copy(back)
      isBackOwn = true
      back = contents.merge(back, slice(i))
    }

  // No window that fires starts behind `lastFrom`: of the slices from there on only all together are asked for.
  private[this] def mergeFromRight(to: Int): Unit = {
    if (suffixes.length < to) suffixes = Arrays.copyOf(suffixes, math.max(to, suffixes.length * 2))
    var i   = math.max(from, math.min(lastFrom, to - 1))
    var sum = slice(i)
    if (i + 1 < to) {
      if (i >= kept) sum = contents.copy(sum)
      var j = i + 1
      while (j < to) {
        sum = contents.merge(sum, slice(j))
        j += 1
      }
    }
    suffixes(i) = sum
    while (i > from) {
      i -= 1
      sum = contents.merge(slice(i), sum)
      suffixes(i) = sum
    }
    middle = to
    back = none
  }

  private[this] def slice(i: Int): C = state.lookAt(state.record(i))

  private[this] def suffix(i: Int): C = suffixes(i).asInstanceOf[C]

  // The position of the first slice that starts at or behind `time`.
  private[this] def firstFrom(time: Long): Int = {
    val at = state.search(time, Long.MinValue)
    if (at >= 0) at else -at - 1
  }
}
