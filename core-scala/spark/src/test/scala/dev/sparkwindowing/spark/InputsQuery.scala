package dev.sparkwindowing.spark

import dev.sparkwindowing.spark.relocated.RelocatedInTests.memoryStream
import org.apache.spark.sql.streaming.{OutputMode, StreamingQuery, Trigger}
import org.apache.spark.sql.{DataFrame, Encoders, HandClock, Row, SparkSession, SparkTestBridge}

import java.nio.file.Files
import scala.collection.mutable.ArrayBuffer

/** A streaming query over several inputs without a watermark, whose processing time the test advances. It can be
  * stopped and restarted between any two micro-batches.
  */
final class InputsQuery(
    spark: SparkSession,
    inputs: Int,
    trigger: Trigger = Trigger.ProcessingTime(0),
    val checkpoint: String = Files.createTempDirectory("checkpoint").toString,
    onBatch: Long => Unit = _ => ()
)(build: Seq[DataFrame] => DataFrame) {
  private[this] val sources               = Seq.fill(inputs)(memoryStream(Encoders.product[Event], spark))
  private[this] val results               = ArrayBuffer.empty[Row]
  private[this] var query: StreamingQuery = _

  val clock: HandClock = new HandClock(1000000L)

  def start(): this.type = {
    query = SparkTestBridge.start(
      build(sources.map(_.toDF())),
      checkpoint,
      clock,
      OutputMode.Append,
      trigger,
      (batch, id) => {
        onBatch(id)
        keep(batch)
      }
    )
    this
  }

  def stop(): Unit = if (query != null) query.stop()

  def restart(): this.type = {
    stop()
    start()
  }

  /** Output for the given rows of an input, as one micro-batch and the empty ones that follow it. */
  def batch(input: Int, events: Event*): Seq[String] = {
    sources(input).addData(events)
    settle()
  }

  /** Rows for the next micro-batch, also of a query that has not started. */
  def add(input: Int, events: Event*): this.type = {
    sources(input).addData(events)
    this
  }

  /** True if a micro-batch has run. */
  def hasRun: Boolean = Option(query.lastProgress).exists(_.stateOperators.nonEmpty)

  /** Output when time passes and no input has rows: the sources are asked before and after it. */
  def quiet(millis: Long): Seq[String] = {
    query.processAllAvailable()
    clock.advance(millis)
    query.processAllAvailable()
    settle()
  }

  /** Waits until the query has nothing left to do, and gives back what it has put out since the last call. */
  def settle(): Seq[String] = {
    query.processAllAvailable()
    results.synchronized {
      val got = results.toList
      results.clear()
      WindowText.of(got)
    }
  }

  /** The running query. */
  def running: StreamingQuery = query

  /** A figure of the last micro-batch that ran. */
  def metric(name: String): Long = query.lastProgress.stateOperators(0).customMetrics.get(name).longValue

  private[this] def keep(batch: DataFrame): Unit = {
    val rows = batch.collect()
    results.synchronized(results ++= rows)
  }
}
