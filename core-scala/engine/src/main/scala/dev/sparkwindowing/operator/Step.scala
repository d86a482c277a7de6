package dev.sparkwindowing.operator

import dev.sparkwindowing.declaration.Forgettable
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

  import Step._

  // By whether the watermark changes before the step, and at its end: most steps have few rows, and pass few phases.
  private[this] val ofMicroBatch = {
    val rows = if (operator.firesByMicroBatch) Array(Rows, EndOfMicroBatch) else Array(Rows)
    val all  =
      if (rowsFirst) ProcessingTime +: rows :+ Watermark :+ NextWatermark
      else Array(Watermark, ProcessingTime) ++ rows :+ NextWatermark
    Array(
      all.filter(p => p != Watermark && p != NextWatermark),
      all.filter(_ != NextWatermark),
      all.filter(_ != Watermark),
      all
    )
  }

  // The phases of the step, and which of them is at work; the rows, and the state of the key, null in a batch. A
  // reference is set where it changes: a store of one into an old object costs more than the question.
  private[this] var phases             = OfBatch
  private[this] var at                 = OfBatch.length
  private[this] var input: Iterator[E] = _
  private[this] var cell: StateCell    = _

  /** Starts a step, whose work is done by `next`. */
  def start(rows: Iterator[E], cell: StateCell): Unit = {
    operator.open(cell.block, cell.pieces)
    operator.setProcessingTime(cell.processingTime)
    operator.setWatermark(cell.previousWatermark)
    val changes = (if (cell.watermark != cell.previousWatermark) 1 else 0) +
      (if (cell.nextWatermark > cell.watermark) 2 else 0)
    begin(ofMicroBatch(changes), rows, cell)
  }

  /** Starts the step of a key without state that takes all its rows and then the end of the input: the watermark passes
    * every time. Processing time stays before all times.
    *
    * @param lastTime
    *   time after which no window without elements starts
    */
  def startBounded(rows: Iterator[E], lastTime: Long = Long.MaxValue): Unit = {
    operator.open(null)
    operator.fillUpTo(lastTime)
    operator.setProcessingTime(Long.MinValue)
    operator.setWatermark(Long.MinValue)
    begin(OfBatch, rows, null)
  }

  /** Takes rows and fires timers and windows, one after the other, until one has results. A host that takes the results
    * before it asks for more holds no more than these. After the last the state of the key is stored.
    *
    * @param results
    *   those of the operator
    * @return
    *   false if nothing is left: no results are waiting
    */
  def next(results: Results): Boolean = {
    var isFound = false
    while (!isFound && at < phases.length) {
      val phase = phases(at)
      isFound = if (phase == Rows) takeUntil(results) else fireUntil(results)
      if (!isFound) {
        leave(phase)
        at += 1
        if (at < phases.length) enter(phases(at)) else if (cell != null) keep(cell)
      }
    }
    isFound
  }

  /** All of a step. */
  def run(rows: Iterator[E], cell: StateCell): Unit = {
    start(rows, cell)
    next(AllAtOnce)
  }

  /** All of a step of a key without state, as `startBounded` has it. */
  def runBounded(rows: Iterator[E], lastTime: Long = Long.MaxValue): Unit = {
    startBounded(rows, lastTime)
    next(AllAtOnce)
  }

  private[this] def begin(phases: Array[Int], rows: Iterator[E], cell: StateCell): Unit = {
    if (this.phases ne phases) this.phases = phases
    if (this.cell ne cell) this.cell = cell
    if (input ne rows) input = rows
    at = 0
    enter(phases(0))
  }

  private[this] def enter(phase: Int): Unit = phase match {
    // A timer at or before the watermark waits for the next advance.
    case Watermark =>
      if (hasRisen) operator.startWatermark(cell.watermark, cell.dueEventTime)
      else operator.setWatermark(cell.watermark)
    case ProcessingTime  => operator.startProcessingTime(cell.processingTime, cell.dueProcessingTime)
    case EndOfMicroBatch => operator.startEndOfMicroBatch()
    case NextWatermark   => operator.startWatermark(cell.nextWatermark, cell.nextWatermark)
    case EndOfInput      => operator.startWatermark(Long.MaxValue, Long.MaxValue)
    case _               => ()
  }

  private[this] def takeUntil(results: Results): Boolean = {
    var areWaiting = false
    while (!areWaiting && input.hasNext) {
      val row = input.next()
      if (!timestamps.isMissing(row)) operator.processElement(row, timestamps.of(row))
      areWaiting = results.areWaiting
    }
    areWaiting
  }

  private[this] def fireUntil(results: Results): Boolean = {
    var areWaiting = false
    while (!areWaiting && operator.fireNext()) areWaiting = results.areWaiting
    areWaiting
  }

  private[this] def leave(phase: Int): Unit = phase match {
    case Watermark      => if (hasRisen) expire(TimeDomain.EventTime, cell.dueEventTime)
    case ProcessingTime => expire(TimeDomain.ProcessingTime, cell.dueProcessingTime)
    case NextWatermark  => expire(TimeDomain.EventTime, cell.nextWatermark)
    case _              => ()
  }

  private[this] def hasRisen: Boolean = cell.watermark > cell.previousWatermark

  private[this] def expire(clock: TimeDomain, until: Long): Unit = operator.expire(clock, until)

  /** Takes over the state of a key from other rules, before the first step under the operator's own.
    *
    * @param forgotten
    *   what the other trigger has left in a window, None if the trigger is the same
    */
  def resume(cell: StateCell, forgotten: Option[Forgettable]): Unit = {
    operator.setProcessingTime(cell.processingTime)
    operator.setWatermark(cell.previousWatermark)
    operator.resume(cell.block, cell.pieces, forgotten)
    keep(cell)
  }

  private[this] def keep(cell: StateCell): Unit = {
    if (operator.hasChanged)
      if (operator.isEmpty) cell.remove()
      else
        cell.save(
          operator.close(),
          math.min(operator.nextEventTimer, operator.nextExpiry(TimeDomain.EventTime)),
          math.min(operator.nextProcessingTimer, operator.nextExpiry(TimeDomain.ProcessingTime)),
          operator.windowCount,
          operator.eventTimerCount,
          operator.processingTimerCount
        )
    operator.leave()
  }

  /** The window being processed, for errors; None if it is not one window. */
  def currentWindow: Option[Window] = operator.currentWindow

  /** The part with the most bytes of the last block. */
  def largestShare: StateShare = operator.largestShare
}

object Step {

  /** Where the results of a step wait until its host takes them. */
  trait Results {
    def areWaiting: Boolean
  }

  /** For a host that takes all results at the end of the step. */
  object AllAtOnce extends Results { def areWaiting: Boolean = false }

  private final val Watermark       = 0
  private final val ProcessingTime  = 1
  private final val Rows            = 2
  private final val EndOfMicroBatch = 3
  private final val NextWatermark   = 4
  private final val EndOfInput      = 5

  private val OfBatch = Array(Rows, EndOfInput)

  /** The watermark that lateness of rows is judged by. */
  def judging(rowsFirst: Boolean, watermark: Long, previousWatermark: Long): Long =
    if (rowsFirst) previousWatermark else watermark
}

/** Event time of an element in milliseconds, `Long.MinValue` for none. */
trait TimestampExtractor[-E] extends Serializable {
  def of(element: E): Long

  /** Called once for each element, before the operator gets it. True if it has no event time and needs one: the
    * operator does not get it, and what becomes of it is the host's.
    */
  def isMissing(element: E): Boolean = false
}
