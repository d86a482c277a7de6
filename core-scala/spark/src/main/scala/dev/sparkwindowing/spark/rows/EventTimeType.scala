package dev.sparkwindowing.spark.rows

import org.apache.spark.sql.catalyst.expressions.{Expression, PreciseTimestampConversion}
import org.apache.spark.sql.types.{DataType, StructField, StructType, TimestampNTZType, TimestampType}

/** Type of an event time, which is that of all times measured by it: bounds of windows, watermark, event-time timers.
  */
sealed abstract class EventTimeType(val dataType: DataType) extends Product with Serializable {

  /** Spark's type of a window: start and end (exclusive); null for the global window. */
  final val window: StructType = StructType(Seq("start", "end").map(StructField(_, dataType)))

  /** Microseconds of this type as a TIMESTAMP, which the expressions of milliseconds take. */
  private[sparkwindowing] def toInstant(time: Expression): Expression

  /** The reverse of [[toInstant]]. */
  private[sparkwindowing] def ofInstant(time: Expression): Expression
}

object EventTimeType {

  /** TIMESTAMP. */
  case object Instant extends EventTimeType(TimestampType) {
    private[sparkwindowing] def toInstant(time: Expression): Expression = time
    private[sparkwindowing] def ofInstant(time: Expression): Expression = time
  }

  /** TIMESTAMP_NTZ, on a static DataFrame: a local time. The engine takes it as a time in UTC. */
  case object WallClock extends EventTimeType(TimestampNTZType) {
    private[sparkwindowing] def toInstant(time: Expression): Expression =
      PreciseTimestampConversion(time, TimestampNTZType, TimestampType)
    private[sparkwindowing] def ofInstant(time: Expression): Expression =
      PreciseTimestampConversion(time, TimestampType, TimestampNTZType)
  }

  /** The type of the bounds of a window; None for another type than that of a window. */
  private[sparkwindowing] def ofWindow(dataType: DataType): Option[EventTimeType] = dataType match {
    case s: StructType if s.fieldNames.toSeq == Seq("start", "end") =>
      Seq(Instant, WallClock).find(times => s.forall(_.dataType == times.dataType))
    case _ => None
  }
}
