package dev.sparkwindowing.operator

import dev.sparkwindowing.state.StateShare
import dev.sparkwindowing.windows.Window

/** What happens to one key in one step: a micro-batch, a batch, or an event of a simulation.
  *
  * @param rowsFirst
  *   false for an operator fed by sources: due timers fire, those of event time before those of the clock, then rows
  *   are judged against the same watermark. True where the rows come out of another stateful operator, which fired them
  *   by this step's own watermark, but at this step's time of the clock: timers of the clock fire, then rows are judged
  *   against the watermark of the step before, then timers of event time fire.
  */
final class Step[E](operator: KeyedOperator[E], timestamps: Timestamps[E], rowsFirst: Boolean) {

  def run(rows: Iterator[E], cell: StateCell): Unit = {
    operator.open(cell.block)
    operator.setProcessingTime(cell.processingTime)
    if (rowsFirst) {
      operator.setWatermark(cell.previousWatermark)
      moveClock(cell)
      take(rows)
      moveWatermark(cell)
    } else {
      moveWatermark(cell)
      moveClock(cell)
      take(rows)
    }
    keep(cell)
  }

  /** Takes over the state of a key that was kept under other rules, before the first step under those of the operator.
    *
    * @param newTrigger
    *   whether the trigger is another one
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
          operator.nextEventTimer,
          operator.nextProcessingTimer,
          operator.windowCount,
          operator.eventTimerCount,
          operator.processingTimerCount
        )

  /** All rows of a key that has no state, and then the end of the input: the watermark passes every time. The clock
    * stands still, before all times.
    */
  def runBounded(rows: Iterator[E]): Unit = {
    operator.open(null)
    operator.setProcessingTime(Long.MinValue)
    operator.setWatermark(Long.MinValue)
    take(rows)
    operator.advanceWatermark(Long.MaxValue, Long.MaxValue)
  }

  /** The window that is being worked on, for errors; None if it is not one window. */
  def currentWindow: Option[Window] = operator.currentWindow

  /** What takes the most bytes of the block that was made last. */
  def largestShare: StateShare = operator.largestShare

  // A timer at or behind the watermark waits for the next advance.
  private[this] def moveWatermark(cell: StateCell): Unit =
    if (cell.watermark > cell.previousWatermark) operator.advanceWatermark(cell.watermark, cell.dueEventTime)
    else operator.setWatermark(cell.watermark)

  private[this] def moveClock(cell: StateCell): Unit =
    operator.advanceProcessingTime(cell.processingTime, cell.dueProcessingTime)

  private[this] def take(rows: Iterator[E]): Unit =
    while (rows.hasNext) {
      val row = rows.next()
      operator.processElement(row, timestamps.of(row))
    }
}

/** The event time of an element in milliseconds, `Long.MinValue` for none. */
trait Timestamps[-E] extends Serializable {
  def of(element: E): Long
}
