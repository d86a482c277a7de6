package dev.sparkwindowing.spark

import dev.sparkwindowing.spark.relocated.RelocatedInTests.memoryStream
import org.apache.spark.sql.functions._
import org.apache.spark.sql.streaming.{OutputMode, StreamingQuery, Trigger}
import org.apache.spark.sql.{DataFrame, Encoders, HandClock, Row, SparkSession, SparkTestBridge}

import java.nio.file.{Files, Path}
import java.sql.Timestamp
import scala.collection.mutable.ArrayBuffer

/** A row of the streams under test; a tick only moves the watermark. */
final case class Event(key: String, value: Int, ts: Timestamp, tick: Boolean = false)

object Event {
  def at(key: String, value: Int, millis: Long): Event = Event(key, value, new Timestamp(millis))
}

/** A streaming query whose time the test advances: the watermark by ticks, processing time by hand. It can be stopped
  * and restarted between any two micro-batches.
  *
  * @param read
  *   what the sink does with the rows of a micro-batch; returns those that it keeps
  */
final class DrivenQuery(
    spark: SparkSession,
    mode: OutputMode = OutputMode.Append,
    trigger: Trigger = Trigger.ProcessingTime(0),
    delay: Option[String] = Some("0 seconds"),
    partitions: Option[Int] = None,
    read: DataFrame => Seq[Row] = _.collect().toSeq
)(build: DataFrame => DataFrame) {
  private[this] val source = {
    val encoder = Encoders.product[Event]
    partitions.fold(memoryStream(encoder, spark))(memoryStream(encoder, spark, _))
  }
  private[this] val results               = ArrayBuffer.empty[Row]
  private[this] var query: StreamingQuery = _

  private[this] var place = Files.createTempDirectory("checkpoint")

  /** Where the query is, or would go on. */
  def checkpoint: Path = place

  val clock: HandClock = new HandClock(1000000L)

  /** The stream that `build` gets: its watermark is the greatest event time less the delay. A filter over the event
    * time stays above the watermark, so that ticks move it and go no further.
    */
  def events: DataFrame = {
    val rows  = source.toDF()
    val timed = delay.fold(rows)(rows.withWatermark("ts", _))
    timed.where(not(col("tick") && unix_micros(col("ts")) =!= Long.MinValue)).drop("tick")
  }

  def start(): this.type = {
    query = SparkTestBridge.start(build(events), checkpoint.toString, clock, mode, trigger, (batch, _) => keep(batch))
    this
  }

  def stop(): this.type = {
    if (query != null) query.stop()
    this
  }

  def restart(): this.type = stop().start()

  /** Stops, and goes on from another checkpoint of the same query. */
  def moveTo(other: Path): this.type = {
    stop()
    place = other
    start()
  }

  def running: StreamingQuery = query

  /** Output for the given rows, as one micro-batch and the empty ones that follow it. */
  def batch(events: Event*): Seq[Row] = {
    source.addData(events)
    settle()
  }

  /** Output when Spark's watermark rises to `millis` minus the delay. */
  def watermark(millis: Long): Seq[Row] = batch(Event("tick", 0, new Timestamp(millis), tick = true))

  /** Waits until the query has nothing left to do, and gives back what it has put out since the last call. */
  def settle(): Seq[Row] = {
    query.processAllAvailable()
    results.synchronized {
      val got = results.toList
      results.clear()
      got
    }
  }

  /** Rows for the next micro-batch, also of a query that has not started. */
  def add(events: Event*): this.type = {
    source.addData(events)
    this
  }

  /** True if a micro-batch has run. */
  def hasRun: Boolean = Option(query.lastProgress).exists(_.stateOperators.nonEmpty)

  /** A figure of the last micro-batch that ran. */
  def metric(name: String, operator: Int = 0): Long =
    query.lastProgress.stateOperators(operator).customMetrics.get(name).longValue

  private[this] def keep(batch: DataFrame): Unit = {
    val rows = read(batch)
    results.synchronized(results ++= rows)
  }
}
