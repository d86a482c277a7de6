package dev.sparkwindowing

import dev.sparkwindowing.assigners.WindowAssigner
import dev.sparkwindowing.simulation.Simulation
import dev.sparkwindowing.spark.BuildInfo
import dev.sparkwindowing.spark.inside.StateFrame
import dev.sparkwindowing.spark.plan.{
  CheckpointCheck,
  InputPath,
  Specification,
  TimestampsAndWatermarks,
  WindowStrategy
}
import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.types.StructType
import org.apache.spark.sql.{Column, DataFrame, SparkSession, SparkSessionExtensions, SparkWindowingBridge}

import java.time.Duration
import scala.jdk.CollectionConverters._

/** The way in: Flink's windows on DataFrames, streaming and static. Python calls this object and nothing else.
  *
  * {{{
  * SparkWindowing.keyBy(events, Seq(col("user")), Some(col("ts")))
  *   .window(EventTimeSessionWindows.withGap(Duration.ofMinutes(30)))
  *   .aggregate(count("*").as("clicks"))
  * }}}
  */
object SparkWindowing {

  /** The version of the jar. */
  def version: String = BuildInfo.version

  /** The version of Spark that the jar was compiled against. */
  def sparkVersion: String = BuildInfo.sparkVersion

  /** The version of Scala that the jar was compiled with. */
  def scalaVersion: String = BuildInfo.scalaVersion

  /** Teaches a running session to plan windows. Done by every `keyBy` too; doing it again changes nothing. */
  def attach(spark: SparkSession): Unit =
    SparkWindowingBridge.addStrategy(spark, WindowStrategy, new SparkWindowingExtensions)

  /** Gives the rows of `df` event times and, on a stream, watermarks: in place of `withWatermark`, before `keyBy`.
    * Every row that comes through moves the watermark, also one that a filter behind it takes out.
    *
    * @param time
    *   the event-time column of the result: without a timestamp assigner a TIMESTAMP column of `df`; with one (and for
    *   ingestion time) the name of the new column
    * @throws java.lang.IllegalArgumentException
    *   if there is no such column or one too many, it is no TIMESTAMP, the stream has a watermark already, or the
    *   strategy has idleness, which a stream has not
    */
  def assignTimestampsAndWatermarks(df: DataFrame, strategy: WatermarkStrategy, time: String): DataFrame =
    assign(df, strategy, Some(time))

  /** The same where the strategy computes the event time: into a new column "event_time". */
  def assignTimestampsAndWatermarks(df: DataFrame, strategy: WatermarkStrategy): DataFrame = assign(df, strategy, None)

  private def assign(df: DataFrame, strategy: WatermarkStrategy, time: Option[String]): DataFrame = {
    attach(df.sparkSession)
    TimestampsAndWatermarks.assign(df, strategy, time)
  }

  /** Cuts `df` up by keys.
    *
    * @param time
    *   the event-time column, a TIMESTAMP; if none is given, the column that has a watermark
    * @param onMissingTime
    *   what happens to a row without event time in an event-time window: "late" (the late side output; dropped and
    *   counted if there is none), "drop" (dropped and counted) or "fail" (the query stops)
    */
  def keyBy(
      df: DataFrame,
      keys: Seq[Column],
      time: Option[Column] = None,
      onMissingTime: String = "late"
  ): KeyedStream = {
    attach(df.sparkSession)
    KeyedStream.of(df, keys, time, onMissingTime)
  }

  /** [[keyBy]] for callers without Scala collections; `time` may be null. */
  def keyBy(df: DataFrame, keys: java.util.List[Column], time: Column, onMissingTime: String): KeyedStream =
    keyBy(df, keys.asScala.toSeq, Option(time), onMissingTime)

  /** All rows under one constant key, which the result does not show; `time` may be null. */
  def windowAll(df: DataFrame, time: Column, onMissingTime: String): KeyedStream =
    keyBy(df, Nil, Option(time), onMissingTime)

  /** All rows under one constant key, in windows. */
  def windowAll(df: DataFrame, assigner: WindowAssigner[InternalRow]): WindowedStream = keyBy(df, Nil).window(assigner)

  /** A side output of a result: for late rows the columns of the input, `late_by_ms`, `missed_window`, `late_reason`.
    */
  def sideOutput(result: DataFrame, tag: String): DataFrame = SideOutputs.side(result, tag)

  /** All outputs of a result in one frame: a column `output` (`main` or the tag), and a struct column for each output,
    * `main` and the tags.
    */
  def allOutputs(result: DataFrame): DataFrame = SideOutputs.all(result)

  /** The columns that the function behind an operator must give, from the frame that is handed to it. */
  def stageSchema(handed: DataFrame): StructType = SideOutputs.nodeOf(handed).program.staged match {
    case Some(staged) => staged.layout.all(isStreaming = false)
    case None         => throw new IllegalArgumentException("the DataFrame is not for a function behind an operator")
  }

  /** The result, from what the function behind an operator gave. */
  def ofStage(staged: DataFrame): DataFrame = SideOutputs.mainOfStage(staged)

  /** Which function stands behind the operator of a result; null if none does. */
  def stageId(result: DataFrame): String = SideOutputs.nodeOf(result).program.staged.map(_.id).orNull

  /** The tags of a result's side outputs. */
  def outputTags(result: DataFrame): java.util.List[String] = SideOutputs.tags(result).asJava

  /** The columns that tell the windows of a result apart: its keys, as far as it shows them, and `window`. A table with
    * one row for each window has them as its key; `pane` says what a further row means for it.
    *
    * @throws java.lang.IllegalArgumentException
    *   if the result was made without `withPane`, or no longer has one of these columns or `pane`
    */
  def windowColumns(result: DataFrame): java.util.List[String] = WindowColumns.of(result).asJava

  /** The columns of the DataFrame that was given to `keyBy`: those that an element of `simulate` has.
    *
    * @throws java.lang.IllegalArgumentException
    *   if the result is not one window exactly as `aggregate` gave it back
    */
  def inputSchema(result: DataFrame): StructType = Simulation.inputSchema(result)

  /** How a result is computed, in words. */
  def explain(result: DataFrame): String = {
    val node  = SideOutputs.nodeOf(result)
    val path  = InputPath.of(node)
    val order =
      if (node.program.seesOrder) "numbered before the exchange, taken in order of arrival" else "taken as they come"
    (Specification.of(node.program, path).arguments ++ Seq("rows" -> order, "path" -> path.text))
      .map { case (name, value) => s"$name: $value" }
      .mkString("\n")
  }

  /** What a stream remembers, from its checkpoint: a row for each key and window. The query may run meanwhile, or not.
    *
    *   - `key`: a struct of the key columns
    *   - `kind`: "window"; "slice", a part of overlapping windows, where those are kept as slices ([[explain]]); "key",
    *     for what belongs to no window: state of functions, and the timers of a `KeyedProcessFunction`
    *   - `window`: a struct of start and end, the end exclusive; null for the global window and for a key
    *   - `elements`: the number of elements, where they are kept; null where an accumulator is
    *   - `contents`: JSON of the accumulator (the buffers of Spark's aggregates, `<number of the function>_<name>`), or
    *     the first 100 elements as an array, without the keys; null for none. Bytes that only their function can read
    *     are {"bytes": how many}
    *   - `trigger`: JSON of what the trigger remembers, for a count trigger {"count": n}; null for nothing
    *   - `next_event_timer`: the earliest one that is set; it fires when Spark's watermark is later. Null for none
    *   - `next_processing_timer`: the same by the clock
    *   - `firings`: how often the window has fired; null if the query has no `withPane`
    *   - `state`: JSON of the state of functions by name; null for none. Bytes as in `contents`
    *
    * @param checkpoint
    *   the checkpointLocation of the query
    * @param operatorId
    *   which operator of the query; may be left out if it has one window
    * @param batchId
    *   as of which micro-batch; the last one that was committed if it is left out
    * @throws java.lang.IllegalArgumentException
    *   if there is no window operator in the checkpoint, none of that number, or several and none is chosen
    */
  def readState(
      spark: SparkSession,
      checkpoint: String,
      operatorId: Option[Long] = None,
      batchId: Option[Long] = None
  ): DataFrame = StateFrame.of(spark, checkpoint, operatorId, batchId)

  /** [[readState]] for callers without Scala options; both numbers may be null. */
  def stateOf(spark: SparkSession, checkpoint: String, operatorId: Number, batchId: Number): DataFrame =
    readState(spark, checkpoint, Option(operatorId).map(_.longValue), Option(batchId).map(_.longValue))

  /** Runs the query behind `result` over events, without a stream.
    *
    * @param elements
    *   the rows that "element" steps name by number, in order, with the columns of the DataFrame given to `keyBy`
    * @param kinds
    *   an event each: "element", "watermark", "processing_time", "probe", "idle", "active", "end", "snapshot_restore",
    *   or "batch", a step of the events that follow it
    * @param values
    *   an event each: the number of the row, the time in milliseconds, the input that goes idle or active, or how many
    *   events the batch holds; py4j makes small ones Integers
    * @param inputs
    *   an event each: the input that an element comes from, else 0
    * @param watermarks
    *   what makes the watermarks; null if the steps do
    */
  def simulate(
      result: DataFrame,
      elements: DataFrame,
      kinds: java.util.List[String],
      values: java.util.List[Number],
      inputs: java.util.List[Number],
      watermarks: WatermarkStrategy
  ): SimulationRun =
    new Simulation(result, elements, Option(watermarks))
      .run(kinds.asScala.toSeq, values.asScala.toSeq.map(_.longValue), inputs.asScala.toSeq.map(_.intValue))

  /** A duration of milliseconds, for callers that have none. */
  def duration(millis: Long): Duration = Duration.ofMillis(millis)

  /** A window assigner, trigger, evictor or watermark strategy: calls the factory `method` of the companion object of
    * `className`.
    */
  def make(className: String, method: String, args: java.util.List[Object]): Object =
    Parts.make(className, method, args.asScala.toSeq)
}

/** For `spark.sql.extensions`: a session that can plan windows from its start, and that compares a query with its
  * checkpoint before `start()` returns.
  */
final class SparkWindowingExtensions extends (SparkSessionExtensions => Unit) {
  def apply(extensions: SparkSessionExtensions): Unit = {
    extensions.injectPlannerStrategy(_ => WindowStrategy)
    extensions.injectCheckRule(session => plan => CheckpointCheck.ofStart(session, plan))
  }
}
