package dev.sparkwindowing.operator

import dev.sparkwindowing.evictors.EvictorContext
import dev.sparkwindowing.state.{KeyState, TimerSet, WindowRecord}
import dev.sparkwindowing.triggers.OnMergeContext
import dev.sparkwindowing.windows.Millis

/** Context of triggers and evictors: times, and timers and state of the current window.
  *
  * An operator has one object, which it points at one record after the other.
  */
private[operator] final class WindowContext[C <: AnyRef](
    state: KeyState[C],
    out: WindowOutput[_, C],
    isEventTime: Boolean,
    lateness: Long
) extends OnMergeContext
    with EvictorContext {

  var currentWatermark: Long      = Long.MinValue
  var currentProcessingTime: Long = Long.MinValue

  /** The current window. */
  var record: WindowRecord[C] = _

  /** True if the current window had no contents before the element. */
  var isFirst: Boolean = false

  /** In onMerge: positions of the merged windows among the key's records. */
  var mergedFrom: Int  = 0
  var mergedUntil: Int = 0

  /** While timers of one time domain fire: timers of the records up to the limit, and those registered meanwhile. */
  val due: TimerSet            = new TimerSet
  var eventDueLimit: Long      = Long.MinValue
  var processingDueLimit: Long = Long.MinValue

  /** The clean-up time of a window: its end, plus the allowed lateness in event time; the maximum is never. */
  def cleanupTime(r: WindowRecord[C]): Long = cleanupTime(r.maxTimestamp)

  def cleanupTime(maxTimestamp: Long): Long =
    if (isEventTime) Millis.cleanupOf(maxTimestamp, lateness) else maxTimestamp

  /** The earliest end of a window that is not late now. */
  def earliestEnd: Long =
    if (!isEventTime || currentWatermark < Long.MinValue + lateness) Long.MinValue
    else {
      val end = currentWatermark - lateness + 2
      if (end > currentWatermark - lateness) end else Long.MaxValue
    }

  override private[sparkwindowing] def contents: AnyRef = state.lookAt(record)

  override private[sparkwindowing] def isFirstElement: Boolean = isFirst

  override private[sparkwindowing] def isCleanup(eventTime: Boolean, time: Long): Boolean =
    eventTime == isEventTime && time == cleanupTime(record) && time != Long.MaxValue

  override private[sparkwindowing] def skippedFirings(firings: Long): Unit = out.skippedFirings(firings)

  def registerEventTimeTimer(time: Long): Unit = {
    val bit = eventBit(time)
    if (bit != 0) setBit(bit, time, eventDueLimit)
    else if (state.eventTimers.add(time, record.start, record.end)) state.changed = true
  }

  def deleteEventTimeTimer(time: Long): Unit = {
    val bit = eventBit(time)
    if (bit != 0) clearBit(bit)
    else if (state.eventTimers.remove(time, record.start, record.end)) state.changed = true
  }

  def registerProcessingTimeTimer(time: Long): Unit =
    if (time == record.maxTimestamp) setBit(WindowRecord.ProcessingEnd, time, processingDueLimit)
    else if (state.processingTimers.add(time, record.start, record.end)) state.changed = true

  def deleteProcessingTimeTimer(time: Long): Unit =
    if (time == record.maxTimestamp) clearBit(WindowRecord.ProcessingEnd)
    else if (state.processingTimers.remove(time, record.start, record.end)) state.changed = true

  private[this] def eventBit(time: Long): Int =
    if (time == record.maxTimestamp) WindowRecord.EventEnd
    else if (isEventTime && time == cleanupTime(record)) WindowRecord.EventCleanup
    else 0

  private[this] def setBit(bit: Int, time: Long, dueLimit: Long): Unit =
    if ((record.timers & bit) == 0) {
      record.timers |= bit
      state.changed = true
      if (time <= dueLimit) due.add(time, record.start, record.end)
    }

  private[this] def clearBit(bit: Int): Unit =
    if ((record.timers & bit) != 0) {
      record.timers &= ~bit
      state.changed = true
    }

  def hasNumber(i: Int): Boolean = has(record, i)

  def number(i: Int): Long = if (has(record, i)) record.numbers(i) else 0L

  def setNumber(i: Int, value: Long): Unit = {
    record.numbers(i) = value
    record.numbersSet |= 1L << i
    state.changed = true
  }

  def clearNumber(i: Int): Unit =
    if (has(record, i)) {
      record.numbersSet &= ~(1L << i)
      state.changed = true
    }

  def value[T <: AnyRef](i: Int): Option[T] = Option(record.values(i).asInstanceOf[T])

  def setValue(i: Int, value: AnyRef): Unit = {
    record.values(i) = value
    state.changed = true
  }

  def clearValue(i: Int): Unit = setValue(i, null)

  def mergedWindows: Int                            = mergedUntil - mergedFrom
  def mergedHasNumber(window: Int, i: Int): Boolean = has(merged(window), i)
  def mergedNumber(window: Int, i: Int): Long       = if (has(merged(window), i)) merged(window).numbers(i) else 0L
  def mergedValue[T <: AnyRef](window: Int, i: Int): Option[T] = Option(merged(window).values(i).asInstanceOf[T])

  private[this] def merged(window: Int): WindowRecord[C]     = state.record(mergedFrom + window)
  private[this] def has(r: WindowRecord[C], i: Int): Boolean = (r.numbersSet & (1L << i)) != 0
}
