package dev.sparkwindowing.live

import org.apache.spark.sql.functions.{col, when}
import org.apache.spark.sql.streaming.{OutputMode, StreamingQuery, Trigger}
import org.apache.spark.sql.{DataFrame, Row, SparkSession}

import java.nio.file.Files

/** A query over a log of rows, in real-time mode or in micro-batches, over one checkpoint.
  *
  * @param delay
  *   of the watermark, in milliseconds
  * @param build
  *   the query over a stream of `key`, `ts` and `value` with a watermark; a row of a negative value has no time
  */
final class LiveQuery(spark: SparkSession, log: RowLog, delay: Long)(build: DataFrame => DataFrame)
    extends AutoCloseable {
  private[this] val checkpoint            = Files.createTempDirectory("live").toString
  private[this] val results               = Results.create()
  private[this] var query: StreamingQuery = _

  def rows: DataFrame = spark.readStream
    .format(classOf[RowLogSource].getName)
    .option("name", log.name)
    .load()
    .withColumn("ts", when(col("value") >= 0, col("ts")))
    .withWatermark("ts", s"$delay milliseconds")

  /** @param millis
    *   length of a micro-batch
    */
  def live(millis: Int): this.type = start(OutputMode.Update, LiveQuery.realTime(s"$millis milliseconds"))

  /** Takes what there is in one micro-batch, and waits until it has. */
  def once(): this.type = {
    start(OutputMode.Append, Trigger.AvailableNow())
    query.awaitTermination()
    this
  }

  private[this] def start(mode: OutputMode, trigger: Trigger): this.type = {
    val writer = build(rows).writeStream.foreach(results).outputMode(mode).trigger(trigger)
    query = writer.option("checkpointLocation", checkpoint).start()
    this
  }

  /** Waits until there are so many results, and takes them. What has come is all if they do not come in time. */
  def await(count: Int): Seq[Row] = {
    waitUntil(results.size >= count)
    results.take()
  }

  /** Waits until these are all results, and takes them. */
  def awaitAll(areAll: Seq[Row] => Boolean): Seq[Row] = {
    waitUntil(areAll(results.all.map(_.row)))
    results.take()
  }

  private[this] def waitUntil(isSo: => Boolean): Unit = {
    val end = System.nanoTime + LiveQuery.Patience
    while (!isSo && System.nanoTime < end && query.isActive) Thread.sleep(2)
    query.exception.foreach(throw _)
  }

  /** Waits until a micro-batch has ended. */
  def nextBatch(): Unit = {
    def last = Option(query.lastProgress).map(_.batchId)
    val now  = last
    waitUntil(last != now)
  }

  def running: StreamingQuery = query

  def stop(): this.type = {
    query.stop()
    this
  }

  def close(): Unit = {
    if (query != null) query.stop()
    results.forget()
  }
}

object LiveQuery {
  private val Patience = 60L * 1000 * 1000 * 1000

  // By name, since the Spark that is compiled with has only a part of it.
  private def realTime(duration: String): Trigger =
    classOf[Trigger].getMethod("RealTime", classOf[String]).invoke(null, duration).asInstanceOf[Trigger]
}
