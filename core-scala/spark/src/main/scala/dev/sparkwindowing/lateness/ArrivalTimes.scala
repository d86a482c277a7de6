package dev.sparkwindowing.lateness

import dev.sparkwindowing.spark.expressions.Columns
import org.apache.spark.sql.functions.{floor, unix_millis}
import org.apache.spark.sql.types._
import org.apache.spark.sql.{Column, DataFrame}

/** Times at which the rows of a table came, as numbers of micro-batches.
  *
  * @param arrived
  *   when a row came, a TIMESTAMP; or a number of its micro-batch
  * @param every
  *   milliseconds of the micro-batches into which the times are divided
  */
private[lateness] final class ArrivalTimes(rows: DataFrame, arrived: Column, val every: Long) {
  private[this] val dataType = Columns.resolve(rows, Seq(arrived), "arrived").head.dataType

  /** True if they are times, so that a micro-batch has one. */
  val areTimes: Boolean = dataType == TimestampType

  /** The number of the micro-batch of a row. */
  val batch: Column = dataType match {
    case TimestampType                                 => floor(unix_millis(arrived) / every).cast("long")
    case ByteType | ShortType | IntegerType | LongType => arrived.cast("long")
    case other                                         =>
      throw new IllegalArgumentException(
        s"arrived must be a TIMESTAMP, or the number of a micro-batch, got ${other.sql}"
      )
  }
}
