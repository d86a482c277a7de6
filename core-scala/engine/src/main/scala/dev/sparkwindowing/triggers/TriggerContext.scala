package dev.sparkwindowing.triggers

import dev.sparkwindowing.functions.TimerService

/** Context of a trigger call: watermark, processing time, and the timers and state of one window of one key. */
trait TriggerContext extends TimerService {

  /** True if number `i` is set (from 0, below the number of `numbers` that the trigger declares). */
  def hasNumber(i: Int): Boolean

  /** Number `i`, 0 if it is not set. */
  def number(i: Int): Long
  def setNumber(i: Int, value: Long): Unit
  def clearNumber(i: Int): Unit

  /** Value `i` (a position in the trigger's `values`), None if it is not set. */
  def value[T <: AnyRef](i: Int): Option[T]
  def setValue(i: Int, value: AnyRef): Unit
  def clearValue(i: Int): Unit

  /** The contents of the window, not to be changed; null if it has none. */
  private[sparkwindowing] def contents: AnyRef = null

  /** In `onElement`: true if the window had no contents before the element, as after a purge. */
  private[sparkwindowing] def isFirstElement: Boolean = false

  /** True if a timer of that time is the clean-up of the window, even if the trigger has registered that time too. */
  private[sparkwindowing] def isCleanup(eventTime: Boolean, time: Long): Boolean = false

  /** Counts firings that are skipped because the watermark or processing time passed more of them at once than an
    * operator calls in a step.
    */
  private[sparkwindowing] def skippedFirings(firings: Long): Unit = ()
}

private[sparkwindowing] object TriggerContext {

  /** Limit per step, for two counts: the trigger calls for one window by timers that do not advance in time or run up
    * to the end of time, and the multiples of its interval at which a continuous trigger fires.
    */
  val MaxTimerCalls: Int = 1000000
}

/** Context of `onMerge`: the context of the merged window, with read access to the state of the windows it was merged
  * from.
  */
trait OnMergeContext extends TriggerContext {

  /** Number of live windows that were merged; the new element's own window is not one of them. */
  def mergedWindows: Int
  def mergedHasNumber(window: Int, i: Int): Boolean
  def mergedNumber(window: Int, i: Int): Long
  def mergedValue[T <: AnyRef](window: Int, i: Int): Option[T]
}
