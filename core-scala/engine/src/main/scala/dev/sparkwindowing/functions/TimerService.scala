package dev.sparkwindowing.functions

/** Times and timers of a key, or of one of its windows. Timers are a set: registering an existing timer or deleting a
  * missing one has no effect. An event-time timer at or before the watermark fires with the next advance of the
  * watermark. Times are milliseconds since the epoch.
  */
trait TimerService {

  /** The watermark, `Long.MinValue` before the first. */
  def currentWatermark: Long

  /** Processing time, `Long.MinValue` where it does not advance. */
  def currentProcessingTime: Long

  def registerEventTimeTimer(time: Long): Unit
  def registerProcessingTimeTimer(time: Long): Unit
  def deleteEventTimeTimer(time: Long): Unit
  def deleteProcessingTimeTimer(time: Long): Unit
}
