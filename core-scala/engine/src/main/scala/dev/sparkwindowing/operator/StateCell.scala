package dev.sparkwindowing.operator

import dev.sparkwindowing.pieces.PieceStore

/** State and times of one key in one step, which the host passes to a [[WindowOperator]].
  *
  * Times are milliseconds. The watermark before the first is `Long.MinValue`.
  */
trait StateCell {

  /** The block of the key, null if it has none. */
  def block: Array[Byte]

  /** The pieces of the key; null if the host stores none, so that the state is the block alone. */
  def pieces: PieceStore = null

  /** The watermark of this step, and of the step before. */
  def watermark: Long
  def previousWatermark: Long

  /** The watermark of the next step if it is known already, else that of this step. */
  def nextWatermark: Long = watermark

  /** Event-time timers up to this time are due when the watermark has risen; by default all up to the watermark. A host
    * that fires the timers of several keys in one order calls once for each time.
    */
  def dueEventTime: Long = watermark

  /** Processing time. */
  def processingTime: Long

  /** Processing-time timers up to this time are due: processing time, or one millisecond less if the host uses real
    * time (a window [0, 10) is complete at 10).
    */
  def dueProcessingTime: Long

  /** Stores `block`, and asks for a call when the watermark has reached `nextEventTimer` or `dueProcessingTime` has
    * reached `nextProcessingTimer`; [[StateCell.NoTimer]] means that there is none. The last three arguments are the
    * numbers of windows and timers in the state.
    */
  def save(
      block: Array[Byte],
      nextEventTimer: Long,
      nextProcessingTimer: Long,
      windows: Int,
      eventTimers: Int,
      processingTimers: Int
  ): Unit

  /** Removes the key: it has no state left. */
  def remove(): Unit
}

object StateCell {

  /** Stands for "no timer": no time reaches it. */
  val NoTimer: Long = Long.MaxValue
}
