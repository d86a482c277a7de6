package dev.sparkwindowing.spark.plan

import dev.sparkwindowing.spark.advice.Code
import dev.sparkwindowing.spark.links.{LinkedFeature, SparkLinks}
import dev.sparkwindowing.spark.relocated.Relocated.StreamingScan
import dev.sparkwindowing.spark.sources.{QuietInputTicks, TickOffset, TickSource, Ticks}
import dev.sparkwindowing.watermarks.WatermarkStrategy.Kind
import dev.sparkwindowing.watermarks.{Heartbeat, IngestionTime, WatermarkStrategy}
import org.apache.spark.sql.catalyst.plans.logical.LogicalPlan
import org.apache.spark.sql.catalyst.streaming.StreamingRelationV2
import org.apache.spark.sql.{DataFrame, SparkWindowingBridge}

import java.time.Duration

/** Micro-batches for a stream that has no rows for a while, by a source of its own that has none either. */
private[sparkwindowing] object QuietStreams {

  /** A stream with a micro-batch at least every so often, for timers of processing time.
    *
    * @throws java.lang.IllegalArgumentException
    *   for a static DataFrame, and if the time is not positive
    */
  def withClock(df: DataFrame, every: Duration): DataFrame = {
    val millis = Heartbeat.check(every)
    if (!df.isStreaming)
      throw new IllegalArgumentException(
        s"$Clock on a static DataFrame: it is read once, and no time passes in it. Take $Clock away"
      )
    SparkLinks.require(
      LinkedFeature.Clock,
      s"Take $Clock away: timers of processing time fire in the micro-batches that rows bring"
    )
    ticking(df, Ticks.OfClock(millis))
  }

  /** The input of a strategy with a source for its idle times, if it has a timeout.
    *
    * @throws java.lang.IllegalArgumentException
    *   if the watermark could not rise, or would rise although rows are waiting
    */
  def withIdleness(df: DataFrame, strategy: WatermarkStrategy): DataFrame = strategy.idleTimeout.fold(df) { timeout =>
    val delay = strategy.kind match {
      case Kind.Bounded(delay) => delay
      case Kind.IngestionTime  => IngestionTime.Delay
      case Kind.Generator(_)   => 0L
      case Kind.NoWatermarks   =>
        throw new IllegalArgumentException(
          s"${Code.name("no_watermarks")} $Idleness on a stream: there is no watermark that could rise in idle times. Take " +
            s"$Idleness away, or use another strategy, " +
            Code.call("sw.WatermarkStrategy.for_bounded_out_of_orderness", Code.text("5 seconds"))
        )
    }
    refuseWaitingRows(df)
    SparkLinks.require(
      LinkedFeature.QuietInput,
      s"Take $Idleness away: the watermark then waits for rows of every input"
    )
    ticking(df, Ticks.OfQuietInput(timeout, delay, strategy.isBoundedByClock))
  }

  /** The watermark to which the source of an idle input has it rise in this micro-batch. */
  def raisedTo(input: LogicalPlan): Option[Long] = input
    .collectFirst {
      case r: StreamingScan if r.stream.isInstanceOf[QuietInputTicks] => r.endOffset
    }
    .flatten
    .flatMap(end => TickOffset.of(end.json).watermark)

  private def ticking(df: DataFrame, ticks: Ticks): DataFrame = SparkWindowingBridge.toDataFrame(
    df.sparkSession,
    TickSource.add(df.sparkSession, SparkWindowingBridge.analyzedPlan(df), ticks)
  )

  // Kafka's source then finds nothing although there are rows.
  private def refuseWaitingRows(df: DataFrame): Unit = {
    val holdsBack = SparkWindowingBridge.analyzedPlan(df).exists {
      case r: StreamingRelationV2 => r.extraOptions.containsKey(HoldsRowsBack)
      case _                      => false
    }
    if (holdsBack)
      throw new IllegalArgumentException(
        s"$Idleness on a source with the option $HoldsRowsBack: it looks idle while it holds rows back, and they would be " +
          s"late. Take $HoldsRowsBack away and let Spark wait, writeStream${Code.trigger("10 seconds")}"
      )
  }

  private val HoldsRowsBack = "minOffsetsPerTrigger"
  private val Clock         = Code.name("with_clock")
  private val Idleness      = Code.name("with_idleness")
}
