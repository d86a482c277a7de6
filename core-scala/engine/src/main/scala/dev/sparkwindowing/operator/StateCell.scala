package dev.sparkwindowing.operator

/** What a [[WindowOperator]] asks of its host for one key in one step: the state of the key and the time.
  *
  * Times are milliseconds. `Long.MinValue` is the watermark before the first.
  */
trait StateCell {

  /** The block of the key, null if it has none. */
  def block: Array[Byte]

  /** The watermark of this step, and of the step before. */
  def watermark: Long
  def previousWatermark: Long

  /** Event-time timers up to this time are due when the watermark has risen: all that it has reached. A host that lets
    * the timers of several keys fire in one order calls once for each time.
    */
  def dueEventTime: Long = watermark

  /** The clock. */
  def processingTime: Long

  /** Processing-time timers up to this time are due: the clock, or a millisecond less where the host's clock is a real
    * one (a window [0, 10) is complete at 10).
    */
  def dueProcessingTime: Long

  /** Keeps `block`, and asks to be called when the watermark has reached `nextEventTimer` or `dueProcessingTime` has
    * reached `nextProcessingTimer`; [[StateCell.NoTimer]] is none. The last three are the numbers of windows and timers
    * that are remembered.
    */
  def save(
      block: Array[Byte],
      nextEventTimer: Long,
      nextProcessingTimer: Long,
      windows: Int,
      eventTimers: Int,
      processingTimers: Int
  ): Unit

  /** Forgets the key: nothing is left to remember. */
  def remove(): Unit
}

object StateCell {

  /** Stands for "no timer": no clock ever reaches it. */
  val NoTimer: Long = Long.MaxValue
}
