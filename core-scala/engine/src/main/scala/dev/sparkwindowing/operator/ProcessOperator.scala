package dev.sparkwindowing.operator

import dev.sparkwindowing.codec.{BlockReader, BlockWriter, CorruptBlockException}
import dev.sparkwindowing.contents.WindowContents
import dev.sparkwindowing.functions.{TimeDomain, TimerService}
import dev.sparkwindowing.pieces.PieceStore
import dev.sparkwindowing.state.TimerSet
import dev.sparkwindowing.triggers.TriggerContext
import dev.sparkwindowing.windows.Window
import dev.sparkwindowing.windows.WindowCollector.Global

/** Functions that a [[ProcessOperator]] calls, given by the host. */
trait ProcessCalls[E] {
  def processElement(element: E, timestamp: Long): Unit
  def onTimer(time: Long, domain: TimeDomain): Unit
}

/** Operator on the elements and timers of one key at a time, for a function without windows. */
final class ProcessOperator[E](calls: ProcessCalls[E])
    extends KeyStateOperator[E, AnyRef](ProcessOperator.NoContents)
    with TimerService {

  var currentWatermark: Long      = Long.MinValue
  var currentProcessingTime: Long = Long.MinValue

  // The timers that fire; null while elements are processed.
  private[this] var due: TimerSet     = _
  private[this] var dueIn: TimeDomain = _
  private[this] var limit             = 0L
  private[this] var fired             = 0
  private[this] var latest            = 0L

  override def open(block: Array[Byte], pieces: PieceStore): Unit = {
    due = null
    super.open(block, pieces)
  }

  protected def processedWindow: Option[Window] = None

  def setWatermark(watermark: Long): Unit          = currentWatermark = watermark
  override def setProcessingTime(time: Long): Unit = currentProcessingTime = time
  def processElement(e: E, timestamp: Long): Unit  = calls.processElement(e, timestamp)

  def startWatermark(watermark: Long, dueUntil: Long): Unit = {
    currentWatermark = watermark
    start(state.eventTimers, TimeDomain.EventTime, dueUntil)
  }

  override def startProcessingTime(now: Long, dueUntil: Long): Unit = {
    currentProcessingTime = now
    start(state.processingTimers, TimeDomain.ProcessingTime, dueUntil)
  }

  private[this] def start(timers: TimerSet, domain: TimeDomain, dueUntil: Long): Unit = {
    due = timers
    dueIn = domain
    limit = dueUntil
    fired = 0
    latest = Long.MinValue
  }

  def fireNext(): Boolean = {
    val isDue = due != null && !due.isEmpty && due.headTime <= limit
    if (isDue) {
      val time = due.headTime
      due.removeHead()
      state.changed = true
      // Timers that advance in time come to an end, except at the end of time.
      if (time > latest && limit != Long.MaxValue) latest = time else fired += 1
      if (fired > TriggerContext.MaxTimerCalls)
        throw new IllegalStateException(
          s"more than ${TriggerContext.MaxTimerCalls} timers of one key came due in one step without getting past a " +
            s"time ($time now): a timer that sets the next one would fire without end. Set it for a later time, or not " +
            "at the end of the input"
        )
      calls.onTimer(time, dueIn)
    } else due = null
    isDue
  }

  def registerEventTimeTimer(time: Long): Unit      = changed(state.eventTimers.add(time, Global, Global))
  def registerProcessingTimeTimer(time: Long): Unit = changed(state.processingTimers.add(time, Global, Global))
  def deleteEventTimeTimer(time: Long): Unit        = changed(state.eventTimers.remove(time, Global, Global))
  def deleteProcessingTimeTimer(time: Long): Unit   = changed(state.processingTimers.remove(time, Global, Global))

  private[this] def changed(happened: Boolean): Unit = if (happened) state.changed = true
}

private object ProcessOperator {

  /** Contents of an operator without windows. */
  object NoContents extends WindowContents[Any, AnyRef] {
    def empty(): AnyRef                                              = none()
    def add(contents: AnyRef, element: Any, timestamp: Long): AnyRef = none()
    def merge(kept: AnyRef, merged: AnyRef): AnyRef                  = none()
    def write(contents: AnyRef, out: BlockWriter): Unit              = none()
    def read(in: BlockReader): AnyRef                                = none()
    private def none(): Nothing                                      =
      throw new CorruptBlockException("contents of a window where there are no windows")
  }
}
