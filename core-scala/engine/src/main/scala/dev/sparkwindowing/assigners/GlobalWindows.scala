package dev.sparkwindowing.assigners

import dev.sparkwindowing.declaration.{PartSpec, Spec}
import dev.sparkwindowing.triggers.{EndOfStreamTrigger, NeverTrigger, Trigger}
import dev.sparkwindowing.windows.WindowCollector

/** One window for all elements of a key. It never ends: only a trigger fires it, and only a purge empties it.
  *
  * It is not an event-time assigner: no element is late, nothing is cleaned up, allowed lateness has no effect, also
  * under an event-time trigger.
  *
  * @param firesAtEnd
  *   whether its own trigger is that of the end of the stream, instead of one that never fires
  */
final case class GlobalWindows private (firesAtEnd: Boolean) extends WindowAssigner[Any] {

  def assignWindows(element: Any, timestamp: Long, processingTime: Long, windows: WindowCollector): Unit =
    windows.addGlobal()

  def defaultTrigger: Trigger[Any] = if (firesAtEnd) EndOfStreamTrigger.create() else NeverTrigger.create()
  def isEventTime: Boolean         = false

  override def spec: Spec = PartSpec("GlobalWindows")
}

object GlobalWindows {

  /** The global window with a trigger that never fires: set one with `.trigger(..)`. */
  def create(): GlobalWindows = new GlobalWindows(firesAtEnd = false)

  /** The global window that fires at the end of the input: when a static DataFrame is through; never on a stream, which
    * has no end.
    */
  def createWithEndOfStreamTrigger(): GlobalWindows = new GlobalWindows(firesAtEnd = true)
}
