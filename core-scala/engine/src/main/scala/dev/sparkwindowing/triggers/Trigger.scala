package dev.sparkwindowing.triggers

import dev.sparkwindowing.codec.ValueCodec
import dev.sparkwindowing.windows.Window

/** Says when a window fires and when its contents are dropped.
  *
  * A trigger is an immutable value; what it remembers of a window lies in the numbers and values that it declares here
  * and reaches through the context, so that it is checkpointed with the window. One written by a user implements this
  * trait, like the built-in ones.
  *
  * A trigger never sees another key or window than the one it is asked for. The clean-up of a window is a timer like
  * any other: the trigger is asked for it too and may fire a last time.
  */
trait Trigger[-E] extends Serializable {

  /** An element was added to `window`.
    *
    * @param timestamp
    *   its event time in milliseconds, `Long.MinValue` if it has none
    */
  def onElement(element: E, timestamp: Long, window: Window, ctx: TriggerContext): TriggerResult

  /** The watermark has passed an event-time timer of the window that was set for `time`. */
  def onEventTime(time: Long, window: Window, ctx: TriggerContext): TriggerResult

  /** The clock has passed a processing-time timer of the window that was set for `time`. */
  def onProcessingTime(time: Long, window: Window, ctx: TriggerContext): TriggerResult

  /** Whether the trigger can be used where windows merge. */
  def canMerge: Boolean = false

  /** Several windows became `window`: carry over what was remembered of them and set its timers.
    *
    * Each of the merged windows is cleared afterwards.
    */
  def onMerge(window: Window, ctx: OnMergeContext): Unit =
    throw new UnsupportedOperationException(s"$this cannot merge windows")

  /** The window is gone: delete the timers and the state that the trigger set for it. */
  def clear(window: Window, ctx: TriggerContext): Unit

  /** The window was kept under another trigger so far, which remembered nothing, as this one: set the timers that its
    * elements would have set.
    */
  private[sparkwindowing] def resume(window: Window, ctx: TriggerContext): Unit = ()

  /** How many numbers the trigger remembers of a window. At most 64 with all parts of a composite trigger. */
  def numbers: Int = 0

  /** The types of the values (other than numbers) that the trigger remembers of a window. */
  def values: IndexedSeq[ValueCodec[_ <: AnyRef]] = IndexedSeq.empty
}
