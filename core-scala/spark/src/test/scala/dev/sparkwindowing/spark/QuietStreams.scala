package dev.sparkwindowing.spark

import dev.sparkwindowing.SparkWindowing
import dev.sparkwindowing.assigners.TumblingEventTimeWindows
import dev.sparkwindowing.watermarks.WatermarkStrategy
import org.apache.spark.sql.functions._
import org.apache.spark.sql.streaming.Trigger
import org.apache.spark.sql.{DataFrame, SparkSession}

import java.time.Duration

/** Queries over inputs that may be quiet, while the clock, which begins at 1000000, goes on. Windows last 10 seconds.
  */
private[spark] trait QuietStreams { this: SharedSpark =>
  import WatermarkStrategy._

  // Windows fire at their end by the clock and 15 seconds.
  protected val idle = forBoundedOutOfOrderness(seconds(5)).withIdleness(seconds(10))

  protected def running(
      inputs: Int = 1,
      trigger: Trigger = Trigger.ProcessingTime(0),
      on: SparkSession = spark
  )(build: Seq[DataFrame] => DataFrame)(test: InputsQuery => Unit): Unit = {
    val query = new InputsQuery(on, inputs, trigger)(build)
    try test(query.start())
    finally query.stop()
  }

  protected def seconds(n: Long): Duration = Duration.ofSeconds(n)

  protected def counts(df: DataFrame): DataFrame = SparkWindowing
    .keyBy(df, Seq(col("key")))
    .window(TumblingEventTimeWindows.of(seconds(10)))
    .aggregate(count(lit(1)).as("n"))

  protected def assign(df: DataFrame, strategy: WatermarkStrategy): DataFrame =
    if (strategy.timestampAssigner.isEmpty && !strategy.isIngestionTime)
      SparkWindowing.assignTimestampsAndWatermarks(df, strategy, "ts")
    else SparkWindowing.assignTimestampsAndWatermarks(df, strategy)
}
