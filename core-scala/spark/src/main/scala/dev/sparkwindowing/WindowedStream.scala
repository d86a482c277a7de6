package dev.sparkwindowing

import dev.sparkwindowing.columns.{ColumnAggregateFunction, ColumnReduceFunction}
import dev.sparkwindowing.functions.{
  AggregateFunction,
  ProcessWindowFunction,
  ReduceFunction,
  SideOutput,
  WindowFunction
}
import dev.sparkwindowing.spark.analysis.Analysis
import dev.sparkwindowing.spark.computations.WindowFunctionOnly
import dev.sparkwindowing.spark.declared.DeclaredRows.Resolved
import dev.sparkwindowing.spark.declared.{Computed, Declaration, FieldAggregate}
import dev.sparkwindowing.spark.plan.{Changelog, KeyedInput, WindowRules}
import dev.sparkwindowing.windows.Millis
import org.apache.spark.sql.types.StructType
import org.apache.spark.sql.{Column, DataFrame, Row}

import java.time.Duration
import java.util.Objects
import scala.jdk.CollectionConverters._

/** A keyed stream with a window assigner. Sets trigger, evictor and allowed lateness, and ends in the function that is
  * computed.
  *
  * Immutable; each call returns a new stream, and the order of the settings does not matter.
  */
final class WindowedStream private[sparkwindowing] (
    private[sparkwindowing] val input: KeyedInput,
    private[sparkwindowing] val rules: WindowRules
) extends WindowSettings[WindowedStream] {

  private[sparkwindowing] def withRules(rules: WindowRules): WindowedStream = new WindowedStream(input, rules)

  /** Adds a column `row` after `window` and `pane` to the results of over windows: a struct of the columns of the input
    * with the element that the window ends with.
    *
    * The state keeps these columns until the window is cleaned up.
    *
    * @throws java.lang.UnsupportedOperationException
    *   for other windows
    */
  def withRow(): WindowedStream = set(rules.copy(withRow = true))

  /** Makes the result a stream of changes of a table that has one row for each key and window: adds the columns `op`
    * and `sequence` at its end. One aggregate or reduced row a firing is needed, not a function of `process`.
    *
    *   - `op`: `+I` for the first row of a window, `+U` for a row that replaces it, `-D` for a session that was merged
    *     into another one; it comes before the row of that one, and its results are null. A window that is cleaned up
    *     is not deleted
    *   - `sequence`: grows with each change of a key and window
    *
    * The number of firings is stored with the window until it is cleaned up.
    *
    * @param before
    *   true to emit the row that is replaced as `-U` before each `+U`, and to show its results in `-D`: the state then
    *   keeps the last row of each window
    * @throws java.lang.UnsupportedOperationException
    *   for over windows
    * @throws java.lang.IllegalArgumentException
    *   together with `collapseFirings`
    */
  def changelog(before: Boolean = false): WindowedStream = set(rules.copy(changelog = Some(Changelog(before))))

  /** Emits windows without rows, too, with the aggregates of no rows: a count of 0, a sum of null. A key that had a row
    * in a window has a result for each one that ends at most `forAtMost` after it, at the end of the window, until the
    * next one with a row. With `withPane` they have `is_empty` true. A row within the allowed lateness makes a late
    * firing of such a window.
    *
    * The state of a key without rows is one timer; with an allowed lateness a window without rows is kept for it, too.
    * On a static DataFrame no window without rows starts after the greatest event time of all keys.
    *
    * @param forAtMost
    *   time from the end of the last window with rows to that of the last one without
    * @throws java.lang.UnsupportedOperationException
    *   for other windows than tumbling, sliding, cumulative and calendar windows of event time; when the function is
    *   given, for `reduce` and what is one, such as `sum`: it has no result of no rows
    * @throws java.lang.IllegalArgumentException
    *   if the next window ends after a longer time
    */
  def fillEmpty(forAtMost: Duration): WindowedStream =
    set(rules.copy(fillEmpty = Some(Millis.positive("forAtMost", forAtMost))))

  /** One row per firing: the key columns, `window`, and the aggregates. */
  def aggregate(aggregates: java.util.List[Column]): DataFrame = aggregate(aggregates.asScala.toSeq: _*)

  /** One row per firing: the key columns, `window`, and the aggregates. Takes any aggregate of Spark SQL, with
    * expressions inside and around it, except DISTINCT and Python aggregates.
    */
  def aggregate(aggregates: Column*): DataFrame = result(Computed.Aggregates(aggregates))

  /** One row per firing: the key columns, `window`, and the result columns of a user-defined aggregate.
    *
    * @throws java.lang.IllegalArgumentException
    *   if its parts do not fit together, or it cannot merge on windows that merge
    */
  def aggregate(function: ColumnAggregateFunction): DataFrame = result(Computed.ColumnAggregate(function))

  /** `aggregate` with a user-defined aggregate on `Row`. */
  def aggregate(function: AggregateFunction): DataFrame = result(Computed.RowAggregate(function, function.spec))

  /** One row per firing: the key columns, `window`, and the other columns of the row that the window's rows are reduced
    * to, pair by pair.
    *
    * @param reduced
    *   over the structs `a` (the reduced row so far) and `b` (the new row): a struct of exactly the columns of the
    *   input, by name
    * @throws java.lang.IllegalArgumentException
    *   if it returns anything else
    */
  def reduce(reduced: Column): DataFrame = reduce(ColumnReduceFunction.of(reduced, mergeable = false))

  /** `reduce` with a column that may be mergeable. */
  def reduce(function: ColumnReduceFunction): DataFrame = result(Computed.ColumnReduced(function))

  /** `reduce` with a function on `Row`. */
  def reduce(function: ReduceFunction): DataFrame = result(Computed.RowReduced(function, function.spec))

  /** The first row of the window with the sum of one column in its place, as Flink's `sum`. The type is kept; integers
    * wrap around on overflow. For the sum alone use `aggregate(functions.sum("field"))`.
    *
    * @throws java.lang.IllegalArgumentException
    *   if the column does not exist or is not numeric
    */
  def sum(field: String): DataFrame = ofField(FieldAggregate.Sum, field)

  /** The first row of the window with the minimum of one column in its place, as Flink's `min`. Nulls are ignored.
    *
    * @throws java.lang.IllegalArgumentException
    *   if the column does not exist or has no order
    */
  def min(field: String): DataFrame = ofField(FieldAggregate.Min, field)

  /** The first row of the window with the maximum of one column in its place, as [[min]]. */
  def max(field: String): DataFrame = ofField(FieldAggregate.Max, field)

  /** The row of the window with the minimum of one column; of several such rows the first or the last. A row with null
    * is taken only if all are null.
    *
    * @throws java.lang.IllegalArgumentException
    *   if the column does not exist or has no order
    */
  def minBy(field: String, first: Boolean = true): DataFrame =
    ofField(FieldAggregate.MinBy(first), field)

  /** The row of the window with the maximum of one column, as [[minBy]]. */
  def maxBy(field: String, first: Boolean = true): DataFrame =
    ofField(FieldAggregate.MaxBy(first), field)

  private def ofField(aggregate: FieldAggregate, field: String): DataFrame =
    result(Computed.OfField(aggregate, field))

  /** Any number of rows per firing: the key columns, `window`, and the output of `function`. All elements are kept.
    *
    * @param schema
    *   the columns of a result
    * @param sideOutputs
    *   the side outputs of the function
    */
  def process(
      function: ProcessWindowFunction[Row, Row, Row],
      schema: StructType,
      sideOutputs: SideOutput*
  ): DataFrame = processed(None, function, schema, sideOutputs)

  /** [[process]] with a function without context: any number of rows per firing; all elements are kept. */
  def apply(function: WindowFunction[Row, Row, Row], schema: StructType): DataFrame = {
    Objects.requireNonNull(function, "function must not be null")
    process(new WindowFunctionOnly(function), schema)
  }

  /** Aggregates stored as buffers, whose one row per firing is passed to a function with key, window, time and state.
    */
  def aggregate(
      aggregates: Seq[Column],
      function: ProcessWindowFunction[Row, Row, Row],
      schema: StructType,
      sideOutputs: SideOutput*
  ): DataFrame = processed(Some(Computed.Aggregates(aggregates)), function, schema, sideOutputs)

  /** A user-defined aggregate stored as its accumulator, whose one result per firing is passed to a function. */
  def aggregate(
      aggregate: ColumnAggregateFunction,
      function: ProcessWindowFunction[Row, Row, Row],
      schema: StructType,
      sideOutputs: SideOutput*
  ): DataFrame = {
    Objects.requireNonNull(aggregate, "aggregate must not be null")
    processed(Some(Computed.ColumnAggregate(aggregate)), function, schema, sideOutputs)
  }

  /** The same with a user-defined aggregate on `Row`. */
  def aggregate(
      aggregate: AggregateFunction,
      function: ProcessWindowFunction[Row, Row, Row],
      schema: StructType,
      sideOutputs: SideOutput*
  ): DataFrame = {
    Objects.requireNonNull(aggregate, "aggregate must not be null")
    processed(Some(Computed.RowAggregate(aggregate, aggregate.spec)), function, schema, sideOutputs)
  }

  /** A reduced row, passed to a function at each firing. It lacks the key columns, which the function gets separately.
    *
    * @param reduced
    *   as for `reduce` without a function
    */
  def reduce(
      reduced: Column,
      function: ProcessWindowFunction[Row, Row, Row],
      schema: StructType,
      sideOutputs: SideOutput*
  ): DataFrame = {
    Objects.requireNonNull(reduced, "reduce must not be null")
    val folded = Computed.ColumnReduced(ColumnReduceFunction.of(reduced, mergeable = false))
    processed(Some(folded), function, schema, sideOutputs)
  }

  /** The same with a reduce function on `Row`. */
  def reduce(
      reduced: ReduceFunction,
      function: ProcessWindowFunction[Row, Row, Row],
      schema: StructType,
      sideOutputs: SideOutput*
  ): DataFrame = {
    Objects.requireNonNull(reduced, "reduce must not be null")
    processed(Some(Computed.RowReduced(reduced, reduced.spec)), function, schema, sideOutputs)
  }

  private def processed(
      of: Option[Computed.Folded],
      function: ProcessWindowFunction[Row, Row, Row],
      schema: StructType,
      sideOutputs: Seq[SideOutput]
  ): DataFrame = {
    Objects.requireNonNull(function, "function must not be null")
    result(Computed.Processed(of, function, schema, sideOutputs))
  }

  private def result(work: Computed.OfWindow): DataFrame = Analysis.of(Declaration(Resolved(input), Some(rules), work))

  override def toString: String =
    s"WindowedStream(${rules.assigner}, ${rules.trigger}${rules.evictor.fold("")(e => s", $e")}; one row a firing)"
}
