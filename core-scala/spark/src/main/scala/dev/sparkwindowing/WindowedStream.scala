package dev.sparkwindowing

import dev.sparkwindowing.assigners.WindowAssigner
import dev.sparkwindowing.columns._
import dev.sparkwindowing.evictors.Evictor
import dev.sparkwindowing.functions._
import dev.sparkwindowing.spark.functions._
import dev.sparkwindowing.spark.plan._
import dev.sparkwindowing.triggers.{ProcessingTimeTrigger, Trigger}
import dev.sparkwindowing.windows.Millis
import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.types.{ArrayType, DataType, StructType}
import org.apache.spark.sql.{Column, DataFrame, Row, SparkWindowingBridge}

import java.time.Duration
import scala.jdk.CollectionConverters._

/** A keyed stream in windows: says when they fire, what leaves them, how late an element may be, and what is computed.
  *
  * Immutable; each call gives a new one, and the order of the calls does not matter.
  */
final class WindowedStream private (input: KeyedStream, rules: WindowRules) {

  private def copy(rules: WindowRules): WindowedStream = new WindowedStream(input, rules.checked)

  /** Fires the windows by `trigger` instead of the assigner's own.
    *
    * @throws java.lang.UnsupportedOperationException
    *   for a trigger that cannot merge on windows that merge
    */
  def trigger(trigger: Trigger[InternalRow]): WindowedStream = copy(rules.copy(trigger = trigger))

  /** Takes elements out of a window when it fires. All elements are kept then, whatever the function is. */
  def evictor(evictor: Evictor[InternalRow]): WindowedStream = copy(rules.copy(evictor = Some(evictor)))

  /** How long behind the watermark an event-time window still takes elements and fires for them; none unless set.
    *
    * @throws java.lang.IllegalArgumentException
    *   if negative
    */
  def allowedLateness(lateness: Duration): WindowedStream = copy(
    rules.copy(allowedLateness = Millis.of("lateness", lateness))
  )

  /** Gives late rows out as an output of their own, read with [[SparkWindowing.sideOutput]]; dropped and counted unless
    * set.
    */
  def sideOutputLateData(tag: String): WindowedStream = {
    if (tag == null) throw new NullPointerException("the tag of the late side output must not be null")
    SparkWindowingBridge.within(input.df.sparkSession)(OutputLayout.checkTag(tag))
    copy(rules.copy(lateTag = Some(tag)))
  }

  /** Adds a column `pane` behind `window`: which firing of its window a row is.
    *
    *   - `timing`: `early` before the watermark has passed the window's end, `on_time` for the first firing at or
    *     behind it, `late` for every further one; `on_time` for windows that the watermark does not end
    *   - `index`: the number of earlier firings; a merged session counts those of the sessions in it
    *   - `is_last`: whether the window is cleaned up by the timer that fired it
    *   - `fired_at`: the clock of the micro-batch; null where the clock stands still
    *   - `replaced`: the sessions that had fired and became part of this one since its last firing
    *
    * Firings are remembered with their window until it is cleaned up.
    */
  def withPane(): WindowedStream = copy(rules.copy(pane = true))

  /** Of several firings of a window in one micro-batch with equal contents only the last is put out. */
  def collapseFirings(): WindowedStream = copy(rules.copy(collapsesFirings = true))

  /** Lets the query start on the checkpoint of one that differed in what is safe: a shorter allowed lateness; a trigger
    * of event time, processing time or never (or purging of these) where this has another of them; shorter intervals of
    * a continuous trigger or `AfterWatermark`. Other differences are still refused.
    *
    * For one start: take it away when a micro-batch is done. Windows that were cleaned up already do not come back: a
    * row for one of them that is not late any more begins it anew.
    */
  def allowStateChange(): WindowedStream = copy(rules.copy(allowsStateChange = true))

  /** One row a firing: the key columns, `window`, and the aggregates. */
  def aggregate(aggregates: java.util.List[Column]): DataFrame = aggregate(aggregates.asScala.toSeq: _*)

  /** One row a firing: the key columns, `window`, and the aggregates. Any aggregate of Spark SQL can stand here, with
    * expressions inside and around it, except DISTINCT ones and those of Python.
    */
  def aggregate(aggregates: Column*): DataFrame = result(_ => SqlAggregates.analyze(input.df, aggregates))

  /** One row a firing: the key columns, `window`, and the columns of the function's result, for an aggregate of one's
    * own.
    *
    * @throws java.lang.IllegalArgumentException
    *   if its parts do not fit together, or it cannot merge on windows that merge
    */
  def aggregate(function: ColumnAggregateFunction): DataFrame = result(function.bind(_, mergingAssigner))

  /** The same with an aggregate of one's own on `Row`. */
  def aggregate(function: AggregateFunction): DataFrame = result(RowFold.aggregate(function, function.spec, _))

  /** One row a firing: the key columns, `window`, and the other columns of the row that the rows of the window were
    * reduced to, one with the next.
    *
    * @param reduced
    *   over the structs `a` (what is kept) and `b` (the row that came): a struct of exactly the columns of the input,
    *   by name
    * @throws java.lang.IllegalArgumentException
    *   if it gives anything else
    */
  def reduce(reduced: Column): DataFrame = reduceAs("reduce", reduced)

  private def reduceAs(what: String, reduced: Column): DataFrame = result(ColumnReduce.bind(reduced, shown, what, _))

  // The positions of the columns that are no keys of the result.
  private def shown: Seq[Int] = {
    val columns = SparkWindowingBridge.analyzedPlan(input.df).output
    columns.indices.filterNot(i => !input.hidesKeys && input.keys.exists(_.semanticEquals(columns(i))))
  }

  /** As the `reduce` of a column, with a function on `Row`. */
  def reduce(function: ReduceFunction): DataFrame = result(RowFold.reduce(function, function.spec, shown, _))

  /** The first row of the window with one column added up over all, as Flink's `sum`; the type stays, whole numbers
    * wrap around. For the sum alone write `aggregate(functions.sum("field"))`.
    *
    * @throws java.lang.IllegalArgumentException
    *   if there is no such column, or it is no number
    */
  def sum(field: String): DataFrame = reduceAs("sum", FieldReduction.sum(input.df.schema, field))

  /** The first row of the window with the least value of one column in its place, as Flink's `min`. Nulls are passed
    * over.
    *
    * @throws java.lang.IllegalArgumentException
    *   if there is no such column, or it has no order
    */
  def min(field: String): DataFrame = reduceAs("min", FieldReduction.min(input.df.schema, field))

  /** The first row of the window with the greatest value of one column in its place, as [[min]]. */
  def max(field: String): DataFrame = reduceAs("max", FieldReduction.max(input.df.schema, field))

  /** The row of the window with the least value of one column, of several the first or the last. A row with null is
    * taken only if there is no other.
    *
    * @throws java.lang.IllegalArgumentException
    *   if there is no such column, or it has no order
    */
  def minBy(field: String, first: Boolean = true): DataFrame =
    reduceAs("min_by", FieldReduction.minBy(input.df.schema, field, first))

  /** The row of the window with the greatest value of one column, as [[minBy]]. */
  def maxBy(field: String, first: Boolean = true): DataFrame =
    reduceAs("max_by", FieldReduction.maxBy(input.df.schema, field, first))

  private def mergingAssigner: Option[String] = if (rules.isMerging) Some(rules.assigner.toString) else None

  /** Any number of rows a firing: the key columns, `window`, and what `function` puts out. All elements are kept.
    *
    * @param schema
    *   the columns of a result
    * @param sideOutputs
    *   the outputs that the function writes to beside it
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

  /** Any number of rows a firing, of all elements: [[process]] with less around it. */
  def apply(function: WindowFunction[Row, Row, Row], schema: StructType): DataFrame = {
    required("function", function)
    process(new WindowFunctionOnly(function), schema)
  }

  /** Aggregates that are kept as buffers, and a function that sees their one row a firing, with key, window, time and
    * state.
    */
  def aggregate(
      aggregates: Seq[Column],
      function: ProcessWindowFunction[Row, Row, Row],
      schema: StructType,
      sideOutputs: SideOutput*
  ): DataFrame = incremental("aggregate", aggregates.asJava, function, schema, sideOutputs)

  /** An aggregate of one's own that is kept as its accumulator, and a function that sees its one result a firing. */
  def aggregate(
      aggregate: ColumnAggregateFunction,
      function: ProcessWindowFunction[Row, Row, Row],
      schema: StructType,
      sideOutputs: SideOutput*
  ): DataFrame = incremental("aggregate", aggregate, function, schema, sideOutputs)

  /** The same with an aggregate of one's own on `Row`. */
  def aggregate(
      aggregate: AggregateFunction,
      function: ProcessWindowFunction[Row, Row, Row],
      schema: StructType,
      sideOutputs: SideOutput*
  ): DataFrame = incremental("aggregate", aggregate, function, schema, sideOutputs)

  /** One row that is kept of a window, and a function that sees it at a firing; without the columns that are keys,
    * which the function gets beside it.
    *
    * @param reduced
    *   as for `reduce` alone
    */
  def reduce(
      reduced: Column,
      function: ProcessWindowFunction[Row, Row, Row],
      schema: StructType,
      sideOutputs: SideOutput*
  ): DataFrame = incremental("reduce", reduced, function, schema, sideOutputs)

  /** The same with a function on `Row`. */
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

  /** The rows for a function that runs behind the operator, in another process: for callers that have no Scala.
    *
    * @param id
    *   tells the function from others
    * @param call
    *   the name of what is computed before, `aggregate` or `reduce`
    * @param first
    *   what is computed before, as for `compute`; null for all elements
    * @param schema
    *   the columns of a result of the function
    * @param tags
    *   the side outputs of the function, with the columns of each in `schemas`
    * @param windowState
    *   null for none, as `globalState`
    */
  def stage(
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
    def staged(handed: OutputLayout) =
      StagedOutput(id, new OutputLayout(input.keyFields, schema, handed.late, sides, rules.pane, rules.resultTime))
    OperatorNode.handed(input, rules, staged) { binder =>
      val source = if (first == null) Left(binder.rowView) else Right(computation(call, first, binder))
      val result = source.fold[DataType](v => ArrayType(v.schema), _.schema)
      new StageComputation(
        source,
        Option(windowState).map(_.bind("window_state", result, binder)),
        Option(globalState).map(_.bind("global_state", result, binder))
      )
    }
  }

  /** `aggregate` or `reduce`, by its name, for callers that have no Scala.
    *
    * @param what
    *   a list of aggregates, or a function in columns or on `Row`
    */
  private[sparkwindowing] def compute(call: String, what: Object): DataFrame = result(computation(call, what, _))

  private def computation(call: String, what: Object, binder: ColumnBinder): Computation = (call, what) match {
    case ("aggregate", columns: java.util.List[_]) =>
      SqlAggregates.analyze(input.df, columns.asInstanceOf[java.util.List[Column]].asScala.toSeq)
    case ("aggregate", function: ColumnAggregateFunction) => function.bind(binder, mergingAssigner)
    case ("aggregate", function: AggregateFunction)       => RowFold.aggregate(function, function.spec, binder)
    case ("aggregate", ClassFunction(f: AggregateFunction, spec)) => RowFold.aggregate(f, spec, binder)
    case ("reduce", reduced: Column)                      => ColumnReduce.bind(reduced, shown, "reduce", binder)
    case ("reduce", function: ReduceFunction)             => RowFold.reduce(function, function.spec, shown, binder)
    case ("reduce", ClassFunction(f: ReduceFunction, spec))       => RowFold.reduce(f, spec, shown, binder)
    case (_, other)                                       =>
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

  def of(input: KeyedStream, assigner: WindowAssigner[InternalRow]): WindowedStream = {
    val trigger = assigner.defaultTrigger
    if (assigner.isEventTime) checkEventTime(input, assigner)
    else if (!input.df.isStreaming && trigger.isInstanceOf[ProcessingTimeTrigger])
      throw new IllegalArgumentException(
        s"$assigner goes by the clock, which stands still on a static DataFrame: use the event-time windows of that name"
      )
    new WindowedStream(input, WindowRules(assigner, trigger))
  }

  private def checkEventTime(input: KeyedStream, assigner: WindowAssigner[_]): Unit = {
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
