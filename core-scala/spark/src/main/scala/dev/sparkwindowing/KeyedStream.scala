package dev.sparkwindowing

import dev.sparkwindowing.assigners.{NamedWindows, SlidingEventTimeWindows, TumblingEventTimeWindows, WindowAssigner}
import dev.sparkwindowing.columns.ColumnProcess
import dev.sparkwindowing.declaration.FieldSpecs
import dev.sparkwindowing.functions.{KeyedProcessFunction, SideOutput}
import dev.sparkwindowing.spark.analysis.{Analysis, RetractingRows}
import dev.sparkwindowing.spark.declared.DeclaredRows.Resolved
import dev.sparkwindowing.spark.declared.{Computed, Declaration}
import dev.sparkwindowing.spark.plan.{KeyedInput, MissingTime, WindowRules}
import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.functions.{col, expr}
import org.apache.spark.sql.types.StructType
import org.apache.spark.sql.{Column, DataFrame, Row}

import java.time.Duration
import java.util.Objects

/** A streaming or static DataFrame partitioned by key, made by [[SparkWindowing.keyBy]] or
  * [[SparkWindowing.windowAll]].
  *
  * Keys are equal as in Spark's `groupBy`: null is a key, all NaN are one key, -0.0 is 0.0, and in Spark 4 a map is
  * equal to one with the same entries in another order.
  */
final class KeyedStream private[sparkwindowing] (private[sparkwindowing] val input: KeyedInput) {

  /** Sets the event-time column, a TIMESTAMP, in place of the column that has a watermark. On a static DataFrame it may
    * be a TIMESTAMP_NTZ: the bounds of windows are then, too.
    *
    * @throws org.apache.spark.sql.AnalysisException
    *   if the column does not exist
    */
  def eventTime(time: Column): KeyedStream = new KeyedStream(Analysis.withTime(input, time))

  /** Sets the event-time column by name. */
  def eventTime(time: String): KeyedStream = eventTime(col(time))

  /** Sets what happens to a row without event time in an event-time window.
    *
    * @param action
    *   "late" (the default: it goes to the late side output; dropped and counted if there is none), "drop" (dropped and
    *   counted) or "fail" (stops the query)
    * @throws java.lang.IllegalArgumentException
    *   for anything else
    */
  def onMissingTime(action: String): KeyedStream = new KeyedStream(input.copy(onMissingTime = MissingTime.of(action)))

  /** Declares which rows take back an earlier row that is equal but for what this column reads, as the deletes of a
    * change feed do. Aggregates then count, add up and average the rows that are left. A row that takes back another
    * has its event time, so it comes to the same windows.
    *
    * `aggregate` takes `count`, `sum`, `avg` and `count_if` over such rows, in windows whose bounds do not change with
    * them.
    *
    * @param retracts
    *   a BOOLEAN, true for a row that takes back an earlier one; null is false
    * @throws java.lang.IllegalArgumentException
    *   for another type, and for the rows of several inputs
    */
  def retracts(retracts: Column): KeyedStream = new KeyedStream(RetractingRows.of(input, retracts))

  /** Declares which rows take back an earlier one, in SQL. */
  def retracts(retracts: String): KeyedStream = this.retracts(expr(retracts))

  /** Begins a new query with rows of a table, as if they stood before the stream.
    *
    * When a query starts on a new checkpoint, it takes them as one micro-batch, in order of event time, before its
    * first one. Their watermark, the greatest event time less the delay of the stream's, is that of the query from then
    * on. A query that has a checkpoint does not read them again.
    *
    * @param history
    *   a static DataFrame with the columns of this one, found by name
    * @param emit
    *   whether windows that the history completes are results, in the first micro-batch; without it they are left out
    * @throws java.lang.IllegalArgumentException
    *   if this is no stream, the history is one, or it lacks a column or has one of another type
    * @throws java.lang.UnsupportedOperationException
    *   if these rows are results of another operator with state
    */
  def startingWith(history: DataFrame, emit: Boolean = false): KeyedStream =
    new KeyedStream(Analysis.startingWith(input, history, emit))

  /** Assigns the rows of each key to windows.
    *
    * @throws java.lang.IllegalArgumentException
    *   for an event-time window without event time, or on a stream without watermark; for a processing-time window on a
    *   static DataFrame, where processing time does not advance
    */
  def window(assigner: WindowAssigner[InternalRow]): WindowedStream = windowed(WindowRules(assigner))

  /** Assigns the rows of each key to windows of several kinds at once, each with a name. The result has those of all,
    * each as if it were declared alone, with the name in the column `window_name`.
    *
    * Rows are exchanged once, and a key has one state. Tumbling, sliding, cumulative and calendar windows share it: a
    * row is added once, to its slice of the time line. A row is late for each name by itself.
    *
    * @param assigners
    *   names, and windows by event time or `CountWindows`. Trigger, evictor, allowed lateness and settings hold for all
    *   of them, but for the trigger of `CountWindows`, which is its own
    * @throws java.lang.IllegalArgumentException
    *   as `window`, and for a name that is empty or comes twice
    * @throws java.lang.UnsupportedOperationException
    *   for over windows, the global window, and windows by processing time or with a stagger
    */
  def windows(assigners: (String, WindowAssigner[Any])*): WindowedStream = window(NamedWindows.of(assigners: _*))

  private def windowed(rules: WindowRules): WindowedStream = {
    Analysis.windows(input, rules)
    new WindowedStream(input, rules)
  }

  /** Processes the rows of each key one by one, with state and timers, without windows.
    *
    * The result has the key columns, `event_time` if the input has an event time, and the columns of `schema`.
    * `event_time` is the time of the element or event-time timer that caused the row, and null for a processing-time
    * timer; later operators take it as event time, on a stream with its watermark. Event-time timers need a watermark.
    * On a static DataFrame the rows come in order of event time, then the watermark passes all timers.
    *
    * @param schema
    *   the columns of a result
    * @param sideOutputs
    *   the side outputs of the function
    */
  def process(
      function: KeyedProcessFunction[Row, Row, Row],
      schema: StructType,
      sideOutputs: SideOutput*
  ): DataFrame = {
    Objects.requireNonNull(function, "function must not be null")
    result(Computed.RowProcessed(function, FieldSpecs.ofClass(function), schema, sideOutputs))
  }

  /** Processes the rows of each key one by one by a function written as columns, with state and timers, without
    * windows. The result is as for a function on `Row`, with the columns that it emits.
    *
    * @throws java.lang.IllegalArgumentException
    *   if the types of its columns do not fit together, or it needs an event time or a watermark that the input has not
    */
  def process(function: ColumnProcess): DataFrame = {
    Objects.requireNonNull(function, "function must not be null")
    result(Computed.ColumnProcessed(function))
  }

  private def result(work: Computed.OfKey): DataFrame = Analysis.of(Declaration(Resolved(input), None, work))

  /** Tumbling event-time windows. */
  def timeWindow(size: Duration): WindowedStream = window(TumblingEventTimeWindows.of(size))

  /** Sliding event-time windows. */
  def timeWindow(size: Duration, slide: Duration): WindowedStream = window(SlidingEventTimeWindows.of(size, slide))

  /** Consecutive windows of `size` elements of a key. */
  def countWindow(size: Long): WindowedStream = windowed(WindowRules.ofCount(size))

  /** The last `size` elements of a key, after every `slide` elements. A firing has fewer elements until `size` have
    * arrived.
    */
  def countWindow(size: Long, slide: Long): WindowedStream = countWindow(size, slide, onlyFull = false)

  /** The last `size` elements of a key, after every `slide` elements.
    *
    * @param onlyFull
    *   whether nothing fires until `size` elements have arrived
    */
  def countWindow(size: Long, slide: Long, onlyFull: Boolean): WindowedStream =
    windowed(WindowRules.ofCount(size, slide, onlyFull))
}
