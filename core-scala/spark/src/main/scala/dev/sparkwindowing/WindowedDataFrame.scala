package dev.sparkwindowing

import dev.sparkwindowing.simulation.{SimulationRun, SimulationStep}
import dev.sparkwindowing.watermarks.WatermarkStrategy
import org.apache.spark.sql.{Column, DataFrame}

import java.time.Duration

/** Methods that `import dev.sparkwindowing.api._` adds to a DataFrame: those of [[SparkWindowing]] whose first argument
  * it is.
  */
final class WindowedDataFrame private[sparkwindowing] (df: DataFrame) {

  /** Partitions the rows by columns, as Spark's `groupBy`; by none, all rows have one key. Event time is the column
    * that has a watermark, or [[KeyedStream.eventTime]].
    */
  def keyBy(keys: Column*): KeyedStream = SparkWindowing.keyBy(df, keys: _*)

  /** Partitions the rows by columns, by name. */
  def keyBy(key: String, keys: String*): KeyedStream = SparkWindowing.keyBy(df, key, keys: _*)

  /** Assigns event times and watermarks; see [[SparkWindowing.assignTimestampsAndWatermarks]].
    *
    * @param time
    *   the event-time column of the result
    */
  def assignTimestampsAndWatermarks(strategy: WatermarkStrategy, time: String): DataFrame =
    SparkWindowing.assignTimestampsAndWatermarks(df, strategy, time)

  /** A stream with a micro-batch at least every `every`; see [[SparkWindowing.withClock]]. */
  def withClock(every: Duration): DataFrame = SparkWindowing.withClock(df, every)

  /** A side output of a result; see [[SparkWindowing.sideOutput]]. */
  def sideOutput(tag: String): DataFrame = SparkWindowing.sideOutput(df, tag)

  /** All outputs of a result in one DataFrame; see [[SparkWindowing.allOutputs]]. */
  def allOutputs: DataFrame = SparkWindowing.allOutputs(df)

  /** Tags of the side outputs of a result. */
  def outputTags: Seq[String] = SparkWindowing.outputTags(df)

  /** Columns that identify a window of a result; see [[SparkWindowing.windowColumns]]. */
  def windowColumns: Seq[String] = SparkWindowing.windowColumns(df)

  /** A text that describes how a result is computed. */
  def explainWindows: String = SparkWindowing.explain(df)

  /** Runs the query behind a result over steps, without a stream; see [[SparkWindowing.simulate]]. */
  def simulate(steps: SimulationStep*): SimulationRun = SparkWindowing.simulate(df, steps: _*)

  /** [[simulate]] with a strategy that generates the watermarks. */
  def simulate(watermarks: WatermarkStrategy, steps: SimulationStep*): SimulationRun =
    SparkWindowing.simulate(df, watermarks, steps: _*)
}
