package dev.sparkwindowing.assigners

import dev.sparkwindowing.declaration.Part
import dev.sparkwindowing.functions.TimeDomain
import dev.sparkwindowing.triggers.{EventTimeTrigger, ProcessingTimeTrigger, Trigger}
import dev.sparkwindowing.windows.{SliceGrid, WindowCollector}

/** Assigns elements to windows. Called once per element.
  *
  * An assigner is an immutable value. A custom assigner implements this trait or [[MergingWindowAssigner]].
  */
trait WindowAssigner[-E] extends Part {

  /** Adds the windows of `element` to `windows`, newest first; none is allowed.
    *
    * @param timestamp
    *   event time in milliseconds, `Long.MinValue` if the element has none
    * @param processingTime
    *   processing time in milliseconds
    */
  def assignWindows(element: E, timestamp: Long, processingTime: Long, windows: WindowCollector): Unit

  /** The trigger of a windowed stream that does not set one. */
  def defaultTrigger: Trigger[Any]

  /** True if windows end by the watermark, so that elements can be late; false if they end by processing time or never.
    */
  def isEventTime: Boolean

  /** The clock by which windows end, None if they do not end. */
  private[sparkwindowing] def clock: Option[TimeDomain] =
    Some(if (isEventTime) TimeDomain.EventTime else TimeDomain.ProcessingTime)

  /** True if windows of a key that overlap or touch are merged. */
  def isMerging: Boolean = false

  /** True if the bounds of a window are known from its first element on, so that it can have state of its own. */
  private[sparkwindowing] def hasFixedBounds: Boolean = !isMerging

  /** The slices of its windows; None unless they are event-time windows on a grid without gaps. The grid of a staggered
    * assigner is known only after its shift is determined ([[StaggeredWindowAssigner.shifted]]).
    */
  private[sparkwindowing] def slices: Option[SliceGrid] = None
}

/** Assigner whose windows end by the watermark. */
private[assigners] trait EventTimeAssigner[-E] extends WindowAssigner[E] {
  final def defaultTrigger: Trigger[Any] = EventTimeTrigger.create()
  final def isEventTime: Boolean         = true
}

/** Assigner whose windows end by processing time. */
private[assigners] trait ProcessingTimeAssigner[-E] extends WindowAssigner[E] {
  final def defaultTrigger: Trigger[Any] = ProcessingTimeTrigger.create()
  final def isEventTime: Boolean         = false
}

/** Assigner that merges the windows of a key that overlap or touch, such as sessions. */
trait MergingWindowAssigner[-E] extends WindowAssigner[E] {
  final override def isMerging: Boolean = true
}

/** Assigner whose grid is shifted by an amount that is determined at the first element and kept from then on. */
trait StaggeredWindowAssigner[-E] extends WindowAssigner[E] {

  /** True if a shift must be determined. */
  def isStaggered: Boolean

  /** The shift in milliseconds for a first element at this processing time. */
  def drawShift(processingTime: Long): Long

  /** A copy with that shift, which determines no other. */
  def shifted(shift: Long): WindowAssigner[E]
}

/** Check shared by all code that needs the event time of each element. */
private[sparkwindowing] object EventTime {

  def require(timestamp: Long): Unit =
    if (timestamp == Long.MinValue)
      throw new IllegalStateException(
        "an element without a timestamp (Long.MinValue) came to an event-time window: give the stream an event time, " +
          "or use a processing-time or global window"
      )
}
