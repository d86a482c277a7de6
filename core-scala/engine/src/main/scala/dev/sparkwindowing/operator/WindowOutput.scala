package dev.sparkwindowing.operator

import dev.sparkwindowing.windows.Window

/** Receiver of the results of a [[WindowOperator]], given by the host and called while the operator processes a key. */
trait WindowOutput[E, C] {

  /** Called when a window fires with these contents; do not retain or change them or the pane. Every result has the
    * window's last millisecond as its time, also in early and late firings.
    */
  def fire(window: Window, contents: C, pane: PaneInfo): Unit

  /** Called for an element that is late for every window: it goes to the late side output or the counter of dropped
    * elements.
    *
    * @param missed
    *   the newest window that it was assigned to, None if there is none
    */
  def late(element: E, timestamp: Long, missed: Option[Window]): Unit

  /** Called when a window is cleaned up: exactly once for each live window, never for a session that was merged into
    * another.
    */
  def cleared(window: Window): Unit

  /** Called before `cleared` for each session that had fired and was merged into the window, if no firing has shown it
    * among `replaced`.
    */
  def forgotten(replaced: Window): Unit = ()

  /** Called when firings of a continuous trigger are skipped, since time has advanced by more firings than an operator
    * calls in a step.
    */
  def skippedFirings(firings: Long): Unit = ()
}
