package dev.sparkwindowing.assigners

import dev.sparkwindowing.declaration.{PartSpec, Spec}
import dev.sparkwindowing.functions.TimeDomain
import dev.sparkwindowing.triggers.{EndOfStreamTrigger, NeverTrigger, Trigger}
import dev.sparkwindowing.windows.WindowCollector

/** Assigns all elements of a key to one window. It never ends: only a trigger fires it, and only a purge empties it.
  *
  * It is not an event-time assigner: no element is late, nothing is cleaned up, and allowed lateness has no effect,
  * even with an event-time trigger.
  *
  * @param firesAtEnd
  *   whether the default trigger fires at the end of the stream, instead of never
  */
final case class GlobalWindows private (firesAtEnd: Boolean) extends WindowAssigner[Any] {

  def assignWindows(element: Any, timestamp: Long, processingTime: Long, windows: WindowCollector): Unit =
    windows.addGlobal()

  def defaultTrigger: Trigger[Any] = if (firesAtEnd) EndOfStreamTrigger.create() else NeverTrigger.create()
  def isEventTime: Boolean         = false

  private[sparkwindowing] override def clock: Option[TimeDomain] = None

  override def spec: Spec = PartSpec("GlobalWindows")
}

object GlobalWindows {

  /** The global window with a trigger that never fires. Set one with `.trigger(..)`. */
  def create(): GlobalWindows = new GlobalWindows(firesAtEnd = false)

  /** The global window that fires at the end of the input: after the last row of a static DataFrame, never on a stream,
    * which has no end.
    */
  def createWithEndOfStreamTrigger(): GlobalWindows = new GlobalWindows(firesAtEnd = true)
}
