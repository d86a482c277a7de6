package dev.sparkwindowing

import dev.sparkwindowing.assigners.WindowAssigner
import dev.sparkwindowing.checkpoints.{MigratedOperator, RescaledOperator}
import dev.sparkwindowing.lateness.{Advice, MeasuredLateness}
import dev.sparkwindowing.simulation.{Simulation, SimulationRun, SimulationStep}
import dev.sparkwindowing.spark.analysis.Analysis
import dev.sparkwindowing.spark.checkpoint.StateFrame
import dev.sparkwindowing.spark.declared.DeclaredRows
import dev.sparkwindowing.spark.links.{LinkedFeature, SparkLinks}
import dev.sparkwindowing.spark.migrate.Migrate
import dev.sparkwindowing.spark.operators.{WatermarkRule, WindowStrategy}
import dev.sparkwindowing.spark.outputs.{Explanation, SideOutputs, WindowColumns}
import dev.sparkwindowing.spark.plan.{MissingTime, QuietStreams, TimestampsAndWatermarks}
import dev.sparkwindowing.spark.rescale.Rescale
import dev.sparkwindowing.spark.upserts.{Upsert, UpsertOptions}
import dev.sparkwindowing.spark.{BuildInfo, SparkLine}
import dev.sparkwindowing.sql.SqlFunctions
import dev.sparkwindowing.watermarks.WatermarkStrategy
import dev.sparkwindowing.windows.Millis
import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.functions.col
import org.apache.spark.sql.{Column, DataFrame, SparkSession, SparkWindowingBridge, SparkWindowingTables}

import java.time.Duration

/** Entry point: Flink's windows on streaming and static DataFrames.
  *
  * {{{
  * import dev.sparkwindowing.api._
  *
  * SparkWindowing.keyBy(events, "user").eventTime("ts")
  *   .window(EventTimeSessionWindows.withGap("30 minutes"))
  *   .aggregate(count("*").as("clicks"))
  * }}}
  */
object SparkWindowing {

  /** Version of the jar. */
  def version: String = BuildInfo.version

  /** Spark version that the jar was compiled against. */
  def sparkVersion: String = BuildInfo.sparkVersion

  /** First Spark version that the jar runs on, such as "4.1". */
  def sparkLine: String = SparkLine.own

  /** Scala version that the jar was compiled with. */
  def scalaVersion: String = BuildInfo.scalaVersion

  /** Adds the planning of windows and their table functions to a running session. Every `keyBy` does so too; a repeated
    * call has no effect.
    *
    * @throws java.lang.IllegalStateException
    *   if the jar is for another line of Spark
    */
  def attach(spark: SparkSession): Unit = {
    SparkLine.check()
    SparkWindowingBridge.addPlanning(
      spark,
      WatermarkRule,
      WindowStrategy,
      new SparkWindowingExtensions
    )
    // Windows need no table functions: a runtime that is not open-source Spark may have another registry.
    if (SparkLinks.missing(LinkedFeature.TableFunctions).isEmpty)
      SparkWindowingTables.add(spark, SqlFunctions.all)
  }

  /** Assigns event times and, on a stream, watermarks to the rows of `df`. Call it before `keyBy`, in place of
    * `withWatermark`. Every row moves the watermark, even one that a later filter removes.
    *
    * @param time
    *   the event-time column of the result: without a timestamp assigner an existing TIMESTAMP column of `df`; with
    *   one, and for ingestion time, the name of the new column
    * @throws java.lang.IllegalArgumentException
    *   if the column does not exist or, for a new one, exists already; if it is no TIMESTAMP; if the stream already has
    *   a watermark; or if the strategy has idleness that cannot work on this stream
    */
  def assignTimestampsAndWatermarks(df: DataFrame, strategy: WatermarkStrategy, time: String): DataFrame =
    assign(df, strategy, Some(time), None)

  /** Assigns event times that the strategy computes, in a new column "event_time", and watermarks. */
  def assignTimestampsAndWatermarks(df: DataFrame, strategy: WatermarkStrategy): DataFrame =
    assign(df, strategy, None, None)

  /** Assigns event times and watermarks. On a stream the watermark is that of the slowest partition.
    *
    * @param time
    *   the event-time column, as above; null for the default
    * @param perPartition
    *   column with the partition of a row, such as "partition" of Kafka's source
    * @throws java.lang.IllegalArgumentException
    *   as above; also for a strategy whose watermark does not come from rows
    */
  def assignTimestampsAndWatermarks(
      df: DataFrame,
      strategy: WatermarkStrategy,
      time: String,
      perPartition: Column
  ): DataFrame = assign(df, strategy, Option(time), Some(perPartition))

  private def assign(
      df: DataFrame,
      strategy: WatermarkStrategy,
      time: Option[String],
      perPartition: Option[Column]
  ): DataFrame = {
    attach(df.sparkSession)
    TimestampsAndWatermarks.assign(df, strategy, time, perPartition)
  }

  /** A stream with a micro-batch at least every `every`, also while its inputs have no rows, so that timers of
    * processing time fire, after a restart too. It adds no rows. Under `Trigger.AvailableNow` it makes no micro-batch.
    *
    * In the checkpoint it is one more source: a query cannot add it to, or take it from, the state of an earlier run.
    *
    * @throws java.lang.IllegalArgumentException
    *   for a static DataFrame, and if `every` is not positive
    */
  def withClock(df: DataFrame, every: Duration): DataFrame = {
    attach(df.sparkSession)
    QuietStreams.withClock(df, every)
  }

  /** Partitions `df` by keys.
    *
    * @param time
    *   the event-time column, a TIMESTAMP; by default the column that has a watermark
    * @param onMissingTime
    *   as [[KeyedStream.onMissingTime]]
    */
  def keyBy(
      df: DataFrame,
      keys: Seq[Column],
      time: Option[Column] = None,
      onMissingTime: String = "late"
  ): KeyedStream = {
    attach(df.sparkSession)
    new KeyedStream(Analysis.input(DeclaredRows.Keyed(df, keys, time, MissingTime.of(onMissingTime))))
  }

  /** Partitions `df` by columns, as Spark's `groupBy`; by none, all rows have one key, which the result does not show.
    * Event time is the column that has a watermark, or [[KeyedStream.eventTime]].
    */
  def keyBy(df: DataFrame, keys: Column*): KeyedStream = keyBy(df, keys, None)

  /** Partitions `df` by columns, by name. */
  def keyBy(df: DataFrame, key: String, keys: String*): KeyedStream = keyBy(df, (key +: keys).map(col), None)

  /** Assigns all rows, under one constant key, to windows. */
  def windowAll(df: DataFrame, assigner: WindowAssigner[InternalRow]): WindowedStream = keyBy(df, Nil).window(assigner)

  /** Joins the rows of two keyed inputs by key and window. The keys have the same types and, in a result, the names of
    * the left input.
    *
    * Both inputs are streams or both are static. On a stream the watermark is the slowest input's, unless
    * `spark.sql.streaming.multipleWatermarkPolicy` says otherwise.
    *
    * @param leftName
    *   the column of a result with the rows of `left`, likewise `rightName`
    * @throws java.lang.IllegalArgumentException
    *   if the inputs do not fit together
    */
  def join(
      left: KeyedStream,
      right: KeyedStream,
      leftName: String = "left",
      rightName: String = "right"
  ): JoinedStreams =
    new JoinedStreams(together(Seq(leftName -> left, rightName -> right)))

  /** Several keyed inputs as one, whose rows meet in windows. A row has the keys under the names of the first input,
    * `event_time` if the inputs have one, and for each input a struct of its columns under its name, null unless the
    * row is of that input. Aggregates name a column as `count("clicks.url")`; [[functions.CoGroupFunction]] gets the
    * rows by input. The inputs must fit together as in [[join]].
    *
    * {{{
    * SparkWindowing.coGroup("clicks" -> clicks, "orders" -> orders)
    *   .window(TumblingEventTimeWindows.of(Duration.ofMinutes(10)))
    *   .aggregate(count("clicks").as("clicks"), sum("orders.amount").as("amount"))
    * }}}
    */
  def coGroup(
      first: (String, KeyedStream),
      second: (String, KeyedStream),
      others: (String, KeyedStream)*
  ): KeyedStream =
    new KeyedStream(together(first +: second +: others))

  private def together(streams: Seq[(String, KeyedStream)]) =
    Analysis.together(streams.map { case (name, stream) => name -> stream.input })

  /** A side output of a result. Late rows have the columns of the input, `late_by_ms`, `missed_window`, `late_reason`.
    */
  def sideOutput(result: DataFrame, tag: String): DataFrame = SideOutputs.side(result, tag)

  /** All outputs of a result in one DataFrame: a column `output` (`main` or the tag) and a struct column for each
    * output, `main` and the tags.
    */
  def allOutputs(result: DataFrame): DataFrame = SideOutputs.all(result)

  /** Tags of the side outputs of a result. */
  def outputTags(result: DataFrame): Seq[String] = SideOutputs.tags(result)

  /** Columns that identify a window of a result: the keys that it shows, and `window`. They are the key of a table with
    * one row per window; `pane` says what a further row for that key means.
    *
    * @throws java.lang.IllegalArgumentException
    *   if the result was made without `withPane`, or no longer has one of these columns or `pane`
    */
  def windowColumns(result: DataFrame): Seq[String] = WindowColumns.of(result)

  /** A function for `foreachBatch` that keeps one row per key and window in a table of Delta Lake: that of the newest
    * firing. The row of a session that was merged into another one is deleted. A repeated micro-batch changes nothing.
    *
    * {{{
    * result.writeStream.foreachBatch(SparkWindowing.upsertToDelta(result, "clicks")).start()
    * }}}
    *
    * @param result
    *   a result of windows declared `withPane`, with at most one row per firing
    * @param table
    *   the table in Spark SQL; if it does not exist, it is created with the columns of the result
    * @throws java.lang.IllegalArgumentException
    *   if the result lacks panes, a key, `window` or `pane`; if the session has no Delta Lake, or one for another
    *   Spark; if the table is none of Delta, or lacks a column
    */
  def upsertToDelta(result: DataFrame, table: String): (DataFrame, Long) => Unit =
    upsert(result, UpsertOptions("delta", table))

  /** [[upsertToDelta]] for a table of Apache Iceberg, in a catalog of Iceberg. */
  def upsertToIceberg(result: DataFrame, table: String): (DataFrame, Long) => Unit =
    upsert(result, UpsertOptions("iceberg", table))

  /** [[upsertToDelta]] for a table of PostgreSQL, with the two columns `window_start` and `window_end`. The driver
    * writes each micro-batch in one transaction, by the JDBC driver of the session.
    *
    * @param table
    *   the table as in SQL; an existing one must be unique by `window_start`, `window_end` and the keys
    * @param url
    *   `jdbc:postgresql:..`
    * @param properties
    *   of the connection, such as `user` and `password`
    */
  def upsertToPostgres(
      result: DataFrame,
      table: String,
      url: String,
      properties: Map[String, String] = Map.empty
  ): (DataFrame, Long) => Unit = upsert(result, UpsertOptions("postgres", table, Some(url), properties))

  private def upsert(result: DataFrame, options: UpsertOptions): (DataFrame, Long) => Unit =
    Upsert.of(result, options).write

  /** A text that describes how a result is computed. */
  def explain(result: DataFrame): String = Explanation.of(result)

  /** State of a stream, from its checkpoint: one row per key and window. The query may be running or stopped.
    *
    *   - `key`: a struct of the key columns
    *   - `kind`: "window"; "slice", a part of overlapping windows, where these are stored as slices (see [[explain]]);
    *     "key" for state of functions and timers of a `KeyedProcessFunction`, which belong to no window
    *   - `window`: a struct of start and end (exclusive); null for the global window and for a key
    *   - `elements`: the number of elements, where they are kept; null where an accumulator is
    *   - `contents`: JSON of the accumulator (the buffers of Spark's aggregates, `<number of the function>_<name>`), or
    *     the first 100 elements as an array, without the keys; null for none. Bytes that only their function can read
    *     are {"bytes": length}
    *   - `trigger`: JSON of the trigger's state, for a count trigger {"count": n}; null for none
    *   - `next_event_timer`: the earliest event-time timer, which fires when Spark's watermark is later; null for none
    *   - `next_processing_timer`: the earliest processing-time timer, likewise
    *   - `firings`: the number of firings of the window; null if the query has no `withPane`
    *   - `state`: JSON of the state of functions by name; null for none. Bytes as in `contents`
    *
    * @param checkpoint
    *   the checkpointLocation of the query
    * @param operatorId
    *   the operator of the query; optional if the query has one window operator
    * @param batchId
    *   the micro-batch whose state is read; by default the last committed one
    * @throws java.lang.IllegalArgumentException
    *   if the checkpoint has no window operator, none with that id, or several and none is chosen
    */
  def readState(
      spark: SparkSession,
      checkpoint: String,
      operatorId: Option[Long] = None,
      batchId: Option[Long] = None
  ): DataFrame = StateFrame.of(spark, checkpoint, operatorId, batchId)

  /** Writes the checkpoint of a stopped query anew, with another number of partitions of its state
    * (`spark.sql.shuffle.partitions`). The old checkpoint stays as it is. Start the query with the new one.
    *
    * Both states are read and compared at the end. The query on the new checkpoint has an id of its own; its next
    * micro-batch has the number that it would have had on the old one. The session must be able to use the state store
    * of the checkpoint; the jobs are shown by Spark's progress bar.
    *
    * @param checkpoint
    *   the checkpointLocation of the query
    * @param to
    *   folder of the new checkpoint, which is empty or does not exist
    * @param partitions
    *   1 or more
    * @return
    *   what was written, for each operator
    * @throws java.lang.IllegalArgumentException
    *   if the query runs in this application, has stopped within a micro-batch or goes on meanwhile, the checkpoint has
    *   no window operator or no complete micro-batch, or `to` is not empty
    * @throws java.lang.UnsupportedOperationException
    *   if the query has other operators with state
    * @throws org.apache.spark.SparkException
    *   if a job fails: `to` then stays half-written, is refused by a query, and can be deleted
    */
  def rescale(spark: SparkSession, checkpoint: String, to: String, partitions: Int): Seq[RescaledOperator] =
    Rescale(spark, checkpoint, to, partitions)

  /** Writes the checkpoint of a stopped query anew for a changed one. The old checkpoint stays as it is. Start the
    * changed query with the new one.
    *
    * It takes over aggregates that stay, whatever was added to them or dropped, and in whatever order: one that is new
    * begins empty in the windows that are open. It takes over the offsets of sources that stay. The query on the new
    * checkpoint has an id of its own.
    *
    * @param checkpoint
    *   the checkpointLocation of the old query
    * @param result
    *   the result of the changed query, on its streams
    * @param to
    *   folder of the new checkpoint, which is empty or does not exist
    * @param sources
    *   for each source of the changed query, in the order of its plan, the number that it has in the checkpoint, None
    *   if it is new; by default that is found out where it can be
    * @return
    *   what was written, for each operator
    * @throws java.lang.IllegalArgumentException
    *   as [[rescale]]; if no state is right for the changed query; or if it cannot be told which source is which
    * @throws java.lang.UnsupportedOperationException
    *   if the query has other operators with state
    * @throws org.apache.spark.SparkException
    *   if a job fails: `to` then stays half-written, is refused by a query, and can be deleted
    */
  def migrate(
      checkpoint: String,
      result: DataFrame,
      to: String,
      sources: Option[Seq[Option[Int]]] = None
  ): Seq[MigratedOperator] = Migrate(checkpoint, result, to, sources)

  /** Runs the query behind `result` over steps, without a stream. The steps set the watermark.
    *
    * {{{
    * SparkWindowing.simulate(result, sim.element("ann", 3, 1000L), sim.watermark(60000L)).main.show()
    * }}}
    *
    * @throws java.lang.IllegalArgumentException
    *   if the result is not exactly what one window's function returned, or a step does not fit it
    */
  def simulate(result: DataFrame, steps: SimulationStep*): SimulationRun = simulated(result, None, steps)

  /** [[simulate]] with a strategy that generates the watermarks. */
  def simulate(result: DataFrame, watermarks: WatermarkStrategy, steps: SimulationStep*): SimulationRun =
    simulated(result, Some(watermarks), steps)

  /** Measures what delays of the watermark keep of the rows of a table. A row behind it is lost only if its windows are
    * over.
    *
    * @param rows
    *   a static DataFrame, such as a table of raw rows, or a topic of Kafka read as a batch
    * @param time
    *   the event time, a TIMESTAMP
    * @param arrived
    *   when a row came, a TIMESTAMP; or a number, one for each micro-batch
    * @param every
    *   of the micro-batches into which times of arrival are divided: rows of one do not delay each other
    * @param perPartition
    *   for a watermark that is that of the slowest partition; null for one of all rows
    * @param keep
    *   shares of the rows, from 0 to 1
    */
  def advise(
      rows: DataFrame,
      time: Column,
      arrived: Column,
      every: Duration = Duration.ofSeconds(1),
      perPartition: Column = null,
      keep: Seq[Double] = Advice.Shares
  ): Advice =
    new MeasuredLateness(rows, time, arrived, Millis.positive("every", every), Option(perPartition)).advise(keep)

  private def simulated(
      result: DataFrame,
      watermarks: Option[WatermarkStrategy],
      steps: Seq[SimulationStep]
  ): SimulationRun = {
    val elements  = SimulationStep.elements(result, steps)
    val hasInputs = watermarks.nonEmpty || Simulation.inputSchemas(result).isEmpty
    new Simulation(result, elements, watermarks).run(SimulationStep.events(steps, hasInputs))
  }
}
