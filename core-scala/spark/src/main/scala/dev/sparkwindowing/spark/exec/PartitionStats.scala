package dev.sparkwindowing.spark.exec

import dev.sparkwindowing.spark.checkpoint.PartitionTimesFiles
import dev.sparkwindowing.spark.plan.PartitionProof
import dev.sparkwindowing.spark.relocated.Relocated.{EventTimeStats, EventTimeStatsAccum, watermarkId}
import dev.sparkwindowing.watermarks.PartitionTimes
import org.apache.hadoop.conf.Configuration
import org.apache.spark.SparkContext
import org.apache.spark.sql.SparkWindowingBridge.MicroBatch
import org.apache.spark.sql.catalyst.plans.logical.EventTimeWatermark
import org.apache.spark.unsafe.types.UTF8String
import org.apache.spark.util.CollectionAccumulator

import java.util.AbstractMap.SimpleEntry
import java.util.{HashMap => JavaMap, WeakHashMap}
import scala.collection.mutable
import scala.jdk.CollectionConverters._

/** Event times observed in a micro-batch, of which the highest is that of the slowest partition. It stays on the
  * driver: tasks fill the two accumulators in it, which are classes of Spark and Java, since a jar added to a running
  * session is not visible where task results are read.
  */
private[exec] final class PartitionStats extends EventTimeStatsAccum {
  import PartitionStats._

  /** All event times. */
  val all: EventTimeStatsAccum = new EventTimeStatsAccum

  /** The highest event time of each partition in a task, `Long.MinValue` if its rows have none. */
  val partitions: CollectionAccumulator[SimpleEntry[String, java.lang.Long]] =
    new CollectionAccumulator[SimpleEntry[String, java.lang.Long]]

  private[this] var batch: Option[Batch] = None

  /** Called on the driver before the tasks of a micro-batch. */
  def begin(
      context: SparkContext,
      microBatch: MicroBatch,
      watermark: AnyRef,
      proof: PartitionProof,
      conf: => Configuration
  ): Unit = {
    context.register(all)
    context.register(partitions)
    val number = microBatch.logical
      .collect { case w: EventTimeWatermark if PartitionProof.of(w.eventTime).isDefined => watermarkId(w) }
      .distinct
      .indexOf(watermark)
    batch = Some(new Batch(microBatch, proof, memoryOf(microBatch, number, proof.column, conf)))
  }

  override def value: EventTimeStats = {
    val times = observed
    times.merge(super.value) // what was added on the driver
    times
  }

  /** The highest event time of each partition, when the micro-batch has ended. */
  def byPartition: Map[String, Long] = batch.fold(Map.empty[String, Long])(_.times.map { case (p, t) =>
    p -> t.highest
  })

  private[this] def observed: EventTimeStats =
    batch.filterNot(_ => partitions.isZero).flatMap(_.slowest(highest)) match {
      case None                => all.value.copy()
      case Some(Long.MinValue) => EventTimeStats.zero // a partition without a time so far
      case Some(slowest)       =>
        val times = all.value
        if (times.count > 0) times.copy(max = slowest) else EventTimeStats(slowest, slowest, slowest.toDouble, 1)
    }

  private[this] def highest: Map[String, Long] =
    partitions.value.asScala
      .groupBy(_.getKey)
      .map { case (partition, times) => partition -> times.map(_.getValue.longValue).max }
}

private object PartitionStats {

  /** Times of the partitions of one watermark of a running query.
    *
    * @param files
    *   those in the checkpoint
    */
  private final class Memory(files: PartitionTimesFiles, batch: Long) {
    private[this] var current = files.before(batch)

    def times: PartitionTimes = synchronized(current)

    def keep(batch: Long, after: PartitionTimes): Unit = synchronized {
      files.write(batch, after)
      current = after
    }
  }

  private final class Batch(batch: MicroBatch, proof: PartitionProof, memory: Memory) {
    private[this] val before  = memory.times
    private[this] var written = before

    def times: Map[String, PartitionTimes.Partition] = memory.times.partitions

    /** The event time of the slowest partition. When Spark asks for it on the query's thread, the rows have all been
      * seen and Spark has not yet committed the micro-batch: then the times go into the checkpoint.
      */
    def slowest(highest: Map[String, Long]): Option[Long] = {
      val after = before.after(highest, batch.processingTime, proof.idleTimeout)
      if ((Thread.currentThread eq batch.query.queryExecutionThread) && after != written) {
        memory.keep(batch.id, after)
        written = after
      }
      after.slowest
    }
  }

  private val memories = new WeakHashMap[AnyRef, mutable.Map[Int, Memory]]

  private def memoryOf(batch: MicroBatch, number: Int, column: String, conf: => Configuration): Memory =
    memories.synchronized {
      memories
        .computeIfAbsent(batch.query, _ => mutable.Map.empty)
        .getOrElseUpdate(
          number,
          new Memory(new PartitionTimesFiles(batch.stateLocation, number, column, conf), batch.id)
        )
    }
}

/** Highest event time of each partition in a task. */
private final class HighestTimes {
  private[this] val times = new JavaMap[UTF8String, Array[Long]]

  def add(partition: UTF8String, millis: Long): Unit = {
    val highest = times.get(partition)
    if (highest == null) times.put(partition.clone(), Array(millis))
    else if (millis > highest(0)) highest(0) = millis
  }

  def foreach(use: SimpleEntry[String, java.lang.Long] => Unit): Unit =
    times.forEach((partition, highest) => use(new SimpleEntry(partition.toString, highest(0))))
}
