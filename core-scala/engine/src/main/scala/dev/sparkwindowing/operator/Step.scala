package dev.sparkwindowing.operator

import dev.sparkwindowing.functions.TimeDomain
import dev.sparkwindowing.state.StateShare
import dev.sparkwindowing.windows.Window

/** Work on one key in one step: a micro-batch, a batch, or an event of a simulation.
  *
  * @param rowsFirst
  *   false for an operator fed by sources: due timers fire, event-time before processing-time timers, then lateness of
  *   rows is judged by the same watermark. True if the rows come from another stateful operator, which fired them by
  *   this step's watermark at this step's processing time: processing-time timers fire, then lateness of rows is judged
  *   by the watermark of the step before, then event-time timers fire.
  *
  * Windows that fire by micro-batches fire directly after the rows. The rows of a batch are not a micro-batch.
  *
  * Expired state of the key is removed when its clock advances, after the timers.
  *
  * If the watermark of the next step is known already, the event-time timers that it makes due fire at the end of this
  * step. The order of rows and timers is the same as without it, only one step earlier.
  */
final class Step[E](operator: KeyedOperator[E], timestamps: TimestampExtractor[E], rowsFirst: Boolean) {

  def run(rows: Iterator[E], cell: StateCell): Unit = {
    operator.open(cell.block)
    operator.setProcessingTime(cell.processingTime)
    operator.setWatermark(cell.previousWatermark)
    if (rowsFirst) {
      advanceProcessingTime(cell)
      take(rows)
      operator.endMicroBatch()
      advanceWatermark(cell)
    } else {
      advanceWatermark(cell)
      advanceProcessingTime(cell)
      take(rows)
      operator.endMicroBatch()
    }
    if (cell.nextWatermark > cell.watermark) raise(cell.nextWatermark, cell.nextWatermark)
    keep(cell)
  }

  /** Takes over the state of a key from other rules, before the first step under the operator's own.
    *
    * @param newTrigger
    *   whether the trigger has changed
    */
  def resume(cell: StateCell, newTrigger: Boolean): Unit = {
    operator.open(cell.block)
    operator.setProcessingTime(cell.processingTime)
    operator.setWatermark(cell.previousWatermark)
    operator.resume(newTrigger)
    keep(cell)
  }

  private[this] def keep(cell: StateCell): Unit =
    if (operator.hasChanged)
      if (operator.isEmpty) cell.remove()
      else
        cell.save(
          operator.close(),
          math.min(operator.nextEventTimer, operator.functionState.nextExpiry(TimeDomain.EventTime)),
          math.min(operator.nextProcessingTimer, operator.functionState.nextExpiry(TimeDomain.ProcessingTime)),
          operator.windowCount,
          operator.eventTimerCount,
          operator.processingTimerCount
        )

  /** All rows of a key without state, then the end of the input: the watermark passes every time. Processing time stays
    * before all times.
    */
  def runBounded(rows: Iterator[E]): Unit = {
    operator.open(null)
    operator.setProcessingTime(Long.MinValue)
    operator.setWatermark(Long.MinValue)
    take(rows)
    operator.advanceWatermark(Long.MaxValue, Long.MaxValue)
  }

  /** The window being processed, for errors; None if it is not one window. */
  def currentWindow: Option[Window] = operator.currentWindow

  /** The part with the most bytes of the last block. */
  def largestShare: StateShare = operator.largestShare

  // A timer at or before the watermark waits for the next advance.
  private[this] def advanceWatermark(cell: StateCell): Unit =
    if (cell.watermark > cell.previousWatermark) raise(cell.watermark, cell.dueEventTime)
    else operator.setWatermark(cell.watermark)

  private[this] def raise(watermark: Long, dueUntil: Long): Unit = {
    operator.advanceWatermark(watermark, dueUntil)
    operator.functionState.expire(TimeDomain.EventTime, dueUntil)
  }

  private[this] def advanceProcessingTime(cell: StateCell): Unit = {
    operator.advanceProcessingTime(cell.processingTime, cell.dueProcessingTime)
    operator.functionState.expire(TimeDomain.ProcessingTime, cell.dueProcessingTime)
  }

  private[this] def take(rows: Iterator[E]): Unit =
    while (rows.hasNext) {
      val row = rows.next()
      operator.processElement(row, timestamps.of(row))
    }
}

object Step {

  /** The watermark that lateness of rows is judged by. */
  def judging(rowsFirst: Boolean, watermark: Long, previousWatermark: Long): Long =
    if (rowsFirst) previousWatermark else watermark
}

/** Event time of an element in milliseconds, `Long.MinValue` for none. */
trait TimestampExtractor[-E] extends Serializable {
  def of(element: E): Long
}
