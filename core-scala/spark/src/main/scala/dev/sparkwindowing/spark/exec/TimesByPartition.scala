package dev.sparkwindowing.spark.exec

import dev.sparkwindowing.spark.plan.PartitionProof
import dev.sparkwindowing.spark.relocated.Relocated.{EventTimeWatermarkExec, watermarkId}
import org.apache.spark.TaskContext
import org.apache.spark.rdd.RDD
import org.apache.spark.sql.SparkWindowingBridge
import org.apache.spark.sql.catalyst.InternalRow

/** Spark's watermark node, with the event time of the slowest partition in place of the highest one.
  *
  * Spark reads the event times that the node has observed when a micro-batch ends, and so does [[NextWatermark]].
  */
private[exec] trait TimesByPartition extends EventTimeWatermarkExec {

  /** The event times that the node observes. */
  protected def stats: PartitionStats

  override protected def doExecute(): RDD[InternalRow] = {
    val batch = SparkWindowingBridge
      .microBatch(session)
      .getOrElse(throw new IllegalStateException("a watermark by partition on a stream, outside a micro-batch"))
    PartitionProof.of(eventTime).foreach { proof =>
      stats.begin(sparkContext, batch, watermarkId(this), proof, session.sessionState.newHadoopConf())
    }
    val (all, partitions) = (stats.all, stats.partitions)
    val ordinal           = child.output.indexWhere(_.exprId == eventTime.exprId)
    child.execute().mapPartitions { rows =>
      val times = new HighestTimes
      TaskContext.get().addTaskCompletionListener[Unit](_ => times.foreach(partitions.add))
      rows.map { row =>
        val proved = row.getStruct(ordinal, 2)
        val millis = if (proved.isNullAt(1)) Long.MinValue else Math.floorDiv(proved.getLong(1), 1000L)
        if (millis != Long.MinValue) all.add(millis)
        times.add(proved.getUTF8String(0), millis)
        row
      }
    }
  }
}
