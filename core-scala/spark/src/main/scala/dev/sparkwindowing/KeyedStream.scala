package dev.sparkwindowing

import dev.sparkwindowing.assigners.{GlobalWindows, SlidingEventTimeWindows, TumblingEventTimeWindows, WindowAssigner}
import dev.sparkwindowing.columns.ColumnProcess
import dev.sparkwindowing.declaration.{FieldSpecs, Spec}
import dev.sparkwindowing.evictors.CountEvictor
import dev.sparkwindowing.functions.{KeyedProcessFunction, SideOutput}
import dev.sparkwindowing.interop.ClassFunction
import dev.sparkwindowing.spark.computations.KeyedProcess
import dev.sparkwindowing.spark.expressions.{Columns, KeyTypes}
import dev.sparkwindowing.spark.outputs.OperatorNode
import dev.sparkwindowing.spark.plan.{AssignedWindows, KeyedInput, MissingTime, WindowRules}
import dev.sparkwindowing.triggers.{CountTrigger, NeverTrigger, PurgingTrigger}
import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.functions.{col, lit}
import org.apache.spark.sql.types.StructType
import org.apache.spark.sql.{Column, DataFrame, Row}

import java.time.Duration
import scala.jdk.CollectionConverters._

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
  def eventTime(time: Column): KeyedStream =
    new KeyedStream(input.copy(time = Some(Columns.resolve(input.df, Seq(time), "time").head)))

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

  /** Assigns the rows of each key to windows.
    *
    * @throws java.lang.IllegalArgumentException
    *   for an event-time window without event time, or on a stream without watermark; for a processing-time window on a
    *   static DataFrame, where processing time does not advance
    */
  def window(assigner: WindowAssigner[InternalRow]): WindowedStream = WindowedStream.of(input, assigner)

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
    if (function == null) throw new NullPointerException("function must not be null")
    process(function, FieldSpecs.ofClass(function), schema, sideOutputs)
  }

  private def process(
      function: KeyedProcessFunction[Row, Row, Row],
      spec: Spec,
      schema: StructType,
      sideOutputs: Seq[SideOutput]
  ): DataFrame = OperatorNode.result(input, KeyedStream.NoWindows, hasWindows = false) { binder =>
    new KeyedProcess(function, spec, schema, sideOutputs, input.keyFields, binder.rowView)
  }

  /** Processes the rows of each key one by one by a function written as columns, with state and timers, without
    * windows. The result is as for a function on `Row`, with the columns that it emits.
    *
    * @throws java.lang.IllegalArgumentException
    *   if the types of its columns do not fit together, or it needs an event time or a watermark that the input has not
    */
  def process(function: ColumnProcess): DataFrame = {
    if (function == null) throw new NullPointerException("function must not be null")
    function.eventTimeUse.foreach(AssignedWindows.checkEventTime(input, _))
    OperatorNode.result(input, KeyedStream.NoWindows, hasWindows = false)(function.bind(input.keyFields, _))
  }

  /** [[process]] by a class of a user's jar, for callers without Scala.
    *
    * @param tags
    *   tags of its side outputs, whose columns are in `schemas`
    * @throws java.lang.IllegalArgumentException
    *   if it is no `KeyedProcessFunction`
    */
  private[sparkwindowing] def processByClass(
      function: Object,
      schema: StructType,
      tags: java.util.List[String],
      schemas: java.util.List[StructType]
  ): DataFrame = function match {
    case ClassFunction(f: KeyedProcessFunction[_, _, _], spec) =>
      val sides = tags.asScala.toSeq.zip(schemas.asScala).map { case (tag, s) => SideOutput(tag, s) }
      process(f.asInstanceOf[KeyedProcessFunction[Row, Row, Row]], spec, schema, sides)
    case other =>
      throw new IllegalArgumentException(
        "process takes a class that implements dev.sparkwindowing.functions.KeyedProcessFunction, got " +
          ClassFunction.className(other)
      )
  }

  /** Tumbling event-time windows. */
  def timeWindow(size: Duration): WindowedStream = window(TumblingEventTimeWindows.of(size))

  /** Sliding event-time windows. */
  def timeWindow(size: Duration, slide: Duration): WindowedStream = window(SlidingEventTimeWindows.of(size, slide))

  /** Consecutive windows of `size` elements of a key. */
  def countWindow(size: Long): WindowedStream =
    window(GlobalWindows.create()).trigger(PurgingTrigger.of[Any](CountTrigger.of(size)))

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
    window(GlobalWindows.create())
      .trigger(CountTrigger.of(slide, if (onlyFull) size else 0))
      .evictor(CountEvictor.of[InternalRow](size))
}

private[sparkwindowing] object KeyedStream {
  private def NoWindows = WindowRules(GlobalWindows.create(), NeverTrigger.create())

  /** @param keys empty stands for one constant key, which the result does not show */
  def of(df: DataFrame, keys: Seq[Column], time: Option[Column], onMissingTime: String): KeyedStream = {
    val hides    = keys.isEmpty
    val resolved = Columns.resolve(df, if (hides) Seq(lit(0).as("all")) else keys, "a key")
    KeyTypes.check(resolved)
    val timeColumn = time.map(t => Columns.resolve(df, Seq(t), "time").head)
    new KeyedStream(new KeyedInput(df, resolved, hides, timeColumn, MissingTime.of(onMissingTime)))
  }
}
