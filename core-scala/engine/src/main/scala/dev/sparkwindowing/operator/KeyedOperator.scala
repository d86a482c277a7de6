package dev.sparkwindowing.operator

import dev.sparkwindowing.state.{FunctionState, StateShare}
import dev.sparkwindowing.windows.Window

/** What works on one key at a time: opened on the block of a key, it takes what happens in the order in which it
  * happens, and is closed into the next block. One instance a task; not thread-safe. Times are milliseconds.
  */
trait KeyedOperator[E] {

  /** Takes up a key: its block, null if it has none. The watermark and the clock are those of the last call. */
  def open(block: Array[Byte]): Unit

  /** The watermark that elements are judged against; set it without firing anything. */
  def setWatermark(watermark: Long): Unit

  /** The watermark now, `Long.MinValue` before the first. */
  def currentWatermark: Long

  /** The clock that is read; set it without firing anything. */
  def setProcessingTime(time: Long): Unit

  /** The state of the key was kept by an operator whose lateness was shorter, or whose trigger was another one without
    * memory: sets the timers as this operator would have set them. Only operators with windows allow such a change.
    */
  def resume(newTrigger: Boolean): Unit =
    throw new UnsupportedOperationException(s"$this takes no state of an operator with other rules")

  /** One element with its event time, `Long.MinValue` if it has none. */
  def processElement(element: E, timestamp: Long): Unit

  /** The watermark rises to `watermark`: fires the event-time timers up to `dueUntil`, earliest first, also those that
    * are registered meanwhile.
    */
  def advanceWatermark(watermark: Long, dueUntil: Long): Unit

  /** The clock moves to `now`: fires the processing-time timers up to `dueUntil`, earliest first. */
  def advanceProcessingTime(now: Long, dueUntil: Long): Unit

  /** What functions remember of the key; the host's outputs may read and change it when they are called. */
  def functionState: FunctionState

  /** Whether anything has changed since the key was opened, so that it must be closed. */
  def hasChanged: Boolean

  /** Whether nothing is left to remember of the key. */
  def isEmpty: Boolean

  /** The block of the key as it is now.
    *
    * @throws dev.sparkwindowing.codec.BlockTooLargeException
    *   if it has more bytes than a block may have
    */
  def close(): Array[Byte]

  /** The window that is being worked on, for errors; None if it is not one window. */
  def currentWindow: Option[Window]

  /** What takes the most bytes of the last block, also of one that was too large to be made. */
  def largestShare: StateShare

  /** The number of windows that are remembered. */
  def windowCount: Int

  /** The earliest event-time timer, [[StateCell.NoTimer]] if there is none. */
  def nextEventTimer: Long

  /** The earliest processing-time timer, [[StateCell.NoTimer]] if there is none. */
  def nextProcessingTimer: Long

  /** The number of event-time timers of the key. */
  def eventTimerCount: Int

  /** The number of processing-time timers of the key. */
  def processingTimerCount: Int
}
