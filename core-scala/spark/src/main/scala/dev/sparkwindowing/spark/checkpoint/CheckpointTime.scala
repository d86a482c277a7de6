package dev.sparkwindowing.spark.checkpoint

import org.apache.hadoop.conf.Configuration
import org.apache.hadoop.fs.Path

/** Progress of the query of a checkpoint.
  *
  * @param batch
  *   its last complete micro-batch
  * @param watermark
  *   that of the next one as Spark counts it, in milliseconds; None if there is none
  * @param slowest
  *   the partitions that watermarks by partition wait for
  */
private[sparkwindowing] final case class CheckpointTime(batch: Long, watermark: Option[Long], slowest: Seq[String])

private[sparkwindowing] object CheckpointTime {

  /** @throws java.lang.IllegalArgumentException if no micro-batch is complete */
  def of(checkpoint: String, conf: Configuration): CheckpointTime = {
    val logs  = new BatchLogs(new Path(checkpoint), conf)
    val batch = logs.lastComplete
    CheckpointTime(batch, logs.nextWatermark(batch), PartitionTimesFiles.slowest(checkpoint, conf))
  }
}
