package dev.sparkwindowing.operator

import dev.sparkwindowing.windows.Window

/** Finds the firings of a key that a later firing of the same step repeats with equal contents, so that a host can drop
  * them.
  */
final class RepeatedFirings {
  import RepeatedFirings._

  private[this] val last = new java.util.HashMap[Window, Place]

  /** Clears the firings of the last step. */
  def clear(): Unit = last.clear()

  /** The position of the firing that this one repeats, -1 if there is none. A repeat of the on-time firing takes its
    * place and its timing.
    *
    * @param position
    *   the position of this firing
    */
  def repeated(window: Window, pane: PaneInfo, position: Int): Int = {
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
