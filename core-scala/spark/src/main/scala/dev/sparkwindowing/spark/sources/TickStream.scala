package dev.sparkwindowing.spark.sources

import dev.sparkwindowing.spark.advice.Face
import dev.sparkwindowing.watermarks.{Heartbeat, QuietInput}
import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.connector.read.streaming.{MicroBatchStream, Offset, ReadLimit, SupportsTriggerAvailableNow}
import org.apache.spark.sql.connector.read.{InputPartition, PartitionReader, PartitionReaderFactory}

/** A source without rows, for one run of a query. A new offset makes a micro-batch happen. Called by the thread of the
  * query alone.
  *
  * @param face
  *   the API of the declaration, for errors
  */
private[sparkwindowing] abstract class TickStream(ticks: Ticks, face: Face)
    extends MicroBatchStream
    with SupportsTriggerAvailableNow {
  private[this] var isFrozen = false

  /** The query that reads this source. */
  protected lazy val query: RunningQuery = RunningQuery.current(this)

  /** The next offset, from the last one that was recorded and the processing time. */
  protected def tick(last: Option[TickOffset], now: Long): Option[TickOffset]

  override def prepareForTriggerAvailableNow(): Unit = isFrozen = true

  override def latestOffset(start: Offset, limit: ReadLimit): Offset = {
    val last =
      Option(start).map(_.json).filter(_ != TickOffset.Initial.json()).map(json => face.use(TickOffset.of(json)))
    val next = if (isFrozen || query.endsByItself) None else tick(last, query.now)
    next.orElse(last).orNull // null: nothing to record yet
  }

  override def latestOffset(): Offset =
    throw new UnsupportedOperationException("the offset depends on the last one")

  override def initialOffset(): Offset                                                = TickOffset.Initial
  override def deserializeOffset(json: String): Offset                                = face.use(TickOffset.of(json))
  override def planInputPartitions(start: Offset, end: Offset): Array[InputPartition] = Array.empty
  override def createReaderFactory(): PartitionReaderFactory                          = NoRows
  override def commit(end: Offset): Unit                                              = ()
  override def stop(): Unit                                                           = ()
  override def toString: String                                                       = ticks.toString
}

private[sparkwindowing] final class ClockTicks(ticks: Ticks.OfClock, face: Face) extends TickStream(ticks, face) {
  private[this] val heartbeat = new Heartbeat(ticks.millis)

  protected def tick(last: Option[TickOffset], now: Long): Option[TickOffset] =
    if (heartbeat.isDue(last.map(_.time), now)) Some(TickOffset(now, None)) else None
}

private[sparkwindowing] final class QuietInputTicks(ticks: Ticks.OfQuietInput, face: Face)
    extends TickStream(ticks, face) {
  private[this] val input = new QuietInput(ticks.timeout, ticks.delay, ticks.boundedByClock)

  /** True if the input has had no rows for the timeout. */
  def isIdle: Boolean = input.isIdle

  private[this] var offsets: Option[Seq[Option[String]]] = None

  protected def tick(last: Option[TickOffset], now: Long): Option[TickOffset] = {
    // Offsets of the micro-batch before: the sources are asked for those of this one now.
    val current      = query.siblingOffsets
    val foundNothing = offsets.contains(current)
    offsets = Some(current)
    input.poll(now, foundNothing, query.watermark, query.otherWatermarks).map(w => TickOffset(now, Some(w)))
  }
}

private object NoRows extends PartitionReaderFactory {
  override def createReader(partition: InputPartition): PartitionReader[InternalRow] =
    throw new IllegalStateException("a source without rows is read")
}
