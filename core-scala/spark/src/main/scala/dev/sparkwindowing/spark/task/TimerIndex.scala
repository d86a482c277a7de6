package dev.sparkwindowing.spark.task

import dev.sparkwindowing.operator.StateCell
import dev.sparkwindowing.spark.checkpoint.StateRow
import org.apache.spark.sql.catalyst.expressions.UnsafeRow

/** The timers of all keys of one partition of the state, and the sums over its rows, kept from micro-batch to
  * micro-batch. So a micro-batch reads only the keys with rows or due timers.
  *
  * It holds for one version of the state, from the end of the task that made it: a task takes it and gives it back
  * complete. A task that finds none for its version, as on another executor, after a failure or after a task that was
  * read in part, reads all rows of the state and fills the index anew, unless the state itself has a [[SavedIndex]].
  *
  * A key whose next timer is at a time has an entry at that time or before. If the timer moves to a later time, the key
  * gets its entry there when the earlier entry is reached. After a `restore` only keys that have changed since then
  * have entries; the timers of the others are not before `TimerQueue.leastOthers`.
  *
  * @param maxBytes
  *   limit of its memory; beyond it every micro-batch reads all rows of the state
  */
private[spark] final class TimerIndex(keyFields: Int, maxBytes: Long) {
  private[this] var version    = TimerIndex.NoVersion
  private[this] var isTooLarge = maxBytes <= 0

  /** The keys by their timers of each kind. */
  val eventTimers: TimerQueue      = new TimerQueue(keyFields)
  val processingTimers: TimerQueue = new TimerQueue(keyFields)

  /** Sums over all rows of the state. */
  var sums: StateSums = new StateSums

  /** True if the state of its version has a [[SavedIndex]], which may be that of another version. */
  var isSaved = false

  /** Bytes of memory. */
  def bytes: Long = eventTimers.bytes + processingTimers.bytes

  /** Takes it for a task on this version of the state. Until `complete` it holds for no version, since the rows of a
    * task need not be read to their end.
    *
    * @return
    *   whether it has all timers of that version
    */
  def take(version: Long): Boolean = {
    val isTaken = this.version == version
    if (isTaken) this.version = TimerIndex.NoVersion
    isTaken && fits
  }

  /** True if it holds for a later version, as in a task that a sink reads again. That one may end before it comes to
    * the due timers, so it must leave the index as it is until then.
    */
  def isAhead(version: Long): Boolean = this.version > version

  /** False if it has lost its entries, since they took more memory than the limit. */
  def fits: Boolean = !isTooLarge

  /** True if the entries up to these times are those of all keys that are due, and a task that looks them up reads
    * fewer rows than there are.
    */
  def isShorter(eventTime: Long, processingTime: Long, rows: Long): Boolean =
    eventTimers.leastOthers > eventTime && processingTimers.leastOthers > processingTime &&
      2 * (eventTimers.countUntil(eventTime) + processingTimers.countUntil(processingTime)) <= rows + TimerIndex.Few

  /** Empties it before a task reads all rows of the state. */
  def clear(): Unit = {
    version = TimerIndex.NoVersion
    clearTimers()
    sums = new StateSums
  }

  /** Takes over what the state says of itself, for a task on this version.
    *
    * @return
    *   false if that task must read all rows
    */
  def restore(saved: SavedIndex, version: Long): Boolean = {
    val isRestored = saved.version == version && fits
    if (isRestored) {
      clear()
      sums = saved.sums
      eventTimers.leastOthers = saved.eventTimer
      processingTimers.leastOthers = saved.processingTimer
    }
    isRestored
  }

  /** Summary for the state of this version; None if the index has lost its entries. */
  def saved(version: Long): Option[SavedIndex] =
    if (fits) Some(SavedIndex(version, eventTimers.least, processingTimers.least, sums)) else None

  /** Adds a row of the state. The key may be a reused buffer. */
  def add(key: UnsafeRow, row: UnsafeRow): Unit = {
    sums.add(row)
    add(eventTimers, key, StateRow.eventTimer(row))
    add(processingTimers, key, StateRow.processingTimer(row))
  }

  /** Puts a row in the place of another.
    *
    * @param before
    *   null if the key had none
    */
  def replace(key: UnsafeRow, before: UnsafeRow, after: UnsafeRow): Unit =
    if (before == null) add(key, after)
    else {
      sums.subtract(before)
      sums.add(after)
      if (StateRow.eventTimer(after) < StateRow.eventTimer(before)) add(eventTimers, key, StateRow.eventTimer(after))
      if (StateRow.processingTimer(after) < StateRow.processingTimer(before))
        add(processingTimers, key, StateRow.processingTimer(after))
    }

  /** Removes a row. Its entries have no effect. */
  def remove(before: UnsafeRow): Unit = sums.subtract(before)

  /** Adds an entry to the timers of a kind; none at [[dev.sparkwindowing.operator.StateCell.NoTimer]]. */
  def add(timers: TimerQueue, key: UnsafeRow, time: Long): Unit =
    if (time != StateCell.NoTimer && !isTooLarge) {
      timers.add(key, time)
      // Keys that are removed and made again leave entries behind.
      if (bytes > maxBytes) {
        isTooLarge = true
        clearTimers()
      }
    }

  private[this] def clearTimers(): Unit = {
    eventTimers.clear()
    processingTimers.clear()
  }

  /** Ends a micro-batch whose state has this version. */
  def complete(newVersion: Long): Unit = version = newVersion
}

private[spark] object TimerIndex {

  private val NoVersion = -1L

  // Up to half as many entries are looked up in any case.
  private val Few = 1000L
}
