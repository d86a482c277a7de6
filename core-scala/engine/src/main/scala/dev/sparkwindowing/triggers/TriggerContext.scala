package dev.sparkwindowing.triggers

import dev.sparkwindowing.functions.TimerService

/** What a trigger may see and do: the two clocks, timers and memory of one window of one key.
  *
  * The timers are those of the window.
  */
trait TriggerContext extends TimerService {

  /** Whether number `i` (from 0, below the trigger's `numbers`) was set. */
  def hasNumber(i: Int): Boolean

  /** Number `i`, 0 if it was not set. */
  def number(i: Int): Long
  def setNumber(i: Int, value: Long): Unit
  def clearNumber(i: Int): Unit

  /** Value `i` (a position in the trigger's `values`), None if it was not set. */
  def value[T <: AnyRef](i: Int): Option[T]
  def setValue(i: Int, value: AnyRef): Unit
  def clearValue(i: Int): Unit

  /** Whether a timer of that time is the clean-up of the window, whoever else has set it too. */
  private[sparkwindowing] def isCleanup(eventTime: Boolean, time: Long): Boolean = false

  /** So many firings are left out, since a clock has jumped over more of them than an operator calls in a step. */
  private[sparkwindowing] def skippedFirings(firings: Long): Unit = ()
}

private[sparkwindowing] object TriggerContext {

  /** Limits within a step: the trigger calls of one window by timers that do not advance in time, or that run up to the
    * end of time; and the multiples of its interval that a continuous trigger fires.
    */
  val MaxTimerCalls: Int = 1000000
}

/** The context of `onMerge`: that of the window that came out, with a view of what was remembered of the merged ones.
  */
trait OnMergeContext extends TriggerContext {

  /** How many live windows were merged; the new element's own window is not one of them. */
  def mergedWindows: Int
  def mergedHasNumber(window: Int, i: Int): Boolean
  def mergedNumber(window: Int, i: Int): Long
  def mergedValue[T <: AnyRef](window: Int, i: Int): Option[T]
}
