package dev.sparkwindowing.spark.plan

import dev.sparkwindowing.spark.advice.Code
import dev.sparkwindowing.spark.expressions.{Columns, FunctionText}
import org.apache.spark.sql.types._
import org.apache.spark.sql.{Column, DataFrame}

/** Columns that must be a TIMESTAMP over one row. */
private[sparkwindowing] object TimestampColumn {

  /** @param what
    *   names the column in errors
    * @throws java.lang.IllegalArgumentException
    *   if it has another type, or is no expression over one row
    */
  def resolve(df: DataFrame, column: Column, what: String): Unit = {
    val resolved = Columns.resolve(df, Seq(column), what).head
    if (resolved.dataType != TimestampType) {
      val text = FunctionText.plain(Columns.unnamed(resolved))
      throw new IllegalArgumentException(
        s"$what must be a TIMESTAMP, got $text of type ${resolved.dataType.sql}: " +
          remedy(resolved.dataType)(identity, Code.sql(text))
      )
    }
  }

  /** Advice on converting another type to TIMESTAMP. A number may count milliseconds or seconds, and a cast takes it
    * for seconds.
    *
    * @param line
    *   the line to type, from the expression of the TIMESTAMP
    * @param column
    *   the expression of the column
    */
  def remedy(from: DataType)(line: Code => Code, column: Code): String = {
    def by(function: String) = line(Code.function(function, column))
    from match {
      case ByteType | ShortType | IntegerType | LongType =>
        s"${by("timestamp_millis")} if it counts milliseconds, ${by("timestamp_seconds")} if seconds"
      case _: NumericType              => s"${by("timestamp_seconds")} if it counts seconds"
      case _: StringType               => s"${by("to_timestamp")}"
      case DateType | TimestampNTZType => s"${line(column.cast("timestamp"))}"
      case _                           => "name another column"
    }
  }
}
