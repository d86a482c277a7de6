package dev.sparkwindowing.spark.advice

import org.apache.spark.sql.catalyst.util.quoteIfNeeded

/** The input of windows, in SQL as the argument of the call.
  *
  * @param rows
  *   what SQL selects from
  */
private[sparkwindowing] final class Frame private[advice] (text: Face => String, rows: String) extends Code(text) {
  import Face._

  /** The rows with one more column, or another in its place.
    *
    * @param inSql
    *   name of the column in SQL, which has no other in its place
    */
  def withColumn(name: String, value: Code, inSql: String): Frame =
    selected(s"SELECT *, ${Sql.use(s"$value")} AS ${quoteIfNeeded(inSql)} FROM $rows") {
      s"$this.withColumn(${Code.text(name)}, $value)"
    }

  def withColumn(name: String, value: Code): Frame = withColumn(name, value, name)

  /** The rows with a column that only a selection shows. */
  def select(name: String): Frame = selected(s"SELECT *, ${quoteIfNeeded(name)} FROM $rows") {
    s"""$this.select("*", ${Code.text(Code.path(name))})"""
  }

  def withWatermark(name: String): Code = Code {
    case Sql =>
      s"TABLE(SELECT * FROM $rows WATERMARK ${quoteIfNeeded(name)} DELAY OF INTERVAL 10 SECONDS), " +
        "before Spark 4.1 in a view of a DataFrame"
    case _ => s"""$this.withWatermark(${Code.text(quoteIfNeeded(name))}, "10 seconds")"""
  }

  private def selected(select: String)(builders: => String): Frame = new Frame(
    {
      case Sql => s"TABLE($select)"
      case _   => builders
    },
    s"($select)"
  )
}
