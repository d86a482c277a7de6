package dev.sparkwindowing.operator

import dev.sparkwindowing.declaration.Forgettable
import dev.sparkwindowing.functions.TimeDomain
import dev.sparkwindowing.pieces.PieceStore
import dev.sparkwindowing.state.{FunctionState, StateShare}
import dev.sparkwindowing.windows.Window

/** Operator on one key at a time. It is opened on the block of a key, gets the key's events in order, and is closed
  * into the next block. One instance per task; not thread-safe. Times are milliseconds.
  */
trait KeyedOperator[E] {

  /** Opens a key with its block, null if it has none. Watermark and processing time are unchanged.
    *
    * @param pieces
    *   null if the state is the block alone
    */
  def open(block: Array[Byte], pieces: PieceStore = null): Unit

  /** Sets the watermark that lateness is judged by, without firing timers. */
  def setWatermark(watermark: Long): Unit

  /** The current watermark, `Long.MinValue` before the first. */
  def currentWatermark: Long

  /** Sets processing time without firing timers. */
  def setProcessingTime(time: Long): Unit

  /** Opens a key and adapts its state from an operator with a shorter allowed lateness or another trigger: sets the
    * timers that this operator would have set, and forgets the memory of the other trigger. Only operators with windows
    * allow such a change.
    *
    * @param forgotten
    *   what the other trigger has left in a window, None if the trigger is the same
    */
  def resume(block: Array[Byte], pieces: PieceStore, forgotten: Option[Forgettable]): Unit =
    throw new UnsupportedOperationException(s"$this takes no state of an operator with other rules")

  /** Processes an element with its event time, `Long.MinValue` if it has none. */
  def processElement(element: E, timestamp: Long): Unit

  /** True if windows fire at the end of a micro-batch. */
  def firesByMicroBatch: Boolean = false

  /** Called after the elements of a micro-batch, if the operator fires by it. The windows fire by `fireNext`. */
  def startEndOfMicroBatch(): Unit = ()

  /** Sets a time after which no window without elements starts; without it, there is no such time. */
  def fillUpTo(lastTime: Long): Unit = ()

  /** Advances the watermark to `watermark`. The event-time timers up to `dueUntil`, earliest first, including those
    * registered meanwhile, fire by `fireNext`.
    */
  def startWatermark(watermark: Long, dueUntil: Long): Unit

  /** Advances processing time to `now`. The processing-time timers up to `dueUntil`, earliest first, fire by
    * `fireNext`.
    */
  def startProcessingTime(now: Long, dueUntil: Long): Unit

  /** Calls what is next of that which was started last: a timer, or the window of a micro-batch. A host takes the
    * results of one before it asks for the next, and asks until there is none before it does anything else.
    *
    * @return
    *   false if nothing was left
    */
  def fireNext(): Boolean

  /** `startEndOfMicroBatch`, and all that fires by it. */
  final def endMicroBatch(): Unit = if (firesByMicroBatch) {
    startEndOfMicroBatch()
    fireAll()
  }

  /** `startWatermark`, and all that fires by it. */
  final def advanceWatermark(watermark: Long, dueUntil: Long): Unit = {
    startWatermark(watermark, dueUntil)
    fireAll()
  }

  /** `startProcessingTime`, and all that fires by it. */
  final def advanceProcessingTime(now: Long, dueUntil: Long): Unit = {
    startProcessingTime(now, dueUntil)
    fireAll()
  }

  private def fireAll(): Unit = while (fireNext()) {}

  /** Function state of the key; the host's outputs may read and change it when they are called. */
  def functionState: FunctionState

  /** Removes expired function state, when a clock has advanced. */
  def expire(clock: TimeDomain, until: Long): Unit = functionState.expire(clock, until)

  /** The earliest time at which function state expires by a clock, [[StateCell.NoTimer]] if none does. */
  def nextExpiry(clock: TimeDomain): Long = functionState.nextExpiry(clock)

  /** True if anything has changed since the key was opened, so that it must be closed. */
  def hasChanged: Boolean

  /** True if the key has no state left. */
  def isEmpty: Boolean

  /** The current block of the key.
    *
    * @throws dev.sparkwindowing.codec.BlockTooLargeException
    *   if it has more bytes than a block may have
    */
  def close(): Array[Byte]

  /** Leaves the key, when it has been stored and its last result taken: removes the pieces that its state no longer
    * needs.
    */
  def leave(): Unit

  /** The element that ends the firing window, where windows end with an element and elements are stored, else null. */
  def firingElement: E = null.asInstanceOf[E]

  /** The window being processed, for errors; None if it is not one window. */
  def currentWindow: Option[Window]

  /** The part with the most bytes of the last block, even if that was too large to be written. */
  def largestShare: StateShare

  /** Number of windows, slices or timestamps in the state. */
  def windowCount: Int

  /** The earliest event-time timer, [[StateCell.NoTimer]] if there is none. */
  def nextEventTimer: Long

  /** The earliest processing-time timer, [[StateCell.NoTimer]] if there is none. */
  def nextProcessingTimer: Long

  /** Number of event-time timers of the key. */
  def eventTimerCount: Int

  /** Number of processing-time timers of the key. */
  def processingTimerCount: Int
}
