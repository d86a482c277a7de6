package dev.sparkwindowing.assigners

import dev.sparkwindowing.declaration.Part
import dev.sparkwindowing.triggers.Trigger
import dev.sparkwindowing.windows.{SliceGrid, WindowCollector}

/** Says which windows an element belongs to. Asked once an element.
  *
  * An assigner is an immutable value. One written by a user implements this trait, or [[MergingWindowAssigner]].
  */
trait WindowAssigner[-E] extends Part {

  /** Puts the windows of `element` into `windows`, newest first; none is legal.
    *
    * @param timestamp
    *   event time in milliseconds, `Long.MinValue` if the element has none
    * @param processingTime
    *   the clock in milliseconds
    */
  def assignWindows(element: E, timestamp: Long, processingTime: Long, windows: WindowCollector): Unit

  /** The trigger of a windowed stream that names none. */
  def defaultTrigger: Trigger[Any]

  /** Whether windows end by the watermark (and elements can be late), rather than by the clock or never. */
  def isEventTime: Boolean

  /** The slices of its windows; None unless they are windows of event time on a grid that leaves no gaps. The grid of a
    * staggered assigner is known only once its shift is drawn ([[StaggeredWindowAssigner.shifted]]).
    */
  private[sparkwindowing] def slices: Option[SliceGrid] = None
}

/** An assigner whose windows of one key become one where they overlap or touch: sessions. */
trait MergingWindowAssigner[-E] extends WindowAssigner[E]

/** An assigner whose grid is shifted by an amount that is taken when the first element comes, and kept from then on. */
trait StaggeredWindowAssigner[-E] extends WindowAssigner[E] {

  /** Whether there is a shift to draw. */
  def isStaggered: Boolean

  /** The shift in milliseconds, for a first element at this time of the clock. */
  def drawShift(processingTime: Long): Long

  /** The assigner with that shift, which draws no other. */
  def shifted(shift: Long): WindowAssigner[E]
}

/** Shared by all that needs the event time of each element. */
private[sparkwindowing] object EventTime {

  def require(timestamp: Long): Unit =
    if (timestamp == Long.MinValue)
      throw new IllegalStateException(
        "an element without a timestamp (Long.MinValue) came to an event-time window: give the stream an event time, " +
          "or use a processing-time or global window"
      )
}
