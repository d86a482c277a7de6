package dev.sparkwindowing.functions

/** The two clocks and the timers of a key, or of one of its windows. Timers are a set: registering one that is there
  * changes nothing, deleting one that is not is fine. An event-time timer at or before the watermark fires with the
  * next advance of the watermark. Times are milliseconds since the epoch.
  */
trait TimerService {

  /** The watermark, `Long.MinValue` before the first. */
  def currentWatermark: Long

  /** The clock, `Long.MinValue` where it stands still. */
  def currentProcessingTime: Long

  def registerEventTimeTimer(time: Long): Unit
  def registerProcessingTimeTimer(time: Long): Unit
  def deleteEventTimeTimer(time: Long): Unit
  def deleteProcessingTimeTimer(time: Long): Unit
}
