package dev.sparkwindowing.spark.computations

import org.apache.spark.sql.types._

/** Types that PySpark does not hand to Python functions. */
private[sparkwindowing] object PythonTypes {

  /** Refuses columns of such types.
    *
    * @param advice
    *   what to do with a column, by its name and the type to cast to
    */
  def check(columns: Seq[StructField])(advice: (String, String) => String): Unit = columns.foreach { column =>
    val instead = handed(column.dataType)
    if (instead != column.dataType)
      throw new UnsupportedOperationException(
        s"Python functions have no ${column.dataType.sql} (${column.name}), as applyInPandas of Spark has none: " +
          advice(column.name, instead.simpleString)
      )
  }

  /** The type to hand over instead; the same where PySpark has it. */
  private def handed(kind: DataType): DataType = kind match {
    case _: YearMonthIntervalType   => IntegerType
    case CalendarIntervalType       => StringType
    case ArrayType(of, nulls)       => ArrayType(handed(of), nulls)
    case MapType(key, value, nulls) => MapType(handed(key), handed(value), nulls)
    case StructType(fields)         => StructType(fields.map(f => f.copy(dataType = handed(f.dataType))))
    // Spark 4.3 has TimestampNTZNanosType and TimestampLTZNanosType, PySpark does not know them.
    case nanos if nanos.getClass.getSimpleName.startsWith("TimestampNTZNanos") => TimestampNTZType
    case nanos if nanos.getClass.getSimpleName.startsWith("TimestampLTZNanos") => TimestampType
    case other                                                                 => other
  }
}
