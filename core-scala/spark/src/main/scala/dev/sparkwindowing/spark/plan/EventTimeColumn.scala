package dev.sparkwindowing.spark.plan

import dev.sparkwindowing.spark.expressions.{Columns, PythonCode}
import org.apache.spark.sql.catalyst.expressions._
import org.apache.spark.sql.catalyst.plans.logical.{EventTimeWatermark, LogicalPlan}
import org.apache.spark.sql.types._

/** Event time of a stream: a BIGINT expression of milliseconds, and whether Spark has a watermark on it. */
private[sparkwindowing] final case class EventTimeColumn(millis: Expression, hasWatermark: Boolean) {

  /** Time of a result that a function emits for an element or timer. */
  def ofCall: ResultTime = ResultTime.OfCall(hasWatermark)
}

private[sparkwindowing] object EventTimeColumn {

  /** Metadata key of a column that holds the assigned event times. */
  val EventTimeMark: String = "spark_windowing.event_time"

  /** The event-time column that the caller names.
    *
    * @throws java.lang.IllegalArgumentException
    *   on a stream, if another column carries the watermark; for a type that is not a time, and for the global window
    */
  def named(plan: LogicalPlan, time: NamedExpression): EventTimeColumn = {
    TimestampsAndWatermarks.refuseSecond(plan)
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
      ResultTime.missing(plan).foreach { instead =>
        throw new IllegalArgumentException(s"time is '${time.name}', which is no event time: $instead")
      }
    EventTimeColumn(millis(plan, time), isMarked)
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
      case Seq(a)  => Some(EventTimeColumn(millis(plan, a), hasWatermark = true))
      case several =>
        throw new IllegalArgumentException(
          s"""several columns could be the event time: ${names(
              several
            )}. Name one: key_by(df, .., time="${several.head.name}"), in Scala by .eventTime"""
        )
    }
  }

  /** The metadata of a column without the marks of an event time. */
  def unmarked(metadata: Metadata): Metadata =
    new MetadataBuilder()
      .withMetadata(metadata)
      .remove(EventTimeWatermark.delayKey)
      .remove(TimeWindow.marker)
      .remove(EventTimeMark)
      .build()

  private def candidates(plan: LogicalPlan): Seq[Attribute] = {
    val withWatermark = plan.output.filter(_.metadata.contains(EventTimeWatermark.delayKey))
    if (withWatermark.nonEmpty || plan.isStreaming) withWatermark
    else
      plan.output.filter { a =>
        a.metadata.contains(EventTimeMark) || (a.metadata.contains(TimeWindow.marker) && isWindow(a.dataType))
      }
  }

  private def millis(plan: LogicalPlan, time: NamedExpression): Expression = {
    val value = Columns.unnamed(time)
    value.dataType match {
      case TimestampType => UnixMillis(value)
      // The event time of a window's result is the window's last millisecond.
      case t if isWindow(t) =>
        Subtract(UnixMillis(GetStructField(value, t.asInstanceOf[StructType].fieldIndex("end"))), Literal(1L))
      case TimestampNTZType if !plan.isStreaming =>
        UnixMillis(PreciseTimestampConversion(value, TimestampNTZType, TimestampType))
      case other =>
        val (name, column) = value match {
          case _: Attribute => (time.name, s"""F.col("${time.name}")""")
          case _            => ("event_time", PythonCode.of(value))
        }
        throw new IllegalArgumentException(
          s"the event time '${time.name}' must be a TIMESTAMP, got ${other.sql}: " +
            TimestampColumn.remedy(other)(c => s"""df.withColumn("$name", $c)""", column)
        )
    }
  }

  private def isWindow(t: DataType): Boolean = t match {
    case s: StructType =>
      s.length == 2 && s.fieldNames.toSeq == Seq("start", "end") && s.forall(_.dataType == TimestampType)
    case _ => false
  }

  private def names(attributes: Seq[Attribute]): String = attributes.map(a => s"'${a.name}'").mkString(", ")
}
