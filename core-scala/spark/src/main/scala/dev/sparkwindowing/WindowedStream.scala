package dev.sparkwindowing

import dev.sparkwindowing.assigners.WindowAssigner
import dev.sparkwindowing.columns.{ColumnAggregateFunction, ColumnReduceFunction, ColumnState}
import dev.sparkwindowing.evictors.Evictor
import dev.sparkwindowing.functions.{
  AggregateFunction,
  ProcessWindowFunction,
  ReduceFunction,
  SideOutput,
  WindowFunction
}
import dev.sparkwindowing.interop.ClassFunction
import dev.sparkwindowing.spark.aggregates.SqlAggregates
import dev.sparkwindowing.spark.expressions.ColumnBinder
import dev.sparkwindowing.spark.functions.{
  ColumnReduce,
  Computation,
  FieldReduction,
  IncrementalProcess,
  ProcessComputation,
  PythonFunctionInput,
  RowFold,
  WindowFunctionOnly
}
import dev.sparkwindowing.spark.outputs.OperatorNode
import dev.sparkwindowing.spark.plan.{KeyedInput, OutputLayout, PythonFunctionOutput, ResultTime, WindowRules}
import dev.sparkwindowing.triggers.{ProcessingTimeTrigger, Trigger}
import dev.sparkwindowing.windows.Millis
import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.types.{ArrayType, DataType, StructType}
import org.apache.spark.sql.{Column, DataFrame, Row, SparkWindowingBridge}

import java.time.Duration
import scala.jdk.CollectionConverters._

/** A keyed stream with a window assigner. Sets trigger, evictor and allowed lateness, and ends in the function that is
  * computed.
  *
  * Immutable; each call returns a new stream, and the order of the settings does not matter.
  */
final class WindowedStream private (input: KeyedInput, rules: WindowRules) {

  private def copy(rules: WindowRules): WindowedStream = new WindowedStream(input, rules.checked)

  /** Sets the trigger that fires the windows, in place of the assigner's default.
    *
    * @throws java.lang.UnsupportedOperationException
    *   for a trigger that cannot merge, on windows that merge
    */
  def trigger(trigger: Trigger[InternalRow]): WindowedStream = copy(rules.copy(trigger = trigger))

  /** Sets the evictor, which removes elements from a window when it fires. All elements are then kept, for any
    * function.
    */
  def evictor(evictor: Evictor[InternalRow]): WindowedStream = copy(rules.copy(evictor = Some(evictor)))

  /** Sets how far the watermark may be past the end of an event-time window before its state is removed: until then the
    * window takes elements and fires for them. Default: 0.
    *
    * @throws java.lang.IllegalArgumentException
    *   if negative
    */
  def allowedLateness(lateness: Duration): WindowedStream = copy(
    rules.copy(allowedLateness = Millis.of("lateness", lateness))
  )

  /** Writes late rows to a side output, read with [[SparkWindowing.sideOutput]]. By default they are dropped and
    * counted.
    */
  def sideOutputLateData(tag: String): WindowedStream = {
    if (tag == null) throw new NullPointerException("the tag of the late side output must not be null")
    SparkWindowingBridge.within(input.df.sparkSession)(OutputLayout.checkTag(tag))
    copy(rules.copy(lateTag = Some(tag)))
  }

  /** Adds a column `pane` after `window`, which tells the firings of a window apart.
    *
    *   - `timing`: `early` before the watermark passes the window's end, `on_time` for the firing at that moment,
    *     `late` for every other one from then on, which a late element causes; `on_time` for windows that do not end in
    *     event time
    *   - `number`: the number of earlier firings; a merged session counts those of its parts
    *   - `is_last`: whether the timer that fired the window also cleans it up
    *   - `fired_at`: processing time of the micro-batch; null where processing time does not advance
    *   - `replaced`: the sessions that had fired and were merged into this one since its last firing
    *
    * The number of firings is stored with the window until it is cleaned up.
    */
  def withPane(): WindowedStream = copy(rules.copy(pane = true))

  /** Emits only the last of several firings of a window in one micro-batch if their contents are equal. */
  def collapseFirings(): WindowedStream = copy(rules.copy(collapsesFirings = true))

  /** Lets the query start on the checkpoint of a query that differs only in what is safe: a longer allowed lateness;
    * another event-time, processing-time or never trigger (or a purging one of these) in place of one of these; longer
    * intervals of a continuous trigger or `AfterWatermark`. Other differences are still refused.
    *
    * Meant for one start: remove it after the first micro-batch. Windows that were cleaned up are not restored: a row
    * that is no longer late for one of them starts it anew.
    */
  def allowStateChange(): WindowedStream = copy(rules.copy(allowsStateChange = true))

  /** One row per firing: the key columns, `window`, and the aggregates. */
  def aggregate(aggregates: java.util.List[Column]): DataFrame = aggregate(aggregates.asScala.toSeq: _*)

  /** One row per firing: the key columns, `window`, and the aggregates. Takes any aggregate of Spark SQL, with
    * expressions inside and around it, except DISTINCT and Python aggregates.
    */
  def aggregate(aggregates: Column*): DataFrame = result(_ => SqlAggregates.analyze(input.df, aggregates))

  /** One row per firing: the key columns, `window`, and the result columns of a user-defined aggregate.
    *
    * @throws java.lang.IllegalArgumentException
    *   if its parts do not fit together, or it cannot merge on windows that merge
    */
  def aggregate(function: ColumnAggregateFunction): DataFrame = result(function.bind(_, mergingAssigner))

  /** `aggregate` with a user-defined aggregate on `Row`. */
  def aggregate(function: AggregateFunction): DataFrame = result(RowFold.aggregate(function, function.spec, _))

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
  def reduce(function: ColumnReduceFunction): DataFrame = result(function.bind(shown, _))

  private def reduceAs(what: String, reduced: Column): DataFrame =
    result(ColumnReduce.bind(reduced, isMergeable = false, shown, what, _))

  // Positions of the input columns that are not key columns of the result.
  private def shown: Seq[Int] = {
    val columns = SparkWindowingBridge.analyzedPlan(input.df).output
    columns.indices.filterNot(i => !input.hidesKeys && input.keys.exists(_.semanticEquals(columns(i))))
  }

  /** `reduce` with a function on `Row`. */
  def reduce(function: ReduceFunction): DataFrame = result(RowFold.reduce(function, function.spec, shown, _))

  /** The first row of the window with the sum of one column in its place, as Flink's `sum`. The type is kept; integers
    * wrap around on overflow. For the sum alone use `aggregate(functions.sum("field"))`.
    *
    * @throws java.lang.IllegalArgumentException
    *   if the column does not exist or is not numeric
    */
  def sum(field: String): DataFrame = reduceAs("sum", FieldReduction.sum(input.df.schema, field))

  /** The first row of the window with the minimum of one column in its place, as Flink's `min`. Nulls are ignored.
    *
    * @throws java.lang.IllegalArgumentException
    *   if the column does not exist or has no order
    */
  def min(field: String): DataFrame = reduceAs("min", FieldReduction.min(input.df.schema, field))

  /** The first row of the window with the maximum of one column in its place, as [[min]]. */
  def max(field: String): DataFrame = reduceAs("max", FieldReduction.max(input.df.schema, field))

  /** The row of the window with the minimum of one column; of several such rows the first or the last. A row with null
    * is taken only if all are null.
    *
    * @throws java.lang.IllegalArgumentException
    *   if the column does not exist or has no order
    */
  def minBy(field: String, first: Boolean = true): DataFrame =
    reduceAs("min_by", FieldReduction.minBy(input.df.schema, field, first))

  /** The row of the window with the maximum of one column, as [[minBy]]. */
  def maxBy(field: String, first: Boolean = true): DataFrame =
    reduceAs("max_by", FieldReduction.maxBy(input.df.schema, field, first))

  private def mergingAssigner: Option[String] = if (rules.isMerging) Some(rules.assigner.toString) else None

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
  ): DataFrame = {
    required("function", function)
    result(binder =>
      new ProcessComputation(
        function,
        schema,
        sideOutputs,
        input.keyFields,
        rules.isMerging,
        input.df.schema,
        binder.rowView
      )
    )
  }

  /** [[process]] with a function without context: any number of rows per firing; all elements are kept. */
  def apply(function: WindowFunction[Row, Row, Row], schema: StructType): DataFrame = {
    required("function", function)
    process(new WindowFunctionOnly(function), schema)
  }

  /** Aggregates stored as buffers, whose one row per firing is passed to a function with key, window, time and state.
    */
  def aggregate(
      aggregates: Seq[Column],
      function: ProcessWindowFunction[Row, Row, Row],
      schema: StructType,
      sideOutputs: SideOutput*
  ): DataFrame = incremental("aggregate", aggregates.asJava, function, schema, sideOutputs)

  /** A user-defined aggregate stored as its accumulator, whose one result per firing is passed to a function. */
  def aggregate(
      aggregate: ColumnAggregateFunction,
      function: ProcessWindowFunction[Row, Row, Row],
      schema: StructType,
      sideOutputs: SideOutput*
  ): DataFrame = incremental("aggregate", aggregate, function, schema, sideOutputs)

  /** The same with a user-defined aggregate on `Row`. */
  def aggregate(
      aggregate: AggregateFunction,
      function: ProcessWindowFunction[Row, Row, Row],
      schema: StructType,
      sideOutputs: SideOutput*
  ): DataFrame = incremental("aggregate", aggregate, function, schema, sideOutputs)

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
  ): DataFrame = incremental("reduce", reduced, function, schema, sideOutputs)

  /** The same with a reduce function on `Row`. */
  def reduce(
      reduced: ReduceFunction,
      function: ProcessWindowFunction[Row, Row, Row],
      schema: StructType,
      sideOutputs: SideOutput*
  ): DataFrame = incremental("reduce", reduced, function, schema, sideOutputs)

  private def incremental(
      call: String,
      first: Object,
      function: ProcessWindowFunction[Row, Row, Row],
      schema: StructType,
      sideOutputs: Seq[SideOutput]
  ): DataFrame = {
    required("function", function)
    required(call, first)
    result { binder =>
      val computed = computation(call, first, binder)
      new IncrementalProcess(computed, function, schema, sideOutputs, input.keyFields, rules.isMerging)
    }
  }

  /** Rows for a function that runs after the operator, in another process. For callers without Scala.
    *
    * @param id
    *   identifier of the function
    * @param call
    *   the computation before the function: `aggregate` or `reduce`
    * @param first
    *   argument of that computation, as for `compute`; null to pass all elements
    * @param schema
    *   the columns of a result of the function
    * @param tags
    *   tags of the function's side outputs, whose columns are in `schemas`
    * @param windowState
    *   per-window state, null for none; likewise `globalState`
    */
  def pythonFunction(
      id: String,
      call: String,
      first: Object,
      schema: StructType,
      tags: java.util.List[String],
      schemas: java.util.List[StructType],
      windowState: ColumnState,
      globalState: ColumnState
  ): DataFrame = {
    if (windowState != null) mergingAssigner.foreach { assigner =>
      throw new UnsupportedOperationException(
        s"window_state: the windows of $assigner merge, and have no state of their own: use global_state"
      )
    }
    val sides = tags.asScala.toSeq.zip(schemas.asScala).map { case (tag, s) => SideOutput(tag, s) }
    def pythonFunction(handed: OutputLayout) =
      PythonFunctionOutput(
        id,
        new OutputLayout(input.keyFields, schema, handed.late, sides, rules.pane, rules.resultTime)
      )
    OperatorNode.handed(input, rules, pythonFunction) { binder =>
      val source = if (first == null) Left(binder.rowView) else Right(computation(call, first, binder))
      val result = source.fold[DataType](v => ArrayType(v.schema), _.schema)
      new PythonFunctionInput(
        source,
        Option(windowState).map(_.bind("window_state", result, binder)),
        Option(globalState).map(_.bind("global_state", result, binder))
      )
    }
  }

  /** Computes `aggregate` or `reduce` by name, for callers without Scala.
    *
    * @param what
    *   a list of aggregates, or a function in columns or on `Row`
    */
  private[sparkwindowing] def compute(call: String, what: Object): DataFrame = result(computation(call, what, _))

  private def computation(call: String, what: Object, binder: ColumnBinder): Computation = (call, what) match {
    case ("aggregate", columns: java.util.List[_]) =>
      SqlAggregates.analyze(input.df, columns.asInstanceOf[java.util.List[Column]].asScala.toSeq)
    case ("aggregate", function: ColumnAggregateFunction)         => function.bind(binder, mergingAssigner)
    case ("aggregate", function: AggregateFunction)               => RowFold.aggregate(function, function.spec, binder)
    case ("aggregate", ClassFunction(f: AggregateFunction, spec)) => RowFold.aggregate(f, spec, binder)
    case ("reduce", reduced: Column)                              =>
      ColumnReduceFunction.of(reduced, mergeable = false).bind(shown, binder)
    case ("reduce", function: ColumnReduceFunction)         => function.bind(shown, binder)
    case ("reduce", function: ReduceFunction)               => RowFold.reduce(function, function.spec, shown, binder)
    case ("reduce", ClassFunction(f: ReduceFunction, spec)) => RowFold.reduce(f, spec, shown, binder)
    case (_, other)                                         =>
      throw new IllegalArgumentException(
        s"$call takes a class that implements dev.sparkwindowing.functions.${call.capitalize}Function, got ${ClassFunction.className(other)}"
      )
  }

  private def required(name: String, value: Any): Unit =
    if (value == null) throw new NullPointerException(s"$name must not be null")

  private def result(compute: ColumnBinder => Computation): DataFrame = OperatorNode.result(input, rules)(compute)

  override def toString: String =
    s"WindowedStream(${rules.assigner}, ${rules.trigger}${rules.evictor.fold("")(e => s", $e")}; one row a firing)"
}

private[sparkwindowing] object WindowedStream {

  def of(input: KeyedInput, assigner: WindowAssigner[InternalRow]): WindowedStream = {
    val trigger = assigner.defaultTrigger
    if (assigner.isEventTime) checkEventTime(input, assigner)
    else if (!input.df.isStreaming && trigger.isInstanceOf[ProcessingTimeTrigger])
      throw new IllegalArgumentException(
        s"$assigner uses processing time, which does not advance on a static DataFrame: use the event-time windows of that name"
      )
    new WindowedStream(input, WindowRules(assigner, trigger))
  }

  private def checkEventTime(input: KeyedInput, assigner: WindowAssigner[_]): Unit = {
    val time = input.eventTime
    if (time.isEmpty || input.df.isStreaming && !time.exists(_.hasWatermark))
      ResultTime.missing(SparkWindowingBridge.analyzedPlan(input.df)).foreach { instead =>
        throw new IllegalArgumentException(s"$assigner needs an event time: $instead")
      }
    time match {
      case None =>
        val names = input.df.columns.map(c => s"'$c'").mkString(", ")
        throw new IllegalArgumentException(
          if (input.df.isStreaming)
            s"$assigner needs a watermark, and no column of the stream has one (columns: $names): " +
              "df.withWatermark(\"ts\", \"10 seconds\") before key_by"
          else s"$assigner needs an event time: name the column, key_by(df, .., time=\"ts\") (columns: $names)"
        )
      case Some(time) if input.df.isStreaming && !time.hasWatermark =>
        throw new IllegalArgumentException(
          s"$assigner needs a watermark on the stream's event time: df.withWatermark(\"ts\", \"10 seconds\") before key_by"
        )
      case Some(_) => ()
    }
  }
}
