package dev.sparkwindowing.operator

import dev.sparkwindowing.windows.Window

/** Where the results of a [[WindowOperator]] go: given by the host, called while the operator works on a key. */
trait WindowOutput[E, C] {

  /** A window fired with these contents; neither they nor the pane must be kept or changed. Every result is stamped
    * with the window's last millisecond, also of early and late firings.
    */
  def fire(window: Window, contents: C, pane: Pane): Unit

  /** An element came too late for every window: the late side output, or the counter of dropped elements.
    *
    * @param missed
    *   the newest window that it was assigned, None if it was assigned none
    */
  def late(element: E, timestamp: Long, missed: Option[Window]): Unit

  /** A window was cleaned up: exactly once for each that was live, never for a session that was merged away. */
  def cleared(window: Window): Unit

  /** So many firings of a continuous trigger are left out, since a clock has jumped over more than an operator calls in
    * a step.
    */
  def skippedFirings(firings: Long): Unit = ()
}
