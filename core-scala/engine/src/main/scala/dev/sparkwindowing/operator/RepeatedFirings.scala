package dev.sparkwindowing.operator

import dev.sparkwindowing.windows.Window

/** Finds the firings of a key that a later one of the same step repeats with equal contents, so that a host can leave
  * them out.
  */
final class RepeatedFirings {
  import RepeatedFirings._

  private[this] val last = new java.util.HashMap[Window, Place]

  /** Forgets the last step. */
  def clear(): Unit = last.clear()

  /** Where the firing that this one repeats was put out, -1 if it repeats none. A pane that repeats the one on time
    * takes its place and is on time.
    *
    * @param position
    *   where this one is put out
    */
  def repeated(window: Window, pane: Pane, position: Int): Int = {
    val before = last.get(window)
    val found  = if (before != null && pane.isRepeat) before.position else -1
    if (found >= 0 && before.timing == PaneTiming.OnTime) pane.timing = PaneTiming.OnTime
    last.put(window, Place(position, pane.timing))
    found
  }
}

private object RepeatedFirings {
  final case class Place(position: Int, timing: PaneTiming)
}
