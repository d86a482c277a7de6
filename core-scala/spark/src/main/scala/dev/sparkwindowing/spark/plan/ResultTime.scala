package dev.sparkwindowing.spark.plan

import dev.sparkwindowing.spark.rows.EventTimeType
import org.apache.spark.sql.catalyst.expressions.TimeWindow
import org.apache.spark.sql.catalyst.plans.logical.EventTimeWatermark
import org.apache.spark.sql.types.{Metadata, MetadataBuilder, StructField}

/** Time of a result, as one column after its keys. */
sealed abstract class ResultTime extends Product with Serializable {

  /** The column; None if there is none.
    *
    * @param times
    *   the type of the input's event time
    */
  def column(times: EventTimeType, isStreaming: Boolean): Option[StructField]

  /** The name of the column, if later operators may take it as event time. */
  def eventTime: Option[String]
}

object ResultTime {

  /** The event-time column of results without windows. */
  val EventTime = "event_time"

  /** Results of windows that end: the event time is the window's last millisecond. */
  case object EndOfWindow extends ResultTime {
    def eventTime: Option[String] = Some(OutputLayout.Window)

    // Carries Spark's own marks, so that F.window_time and F.window("window", ..) work on it, and on a stream the next
    // operator takes its end as event time.
    def column(times: EventTimeType, isStreaming: Boolean): Option[StructField] = {
      val marks = new MetadataBuilder().putBoolean(TimeWindow.marker, true)
      if (isStreaming) marks.putLong(EventTimeWatermark.delayKey, 0L)
      Some(window(times, marks.build()))
    }
  }

  /** Results of the global window, which is null and has no end: they have no event time. */
  case object NoEnd extends ResultTime {
    def eventTime: Option[String] = None

    def column(times: EventTimeType, isStreaming: Boolean): Option[StructField] = Some(window(times, Metadata.empty))
  }

  /** Results with the event time of the element or timer that caused them.
    *
    * @param hasWatermark
    *   whether a stream has a watermark on it
    */
  final case class OfCall(hasWatermark: Boolean) extends ResultTime {
    def eventTime: Option[String] = Some(EventTime)

    def column(times: EventTimeType, isStreaming: Boolean): Option[StructField] = {
      val marks = new MetadataBuilder()
      if (!isStreaming) marks.putBoolean(EventTimeMarks.Assigned, true)
      else if (hasWatermark) marks.putLong(EventTimeWatermark.delayKey, 0L)
      Some(StructField(EventTime, times.dataType, nullable = true, marks.build()))
    }
  }

  /** Results of elements without event time. */
  case object Unknown extends ResultTime {
    def eventTime: Option[String]                                               = None
    def column(times: EventTimeType, isStreaming: Boolean): Option[StructField] = None
  }

  private def window(times: EventTimeType, metadata: Metadata): StructField =
    StructField(OutputLayout.Window, times.window, nullable = true, metadata)
}
