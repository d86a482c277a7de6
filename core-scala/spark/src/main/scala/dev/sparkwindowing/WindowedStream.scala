package dev.sparkwindowing

import dev.sparkwindowing.assigners.{GlobalWindows, WindowAssigner}
import dev.sparkwindowing.columns.{ColumnAggregateFunction, ColumnReduceFunction, ColumnState}
import dev.sparkwindowing.functions.{
  AggregateFunction,
  ProcessWindowFunction,
  ReduceFunction,
  SideOutput,
  TimeDomain,
  WindowFunction
}
import dev.sparkwindowing.interop.ClassFunction
import dev.sparkwindowing.spark.advice.Code
import dev.sparkwindowing.spark.aggregates.AggregateAnalysis
import dev.sparkwindowing.spark.computations.{
  ColumnReduce,
  Computation,
  FieldReduction,
  IncrementalProcess,
  ProcessComputation,
  PythonFunctionInput,
  PythonTypes,
  RowFold,
  WindowFunctionOnly
}
import dev.sparkwindowing.spark.expressions.{ColumnBinder, StructFit}
import dev.sparkwindowing.spark.outputs.OperatorNode
import dev.sparkwindowing.spark.plan.{AssignedWindows, KeyedInput, OutputLayout, PythonFunctionOutput, WindowRules}
import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.types.{ArrayType, DataType, StructType}
import org.apache.spark.sql.{Column, DataFrame, Row, SparkWindowingBridge}

import scala.jdk.CollectionConverters._

/** A keyed stream with a window assigner. Sets trigger, evictor and allowed lateness, and ends in the function that is
  * computed.
  *
  * Immutable; each call returns a new stream, and the order of the settings does not matter.
  */
final class WindowedStream private (
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

  /** One row per firing: the key columns, `window`, and the aggregates. */
  def aggregate(aggregates: java.util.List[Column]): DataFrame = aggregate(aggregates.asScala.toSeq: _*)

  /** One row per firing: the key columns, `window`, and the aggregates. Takes any aggregate of Spark SQL, with
    * expressions inside and around it, except DISTINCT and Python aggregates.
    */
  def aggregate(aggregates: Column*): DataFrame = result(_ => AggregateAnalysis(input.df, aggregates))

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

  private def mergingAssigner: Option[String] = if (rules.assigner.isMerging) Some(rules.assigner.toString) else None

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
        !rules.assigner.hasFixedBounds,
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
      new IncrementalProcess(computed, function, schema, sideOutputs, input.keyFields, !rules.assigner.hasFixedBounds)
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
    if (windowState != null && !rules.assigner.hasFixedBounds)
      throw new UnsupportedOperationException(
        s"window_state: the windows of ${rules.assigner} ${if (rules.assigner.isMerging) "merge"
          else "change with late rows"}, and " +
          "have no state of their own: use global_state"
      )
    if (windowState != null && windowState.ttl.nonEmpty)
      throw new UnsupportedOperationException(
        "window_state: it is removed with its window and has no ttl: use global_state, or take ttl away"
      )
    if (globalState != null && globalState.ttl.exists(_.clock == TimeDomain.EventTime)) checkEventTimeToLive()
    val sides = tags.asScala.toSeq.zip(schemas.asScala).map { case (tag, s) => SideOutput(tag, s) }
    (schema +: sides.map(_.schema)).foreach { given =>
      PythonTypes.check(given)((name, kind) => s"""return another type, "$name $kind", and cast the column after it""")
    }
    def pythonFunction(handed: OutputLayout) =
      PythonFunctionOutput(
        id,
        new OutputLayout(
          input.keyFields,
          schema,
          handed.late,
          sides,
          rules.pane,
          rules.resultTime,
          handed.row,
          handed.times
        )
      )
    if (first == null) StructFit.refuseTwice(input.df.schema, "process: the input")
    OperatorNode.handed(input, rules, pythonFunction) { binder =>
      val source   = if (first == null) Left(binder.rowView) else Right(computation(call, first, binder))
      val result   = source.fold[DataType](v => ArrayType(v.schema), _.schema)
      val ofWindow = Option(windowState).map(_.bind("window_state", result, binder))
      val ofKey    = Option(globalState).map(_.bind("global_state", result, binder))
      PythonTypes.check(input.keyFields ++ source.fold(_.schema, _ => Nil)) { (name, kind) =>
        s"cast it, ${Code.df.withColumn(name, Code.column(name).cast(kind))}"
      }
      PythonTypes.check(source.fold(_ => Nil, _.schema)) { (name, kind) =>
        s"cast it, such as ${Code.function("max", Code.reference(name)).cast(kind).as(name)}"
      }
      (ofWindow ++ ofKey).foreach { state =>
        PythonTypes.check(state.schema)((name, kind) =>
          s"cast it, ${state.name}: CAST($name AS ${kind.toUpperCase}) AS $name"
        )
      }
      new PythonFunctionInput(source, ofWindow, ofKey)
    }
  }

  private def checkEventTimeToLive(): Unit = {
    AssignedWindows.checkEventTime(
      input,
      s"global_state: ttl in event time (${Code.named("ttl_clock", Code.text("processing_time"))} is the other)"
    )
    rules.assigner match {
      case _: GlobalWindows            =>
      case other if !other.isEventTime =>
        throw new IllegalArgumentException(
          s"global_state: ttl in event time with windows of processing time ($other): measure it by their clock, " +
            s"ColumnState.of(.., ttl=.., ${Code.named("ttl_clock", Code.text("processing_time"))})"
        )
      case _ =>
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
      AggregateAnalysis(input.df, columns.asInstanceOf[java.util.List[Column]].asScala.toSeq)
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

  def of(input: KeyedInput, assigner: WindowAssigner[InternalRow]): WindowedStream =
    new WindowedStream(input, AssignedWindows.rules(input, assigner))
}
