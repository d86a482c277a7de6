package dev.sparkwindowing

import dev.sparkwindowing.assigners.{MergingWindowAssigner, WindowAssigner}
import dev.sparkwindowing.columns._
import dev.sparkwindowing.evictors.Evictor
import dev.sparkwindowing.functions.{AggregateFunction, ReduceFunction}
import dev.sparkwindowing.operator.WindowSpec
import dev.sparkwindowing.spark.functions.{Computation, SqlAggregates}
import dev.sparkwindowing.spark.plan._
import dev.sparkwindowing.triggers.{ProcessingTimeTrigger, Trigger}
import dev.sparkwindowing.windows.Millis
import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.types.{StructField, StructType}
import org.apache.spark.sql.{Column, DataFrame, SparkWindowingBridge}

import java.time.Duration
import scala.jdk.CollectionConverters._

/** A keyed stream in windows: says when they fire, what leaves them, how late an element may be, and what is computed.
  *
  * Immutable; each call gives a new one, and the order of the calls does not matter.
  */
final class WindowedStream private (
    input: KeyedStream,
    assigner: WindowAssigner[InternalRow],
    windowTrigger: Trigger[InternalRow],
    windowEvictor: Option[Evictor[InternalRow]],
    lateness: Long,
    lateTag: Option[String]
) {

  private def copy(
      windowTrigger: Trigger[InternalRow] = windowTrigger,
      windowEvictor: Option[Evictor[InternalRow]] = windowEvictor,
      lateness: Long = lateness,
      lateTag: Option[String] = lateTag
  ): WindowedStream = {
    WindowSpec.check(assigner, windowTrigger, lateness)
    new WindowedStream(input, assigner, windowTrigger, windowEvictor, lateness, lateTag)
  }

  /** Fires the windows by `trigger` instead of the assigner's own.
    *
    * @throws java.lang.UnsupportedOperationException
    *   for a trigger that cannot merge on windows that merge
    */
  def trigger(trigger: Trigger[InternalRow]): WindowedStream = copy(windowTrigger = trigger)

  /** Takes elements out of a window when it fires. All elements are kept then, whatever the function is. */
  def evictor(evictor: Evictor[InternalRow]): WindowedStream = copy(windowEvictor = Some(evictor))

  /** How long behind the watermark an event-time window still takes elements and fires for them; none unless set.
    *
    * @throws java.lang.IllegalArgumentException
    *   if negative
    */
  def allowedLateness(lateness: Duration): WindowedStream = copy(lateness = Millis.of("lateness", lateness))

  /** Gives late rows out as an output of their own, read with [[SparkWindowing.sideOutput]]; dropped and counted unless
    * set.
    */
  def sideOutputLateData(tag: String): WindowedStream = {
    if (tag == null) throw new NullPointerException("the tag of the late side output must not be null")
    if (tag.isEmpty || tag == SideOutputs.Main)
      throw new IllegalArgumentException(s"the tag of a side output must not be '$tag': give it a name, e.g. \"late\"")
    copy(lateTag = Some(tag))
  }

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
  def aggregate(function: AggregateFunction): DataFrame = result(RowFold.aggregate(function, _))

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
  def reduce(function: ReduceFunction): DataFrame = result(RowFold.reduce(function, shown, _))

  /** `reduce` or `aggregate` with a function of a class that was named, for callers that have no Scala. */
  private[sparkwindowing] def named(call: String, function: Object): DataFrame = (call, function) match {
    case ("reduce", f: ReduceFunction)       => reduce(f)
    case ("aggregate", f: AggregateFunction) => aggregate(f)
    case (_, other)                          =>
      throw new IllegalArgumentException(
        s"$call takes a class that implements dev.sparkwindowing.functions.${call.capitalize}Function, got ${other.getClass.getName}"
      )
  }

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

  private def mergingAssigner: Option[String] = assigner match {
    case merging: MergingWindowAssigner[_] => Some(merging.toString)
    case _                                 => None
  }

  private def result(compute: ColumnBinder => Computation): DataFrame = {
    val plan                = SparkWindowingBridge.analyzedPlan(input.df)
    val row                 = if (lateTag.isDefined) plan.output else Nil
    val binder              = new ColumnBinder(input.df)
    val computation         = compute(binder)
    val parts               = BoundParts(assigner, windowTrigger, windowEvictor, binder)
    val time                = input.eventTime.map(_.millis)
    val (layout, projected) =
      InputLayout.project(plan, input.keys, time, computation.arguments, binder.columns, row)
    binder.place(layout.partOrdinals)
    val shown   = if (input.hidesKeys) Nil else input.keys
    val keys    = shown.map(k => StructField(k.name, k.dataType, nullable = true, k.metadata))
    val late    = StructType(row.map(a => StructField(a.name, a.dataType, nullable = true, a.metadata)))
    val output  = new OutputLayout(keys, computation.schema, lateTag, late)
    val program = new WindowProgram(
      parts.assigner,
      parts.trigger,
      parts.evictor,
      lateness,
      computation,
      input.onMissingTime,
      layout,
      output
    )
    val node = WindowNode(program, output.attributes(plan.isStreaming), projected)
    SideOutputs.main(input.df.sparkSession, node)
  }

  override def toString: String =
    s"WindowedStream($assigner, $windowTrigger${windowEvictor.fold("")(e => s", $e")}; one row a firing)"
}

private[sparkwindowing] object WindowedStream {

  def of(input: KeyedStream, assigner: WindowAssigner[InternalRow]): WindowedStream = {
    val trigger = assigner.defaultTrigger
    if (assigner.isEventTime) checkEventTime(input, assigner)
    else if (!input.df.isStreaming && trigger.isInstanceOf[ProcessingTimeTrigger])
      throw new IllegalArgumentException(
        s"$assigner goes by the clock, which stands still on a static DataFrame: use the event-time windows of that name"
      )
    new WindowedStream(input, assigner, trigger, None, 0L, None)
  }

  private def checkEventTime(input: KeyedStream, assigner: WindowAssigner[_]): Unit = input.eventTime match {
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
