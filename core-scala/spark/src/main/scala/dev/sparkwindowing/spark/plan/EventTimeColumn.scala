package dev.sparkwindowing.spark.plan

import dev.sparkwindowing.spark.advice.Code
import dev.sparkwindowing.spark.expressions.Columns
import dev.sparkwindowing.spark.rows.EventTimeType
import org.apache.spark.sql.catalyst.expressions._
import org.apache.spark.sql.catalyst.plans.logical.LogicalPlan
import org.apache.spark.sql.types._

/** Event time of the rows.
  *
  * @param time
  *   its column
  * @param times
  *   its type
  * @param millis
  *   a BIGINT expression of its milliseconds
  * @param exact
  *   the time itself, if it may be finer than milliseconds
  * @param hasWatermark
  *   whether Spark has a watermark on it
  */
private[sparkwindowing] final case class EventTimeColumn(
    time: NamedExpression,
    times: EventTimeType,
    millis: Expression,
    exact: Option[Expression],
    hasWatermark: Boolean
) {

  /** The time as a column of its type. */
  def value: Expression = exact.getOrElse(times.ofInstant(MillisToTimestamp(millis)))

  /** The line that makes a time without a zone one with the zone of the session. */
  def asInstant: String = EventTimeColumn.asInstant(time)

  /** Time of a result that a function emits for an element or timer. */
  def ofCall: ResultTime = ResultTime.OfCall(hasWatermark)
}

private[sparkwindowing] object EventTimeColumn {

  /** The event-time column that the caller names.
    *
    * @throws java.lang.IllegalArgumentException
    *   on a stream, if another column carries the watermark; for a type that is not a time, and for the global window
    */
  def named(plan: LogicalPlan, time: NamedExpression): EventTimeColumn = {
    TimestampsAndWatermarks.refuseSecond(plan)
    def ofWallClock = EventTimeType.ofWindow(time.dataType).contains(EventTimeType.WallClock)
    if (plan.isStreaming && (time.dataType == TimestampNTZType || ofWallClock))
      throw new IllegalArgumentException(
        s"the event time '${time.name}' of a stream must be a TIMESTAMP, got ${time.dataType.sql}: Spark's watermark takes " +
          s"no TIMESTAMP_NTZ. ${asInstant(time)}, before withWatermark"
      )
    // The type comes first: Spark takes no watermark on another.
    if (!isWindow(time.dataType)) of(time, hasWatermark = false)
    val marked   = candidates(plan)
    val isMarked = time match {
      case a: Attribute           => marked.exists(_.exprId == a.exprId)
      case Alias(a: Attribute, _) => marked.exists(_.exprId == a.exprId)
      case _                      => false
    }
    if (plan.isStreaming && marked.nonEmpty && !isMarked)
      throw new IllegalArgumentException(
        s"time is '${time.name}', but the watermark of the stream is on ${names(marked)}: " +
          WatermarkAdvice.moved(plan, time, marked.head.name)
      )
    if (isWindow(time.dataType) && !time.metadata.contains(TimeWindow.marker))
      TimelessResults.instead(plan).foreach { instead =>
        throw new IllegalArgumentException(s"time is '${time.name}', which is no event time: $instead")
      }
    of(time, isMarked)
  }

  /** The column that carries the watermark; on a static DataFrame the column with assigned times, or the window of a
    * result. None if there is none.
    *
    * @throws java.lang.IllegalArgumentException
    *   if there are several
    */
  def marked(plan: LogicalPlan): Option[EventTimeColumn] = {
    TimestampsAndWatermarks.refuseSecond(plan)
    candidates(plan) match {
      case Seq()   => None
      case Seq(a)  => Some(of(a, hasWatermark = true))
      case several =>
        throw new IllegalArgumentException(
          s"several columns could be the event time: ${names(several)}. Name one: ${Code.keyByTime(several.head.name)}"
        )
    }
  }

  private def candidates(plan: LogicalPlan): Seq[Attribute] = {
    val withWatermark = if (EventTimeMarks.areOfTable(plan)) Nil else plan.output.filter(EventTimeMarks.hasWatermark)
    if (withWatermark.nonEmpty || plan.isStreaming) withWatermark
    else
      plan.output.filter { a =>
        a.metadata.contains(EventTimeMarks.Assigned) || (a.metadata.contains(TimeWindow.marker) && isWindow(a.dataType))
      }
  }

  private def of(time: NamedExpression, hasWatermark: Boolean): EventTimeColumn = {
    val value                        = Columns.unnamed(time)
    def millis(times: EventTimeType) =
      EventTimeColumn(
        time,
        times,
        UnixMillis(times.toInstant(value)),
        Some(value).filter(_.deterministic),
        hasWatermark
      )
    (value.dataType, EventTimeType.ofWindow(value.dataType)) match {
      case (TimestampType, _)    => millis(EventTimeType.Instant)
      case (TimestampNTZType, _) => millis(EventTimeType.WallClock)
      // The event time of a window's result is the window's last millisecond.
      case (window: StructType, Some(times)) =>
        val end = UnixMillis(times.toInstant(GetStructField(value, window.fieldIndex("end"))))
        EventTimeColumn(time, times, Subtract(end, Literal(1L)), None, hasWatermark)
      case (other, _) =>
        throw new IllegalArgumentException(
          s"the event time '${time.name}' must be a TIMESTAMP, got ${other.sql}: ${converted(time, other)}"
        )
    }
  }

  // The line that converts a column to a TIMESTAMP.
  private def converted(time: NamedExpression, from: DataType): String = {
    val (name, column) = Columns.unnamed(time) match {
      case _: Attribute => (time.name, Code.column(time.name))
      case value        => ("event_time", Code.sql(value.sql))
    }
    TimestampColumn.remedy(from)(Code.df.withColumn(name, _, inSql = "event_time"), column)
  }

  /** The line that casts a time without a time zone. The time of a result, or of several inputs as one, is made from
    * those of its inputs.
    */
  private[plan] def asInstant(time: NamedExpression): String =
    if (isWindow(time.dataType) || time.metadata.contains(EventTimeMarks.Assigned))
      s"${Code.df.withColumn("ts", Code.column("ts").cast("timestamp"))} on each input before its ${Code.name("key_by")}"
    else converted(time, TimestampNTZType)

  private def isWindow(t: DataType): Boolean = EventTimeType.ofWindow(t).nonEmpty

  private def names(attributes: Seq[Attribute]): String = attributes.map(a => s"'${a.name}'").mkString(", ")
}
