package dev.sparkwindowing.spark.task

/** Times of a micro-batch, as the engine reads them; `Long.MinValue` is no watermark yet.
  *
  * @param nextWatermark
  *   the watermark of the next micro-batch if it is known already, else that of this one
  * @param processingTime
  *   processing time of the micro-batch, one for all its rows
  */
private[sparkwindowing] final class StreamBatch(
    val watermark: Long,
    val previousWatermark: Long,
    val nextWatermark: Long,
    val processingTime: Long
) {

  /** Processing-time timers up to this time are due: a timer fires one millisecond after its time, when a window [0,
    * 10) is complete.
    */
  def dueProcessingTime: Long = processingTime - 1

  /** Event-time timers up to this time are due; none is while the watermark does not advance. */
  val dueEventTime: Long =
    if (nextWatermark > watermark) nextWatermark else if (watermark > previousWatermark) watermark else Long.MinValue
}

private[sparkwindowing] object StreamBatch {

  /** Spark's watermark as the engine's. Spark's is the first time that may still come, the engine's the last that may
    * not; Spark's 0 means that there is no watermark.
    */
  def watermark(spark: Option[Long]): Long = spark.filter(_ > 0).fold(Long.MinValue)(_ - 1)
}
