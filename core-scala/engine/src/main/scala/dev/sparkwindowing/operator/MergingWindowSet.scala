package dev.sparkwindowing.operator

import dev.sparkwindowing.contents.WindowContents
import dev.sparkwindowing.state.{KeyState, WindowRecord}
import dev.sparkwindowing.triggers.Trigger

/** Live windows of a key under a merging assigner: disjoint and not touching, merged with every element.
  *
  * The record of a live window holds its contents, so a merge moves them; the contents of the earliest window come
  * first. The end and clean-up timers of a merged window are bits of its record and move with it.
  */
private[operator] final class MergingWindowSet[E, C <: AnyRef](
    state: KeyState[C],
    ctx: WindowContext[C],
    trigger: Trigger[E],
    contents: WindowContents[E, C],
    isEventTime: Boolean,
    lateness: Long
) {

  /** The live window that contains `[start, end)` from now on: the union of those that it touches, else a new one. */
  def add(start: Long, end: Long): WindowRecord[C] = {
    val from  = firstTouching(start)
    var until = from
    while (until < state.size && state.record(until).start <= end) until += 1
    if (from == until) {
      state.changed = true
      state.insert(from, start, end)
    } else if (until == from + 1 && state.record(from).start <= start && state.record(from).end >= end)
      state.record(from)
    else merge(from, until, start, end)
  }

  /** The position of the first live window that ends at or after `start`. Ends are sorted, as no live window contains
    * another.
    */
  def firstTouching(start: Long): Int = state.firstEnding(start)

  private[this] def merge(from: Int, until: Int, start: Long, end: Long): WindowRecord[C] = {
    val resultStart = math.min(start, state.record(from).start)
    val resultEnd   = math.max(end, state.record(until - 1).end)
    refuseIfOver(resultStart, resultEnd)
    join(from, until, resultStart, resultEnd)
  }

  /** Merges the live windows at the positions `from` until `until` into one, which takes their place. */
  def join(from: Int, until: Int, resultStart: Long, resultEnd: Long): WindowRecord[C] = {
    state.changed = true
    // Appended at the end while the others are needed; it is in sorted position only when this method returns.
    val result = state.append(resultStart, resultEnd)
    ctx.record = result
    ctx.mergedFrom = from
    ctx.mergedUntil = until
    trigger.onMerge(result.window, ctx)
    var i = from
    while (i < until) {
      val r = state.record(i)
      ctx.record = r
      trigger.clear(r.window, ctx)
      if (r.hasContents)
        if (!result.hasContents) result.takeContents(r)
        else result.contents = contents.merge(state.contentsOf(result), state.contentsOf(r))
      takeFirings(result, r)
      i += 1
    }
    state.replace(from, until)
  }

  // The record of firings; none if panes are not recorded.
  private[this] def takeFirings(result: WindowRecord[C], r: WindowRecord[C]): Unit = {
    result.firings += r.firings
    if (r.replaced != null && !r.isReplacedShown) r.replaced.foreach(result.replace)
    if (r.hasFired) result.replace(r.start, r.end)
  }

  // Not guarded against overflow, as in Flink: a session within the lateness of Long.MaxValue that merges is refused.
  private[this] def refuseIfOver(start: Long, end: Long): Unit = {
    val last = end - 1
    if (isEventTime && last + lateness <= ctx.currentWatermark)
      throw new UnsupportedOperationException(
        s"windows merged into [$start, $end), which the watermark ${ctx.currentWatermark} has passed by more than the " +
          s"allowed lateness of $lateness ms"
      )
    if (!isEventTime && last <= ctx.currentProcessingTime)
      throw new UnsupportedOperationException(
        s"windows merged into [$start, $end), which processing time ${ctx.currentProcessingTime} has passed"
      )
  }
}
