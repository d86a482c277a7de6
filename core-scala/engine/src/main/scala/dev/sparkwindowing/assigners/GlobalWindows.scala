package dev.sparkwindowing.assigners

import dev.sparkwindowing.triggers.{NeverTrigger, Trigger}

/** One window for all elements of a key. It never ends: only a trigger fires it, and only a purge empties it.
  *
  * It is not an event-time assigner: no element is late, nothing is cleaned up, allowed lateness has no effect, also
  * under an event-time trigger.
  */
final case class GlobalWindows private () extends WindowAssigner[Any] {

  def assignWindows(element: Any, timestamp: Long, processingTime: Long, windows: WindowCollector): Unit =
    windows.addGlobal()

  def defaultTrigger: Trigger[Any] = NeverTrigger.create()
  def isEventTime: Boolean         = false

  override def toString: String = "GlobalWindows"
}

object GlobalWindows {

  /** The global window with a trigger that never fires: set one with `.trigger(..)`. */
  def create(): GlobalWindows = new GlobalWindows()
}
