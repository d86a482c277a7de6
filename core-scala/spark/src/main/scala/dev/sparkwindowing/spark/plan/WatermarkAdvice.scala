package dev.sparkwindowing.spark.plan

import dev.sparkwindowing.spark.expressions.{Columns, FunctionText, PythonCode}
import org.apache.spark.sql.SparkWindowingBridge
import org.apache.spark.sql.catalyst.expressions.{Attribute, NamedExpression}
import org.apache.spark.sql.catalyst.plans.logical.{Aggregate, EventTimeWatermark, LogicalPlan}
import org.apache.spark.sql.catalyst.util.quoteIfNeeded
import org.apache.spark.sql.types.{DataType, TimestampNTZType, TimestampType}

/** Lines to type for the watermark of a stream. A stream has one: Spark refuses a second one above it. */
private[plan] object WatermarkAdvice {

  /** Advice for a stream without a watermark on its event time. */
  def missing(input: KeyedInput): String = {
    val plan   = SparkWindowingBridge.analyzedPlan(input.df)
    val wall   = wallClock(input, plan)
    val line   = wall.fold(put(input.time))(time => watermark(EventTimeColumn.asInstant(time), time.name))
    val reason = if (wall.isEmpty) "" else ", as a watermark takes no TIMESTAMP_NTZ"
    plan.collectFirst { case w: EventTimeWatermark => w.eventTime.name } match {
      case _ if plan.exists(n => n.isStreaming && n.isInstanceOf[Aggregate]) =>
        "the result of an aggregation has it in the column that windows were made of, as `window`: keep that column up to " +
          "key_by as it is, or take F.window_time(\"window\")"
      case None       => s"$line before key_by$reason"
      case Some(lost) =>
        val (one, move) =
          if (TimestampsAndWatermarks.isAssigned(plan))
            (
              "that of assign_timestamps_and_watermarks",
              "call assign_timestamps_and_watermarks after that step instead"
            )
          else (s"the one on '$lost'", s"take ${earlier(plan, lost)} away, and after that step write $line$reason")
        s"$one was lost on the way, since a later step leaves its column out, derives it anew or is a function such as " +
          s"mapInPandas. A stream has one watermark: $move"
    }
  }

  // A column of the stream with times, all of which have no time zone.
  private def wallClock(input: KeyedInput, plan: LogicalPlan): Option[Attribute] = {
    def first(time: DataType) = plan.output.find(_.dataType == time)
    if (input.time.isEmpty && first(TimestampType).isEmpty) first(TimestampNTZType) else None
  }

  /** Advice for an event time that is not the column with the watermark. */
  def moved(plan: LogicalPlan, time: NamedExpression, marked: String): String =
    s"use that column, or take ${earlier(plan, marked)} away, since a stream has one watermark, and write ${put(Some(time))}"

  private def earlier(plan: LogicalPlan, marked: String): String =
    if (TimestampsAndWatermarks.isAssigned(plan)) "assign_timestamps_and_watermarks" else s"withWatermark on '$marked'"

  private def put(time: Option[NamedExpression]): String = time.map(t => t -> Columns.unnamed(t)) match {
    case None                    => watermark("df", "ts")
    case Some((_, a: Attribute)) => watermark("df", a.name)
    case Some((_, value))        =>
      watermark(s"""df.withColumn("event_time", ${PythonCode.ofSql(FunctionText.plain(value))})""", "event_time")
  }

  private def watermark(df: String, name: String): String =
    s"""$df.withWatermark("${quoteIfNeeded(name)}", "10 seconds")"""
}
