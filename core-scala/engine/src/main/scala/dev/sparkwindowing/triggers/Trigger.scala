package dev.sparkwindowing.triggers

import dev.sparkwindowing.declaration.Part
import dev.sparkwindowing.windows.Window

import scala.annotation.unchecked.uncheckedVariance

/** Decides when a window fires and when its contents are dropped.
  *
  * A trigger is an immutable value. Its memory of a window lies in the numbers and values that [[memory]] declares and
  * the context gives access to, so that it is checkpointed with the window. Users implement this trait for triggers of
  * their own, as the built-in ones do.
  *
  * A trigger that nests others overrides [[nested]] and [[withNested]]. That is enough to have columns inside it bound,
  * endless triggers inside it refused, and its tree compared with that of a checkpoint.
  *
  * A call concerns one window of one key. The clean-up of a window is a timer like any other: the trigger is called for
  * it too and may fire a last time.
  */
trait Trigger[-E] extends Part {

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

  /** Memory of a window: at most 64 numbers and 64 values, with those of the nested triggers. */
  def memory: TriggerMemory = TriggerMemory.None

  /** The triggers inside this one, in order. */
  def nested: Seq[Trigger[E]] = Nil

  /** The same trigger around others: as many as `nested`, in that order. */
  def withNested(nested: Seq[Trigger[E @uncheckedVariance]]): Trigger[E] =
    if (nested.isEmpty) this
    else throw new UnsupportedOperationException(s"${getClass.getName} nests triggers: override withNested")

  override def children: Seq[Part] = nested

  override def withChildren(children: Seq[Part]): Trigger[E] =
    withNested(children.collect { case trigger: Trigger[E @unchecked] => trigger })

  /** Whether it fires at the end of the input alone: it is refused on a stream, which has none. */
  def needsEndOfInput: Boolean = false

  /** Whether it fires at intervals of event time as long as its window lasts: it is refused on the global window of a
    * static DataFrame, where the last watermark is the end of time.
    */
  def firesToEndOfTime: Boolean = false
}
