package dev.sparkwindowing.spark.metrics

/** Event times of an input in a micro-batch, in milliseconds, as far as its rows have been seen.
  *
  * @param delayMs
  *   of its watermark
  * @param highest
  *   the highest one, with a watermark by partition that of the slowest; None if there is none
  * @param partitions
  *   the highest one of each partition, with a watermark by partition
  */
private[spark] final case class InputTimes(
    delayMs: Long,
    highest: () => Option[Long],
    partitions: () => Map[String, Long]
)
