package dev.sparkwindowing.spark.plan

import org.apache.spark.sql.types.TimestampType
import org.apache.spark.sql.{Column, DataFrame}

/** Columns that must be a TIMESTAMP over one row. */
private[sparkwindowing] object TimestampColumn {

  /** @param what
    *   names the column in errors
    * @throws java.lang.IllegalArgumentException
    *   if it is of another type, or no expression over one row
    */
  def resolve(df: DataFrame, column: Column, what: String): Unit = {
    val resolved = Columns.resolve(df, Seq(column), what).head
    if (resolved.dataType != TimestampType)
      throw new IllegalArgumentException(
        s"$what must be a TIMESTAMP, got $column of type ${resolved.dataType.sql}: cast it, e.g. " +
          "F.to_timestamp(\"at\") for text, F.timestamp_millis(\"at\") for milliseconds"
      )
  }
}
