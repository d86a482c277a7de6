package dev.sparkwindowing.spark.plan

import dev.sparkwindowing.spark.advice.Code
import dev.sparkwindowing.spark.expressions.{Columns, FunctionText}
import org.apache.spark.sql.SparkWindowingBridge
import org.apache.spark.sql.catalyst.expressions.{Attribute, NamedExpression}
import org.apache.spark.sql.catalyst.plans.logical.{Aggregate, EventTimeWatermark, LogicalPlan}
import org.apache.spark.sql.types.{DataType, TimestampNTZType, TimestampType}

/** Lines to type for the watermark of a stream. A stream has one: Spark refuses a second one above it. */
private[plan] object WatermarkAdvice {

  /** Advice for a stream without a watermark on its event time. */
  def missing(input: KeyedInput): String = {
    val plan = SparkWindowingBridge.analyzedPlan(input.df)
    val wall = wallClock(input, plan)
    val line = wall.fold(put(input.time)) { time =>
      Code.df.withColumn(time.name, Code.column(time.name).cast("timestamp")).withWatermark(time.name)
    }
    val reason = if (wall.isEmpty) "" else ", as a watermark takes no TIMESTAMP_NTZ"
    plan.collectFirst { case w: EventTimeWatermark => w.eventTime.name } match {
      case _ if plan.exists(n => n.isStreaming && n.isInstanceOf[Aggregate]) =>
        "the result of an aggregation has it in the column that windows were made of, as `window`: keep that column up to " +
          s"${Code.keyBy} as it is, or take ${Code.function("window_time", Code.reference("window"))}"
      case None       => s"$line before ${Code.keyBy}$reason"
      case Some(lost) =>
        val (one, move) =
          if (TimestampsAndWatermarks.isAssigned(plan))
            (s"that of $Assign", s"call $Assign after that step instead")
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
    if (TimestampsAndWatermarks.isAssigned(plan)) s"$Assign" else s"withWatermark on '$marked'"

  private def put(time: Option[NamedExpression]): Code = time.map(Columns.unnamed) match {
    case None               => Code.df.withWatermark("ts")
    case Some(a: Attribute) => Code.df.withWatermark(a.name)
    case Some(value)        =>
      Code.df.withColumn("event_time", Code.sql(FunctionText.plain(value))).withWatermark("event_time")
  }

  private val Assign = Code.name("assign_timestamps_and_watermarks")
}
