package dev.sparkwindowing.spark.portable

import dev.sparkwindowing.operator.StateCell
import dev.sparkwindowing.spark.task.StreamBatch
import org.apache.spark.sql.streaming.GroupState

/** State and times of a key in Spark's `GroupState`, for one call.
  *
  * Spark does not expose the previous watermark; the one stored with the state is used: a timer up to it has not fired
  * since it waits for the next advance.
  *
  * @param hasWatermark
  *   whether the stream has a watermark, without which no event-time timer is ever due
  * @param specification
  *   fingerprint of the query
  * @param checkSize
  *   called with the number of bytes of a block before it is stored
  */
private[portable] final class GroupCell(
    timers: PortableTimers,
    hasWatermark: Boolean,
    specification: Long,
    checkSize: Int => Unit
) extends StateCell {
  private[this] var group: GroupState[Array[Byte]]                       = _
  private[this] var stored: Either[IllegalStateException, PortableState] = _
  private[this] var timer                                                = StateCell.NoTimer
  private[this] var sparkWatermark                                       = 0L

  var watermark: Long      = Long.MinValue
  var processingTime: Long = Long.MinValue

  /** Opens the state of a key. A state that cannot be read fails where the block is read, so that the error names the
    * key.
    */
  def open(group: GroupState[Array[Byte]]): this.type = {
    this.group = group
    sparkWatermark = group.getCurrentWatermarkMs()
    watermark = StreamBatch.watermark(Some(sparkWatermark))
    processingTime = group.getCurrentProcessingTimeMs()
    stored =
      if (!group.exists) Right(PortableState.none(specification))
      else
        try Right(PortableState.read(group.get, specification))
        catch { case e: IllegalStateException => Left(e) }
    timer = stored.fold(_ => StateCell.NoTimer, _.timer)
    this
  }

  def block: Array[Byte]      = stored.fold(e => throw e, _.block)
  def previousWatermark: Long = stored.fold(_ => watermark, state => math.min(state.watermark, watermark))
  def dueProcessingTime: Long = processingTime - 1

  def save(
      block: Array[Byte],
      nextEventTimer: Long,
      nextProcessingTimer: Long,
      windows: Int,
      eventTimers: Int,
      processingTimers: Int
  ): Unit = {
    checkSize(block.length)
    if (nextEventTimer != StateCell.NoTimer && hasWatermark && timers != PortableTimers.EventTime)
      throw unexpected("event time", "EventTime")
    if (nextProcessingTimer != StateCell.NoTimer && timers != PortableTimers.ProcessingTime)
      throw unexpected("processing time", "ProcessingTime")
    timer = timers match {
      case PortableTimers.EventTime      => nextEventTimer
      case PortableTimers.ProcessingTime => nextProcessingTimer
      case PortableTimers.None           => StateCell.NoTimer
    }
    group.update(PortableState.write(new PortableState(specification, watermark, timer, block)))
  }

  def remove(): Unit = if (group.exists) group.remove()

  /** Sets the timeout. Spark forgets it at each call, and takes no time before its watermark or before 1 ms. */
  def close(): Unit =
    if (group.exists && timer != StateCell.NoTimer) timers match {
      case PortableTimers.EventTime      => group.setTimeoutTimestamp(math.max(timer, math.max(sparkWatermark, 1L)))
      case PortableTimers.ProcessingTime => group.setTimeoutDuration(math.max(timer - processingTime, 1L))
      case PortableTimers.None           => ()
    }

  private[this] def unexpected(clock: String, name: String): UnsupportedOperationException =
    new UnsupportedOperationException(
      s"a timer of $clock was set, and the portable window operator has ${timers.text} for this query. If it is the only " +
        s"clock of a trigger or function of your own, let that say so: override setsTimers to be true for TimeDomain.$name " +
        "alone. Timers of both clocks need the native operator"
    )
}
