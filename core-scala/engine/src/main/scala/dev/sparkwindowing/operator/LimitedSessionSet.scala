package dev.sparkwindowing.operator

import dev.sparkwindowing.assigners.LimitedSessionWindows
import dev.sparkwindowing.state.{KeyState, WindowRecord}

/** Live sessions of a key that have a greatest length, or that elements end (docs/semantics.md, 2.6).
  *
  * Two live sessions can overlap, if the session that they would become is longer than the greatest length. None
  * contains another, and no two have the same start: an element joins a session that contains it, which always has room
  * for it. An ended session has no number at `lastAt`: its end says when it was ended.
  *
  * @param lastAt
  *   position, among the numbers of a session, of the time of its last element
  */
private[operator] final class LimitedSessionSet[E, C <: AnyRef](
    limits: LimitedSessionWindows[E],
    live: MergingWindowSet[E, C],
    state: KeyState[C],
    ctx: WindowContext[C],
    lastAt: Int
) {
  private[this] val maxLength = limits.maxLength
  private[this] val hasEnds   = limits.hasEnds
  private[this] val lastBit   = 1L << lastAt

  // The session of the element as far as it is determined: the positions of the sessions in it; bounds without the
  // element's own gap; the end if it is an ended one; and whether it is.
  private[this] var first   = 0
  private[this] var next    = 0
  private[this] var start   = 0L
  private[this] var end     = 0L
  private[this] var lastEnd = 0L
  private[this] var isEnded = false
  // The element: its time, and the end of its own window.
  private[this] var time   = 0L
  private[this] var ownEnd = 0L

  /** The live session that contains the element from now on.
    *
    * @param from
    *   time of the element
    * @param until
    *   end of its own window
    */
  def add(element: E, from: Long, until: Long): WindowRecord[C] = {
    first = 0
    next = 0
    time = from
    start = from
    lastEnd = from + 1
    isEnded = limits.isEnd(element)
    end = lastEnd
    ownEnd = until
    joinContaining()
    joinTouching()
    if (isAlone) opened(until) else if (isUnchanged) noted(state.record(first)) else merged()
  }

  // Joins the session that contains the element, of several the one that starts last.
  private[this] def joinContaining(): Unit = {
    var i = live.firstTouching(time)
    while (i < state.size && state.record(i).end <= time) i += 1
    var last = -1
    while (i < state.size && state.record(i).start <= time) {
      last = i
      i += 1
    }
    if (last >= 0) join(last)
  }

  // Joins the sessions that the result touches, from the first to the last, as long as there is one that fits. An
  // ended one ends the result, so that no later session joins it.
  private[this] def joinTouching(): Unit = {
    var i = live.firstTouching(start)
    while (i < state.size && state.record(i).start <= resultEnd)
      if ((first <= i && i < next) || !fits(state.record(i))) i += 1
      else {
        join(i)
        i = live.firstTouching(start)
      }
  }

  private[this] def fits(r: WindowRecord[C]): Boolean = {
    val ended = hasEnded(r)
    // Nothing after the end of a session joins it.
    val isApart = (ended && r.end <= start) || (isEnded && r.start >= resultEnd)
    val from    = math.min(start, r.start)
    val until   = if (isEnded || ended) math.max(lastEnd, lastEndOf(r)) else math.max(end, r.end)
    !isApart && until - from <= maxLength
  }

  // A session between two that fit fits too, since starts, ends and last elements are in one order.
  private[this] def join(position: Int): Unit =
    if (isAlone) {
      first = position
      next = position + 1
      include(state.record(position))
    } else {
      while (first > position) {
        first -= 1
        include(state.record(first))
      }
      while (next <= position) {
        include(state.record(next))
        next += 1
      }
    }

  private[this] def include(r: WindowRecord[C]): Unit = {
    start = math.min(start, r.start)
    end = math.max(end, r.end)
    lastEnd = math.max(lastEnd, lastEndOf(r))
    isEnded |= hasEnded(r)
  }

  private[this] def isAlone: Boolean = first == next

  private[this] def isUnchanged: Boolean = {
    val r = state.record(first)
    next == first + 1 && r.start == start && r.end == resultEnd
  }

  // The end of the session with the element. An ended one is not over: it ends when it can at the earliest.
  private[this] def resultEnd: Long =
    if (isEnded) if (isAlone) lastEnd else math.max(lastEnd, math.min(end, ctx.earliestEnd))
    else {
      val cut = start + maxLength
      math.max(end, if (cut < start) ownEnd else math.min(ownEnd, cut))
    }

  private[this] def opened(until: Long): WindowRecord[C] = {
    state.changed = true
    noted(state.insert(-state.search(time, until) - 1, time, until))
  }

  private[this] def merged(): WindowRecord[C] = {
    val until = resultEnd
    var same  = first
    while (same < next && (state.record(same).start != start || state.record(same).end != until)) same += 1
    noted(if (same < next) replaced(state.record(same)) else live.join(first, next, start, until))
  }

  // The merged session has the bounds of one of its parts. While they merge the part has another end, so that its
  // timers are not confused with those of the result.
  private[this] def replaced(part: WindowRecord[C]): WindowRecord[C] = {
    val hasFired = part.hasFired
    state.eventTimers.removeAll(part.start, part.end)
    state.processingTimers.removeAll(part.start, part.end)
    part.end += 1
    part.hasFired = false
    val r = live.join(first, next, start, part.end - 1)
    r.hasFired = hasFired
    r
  }

  // Records the last element of the session, or that it has been ended.
  private[this] def noted(r: WindowRecord[C]): WindowRecord[C] = {
    if (hasEnds)
      if (isEnded) {
        if (hasLast(r)) state.changed = true
        r.numbersSet &= ~lastBit
      } else if (!hasLast(r) || r.numbers(lastAt) != lastEnd - 1) {
        state.changed = true
        r.numbersSet |= lastBit
        r.numbers(lastAt) = lastEnd - 1
      }
    r
  }

  private[this] def hasLast(r: WindowRecord[C]): Boolean  = (r.numbersSet & lastBit) != 0
  private[this] def hasEnded(r: WindowRecord[C]): Boolean = hasEnds && !hasLast(r)

  // The end that the session has if it is ended now.
  private[this] def lastEndOf(r: WindowRecord[C]): Long =
    if (!hasEnds || !hasLast(r)) r.end else r.numbers(lastAt) + 1
}
