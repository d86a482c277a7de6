package dev.sparkwindowing.spark.upserts.batch

import dev.sparkwindowing.spark.advice.{Code, Face}
import dev.sparkwindowing.spark.plan.OutputLayout
import dev.sparkwindowing.spark.plan.OutputLayout.{Pane, Window}
import org.apache.spark.sql.functions._
import org.apache.spark.sql.types.{StructType, TimestampNTZType}
import org.apache.spark.sql.{Column, DataFrame, Row, expressions}

/** The change of each window in a micro-batch: its newest `row`, or the `window` is `gone`, as its session has become
  * part of another one.
  *
  * @param frame
  *   the columns `row`, a struct with the columns of the result, `window` and `gone`
  * @param columns
  *   the columns of `row`
  */
private[sparkwindowing] final class Changes private (
    val frame: DataFrame,
    val keys: Seq[String],
    val columns: StructType
) {

  /** True if event times have no time zone. */
  def isLocalTime: Boolean = frame.schema(Window).dataType match {
    case window: StructType => window.head.dataType == TimestampNTZType
    case _                  => false
  }

  /** Counts the changes, which computes every partition and so stores the state: the least and the greatest start of
    * their windows as SQL, Nil if one has none, as the global window. None if nothing changes.
    */
  def bounds(): Option[Seq[String]] = {
    val start = col(s"$Window.start")
    val texts = Seq(min(start), max(start)).map(b => if (isLocalTime) b.cast("string") else unix_micros(b))
    val Row(all: Long, timed: Long, first, last) = frame.agg(count(lit(1)), count(col(Window)) +: texts: _*).head()
    val literal = if (isLocalTime) (b: Any) => s"TIMESTAMP_NTZ '$b'" else (b: Any) => s"timestamp_micros($b)"
    if (all == 0) None else if (timed < all) Some(Nil) else Some(Seq(literal(first), literal(last)))
  }
}

private[sparkwindowing] object Changes {

  /** Name as Spark SQL writes it. */
  def quoted(name: String): String = "`" + name.replace("`", "``") + "`"

  /** Changes of a micro-batch.
    *
    * @param function
    *   what the user has called, for errors
    * @throws java.lang.IllegalArgumentException
    *   if the micro-batch lacks a column that says which firing of which window a row is
    */
  def of(function: Code, keys: Seq[String], batch: DataFrame): Changes = {
    check(function, keys :+ Window :+ Pane, batch.columns.toSeq)
    def fact(window: Column, gone: Boolean) = struct(window.as(Window), lit(gone).as("gone"))
    val own                                 = array(
      when(col(s"row.$Pane").isNull, raise_error(lit(noFiring(function))))
        .otherwise(fact(col(s"row.$Window"), gone = false))
    )
    val replaced = transform(col(s"row.$Pane.replaced"), fact(_, gone = true))
    val facts    = batch.select(struct(col("*")).as("row")).select(col("row"), inline(concat(own, replaced)))
    val number   = col(s"row.$Pane.number")
    val names    = keys.map(key => col(s"row.${quoted(key)}")) :+ col(Window)
    // A number grows from firing to firing, also where windows merge; a firing may replace a window of its own bounds.
    val newest = expressions.Window.partitionBy(names: _*).orderBy(number.desc, col("gone"))
    val ranked = facts
      .withColumn("newest", row_number().over(newest) === 1)
      .withColumn(
        "twice",
        !col("gone") && lead(number, 1).over(newest) === number && !lead(col("gone"), 1).over(newest)
      )
    val several = concat(
      lit(s"$function keeps one row a window, and a firing gave several: "),
      to_json(struct(names :+ number: _*))
    )
    val checked = when(col("newest") && col("twice"), raise_error(several)).otherwise(col("newest"))
    new Changes(ranked.where(checked).select("row", Window, "gone"), keys, batch.schema)
  }

  private def noFiring(function: Code) =
    s"$function writes the rows of firings, and got one without a ${OutputLayout.Pane}, as late rows beside the results " +
      "are: leave them out, WHERE late IS NULL"

  private def check(function: Code, needed: Seq[String], there: Seq[String]): Unit =
    if (!needed.forall(there.contains)) {
      val (query, outputs) = (
        Code {
          case Face.Python => s"result.writeStream.foreachBatch(sw.$function(result, ..))"
          case _           => s"result.writeStream.foreachBatch(SparkWindowing.$function(result, ..))"
        },
        Code {
          case Face.Python =>
            s"sw.all_outputs(result).writeStream.foreachBatch(sw.for_each_output(main=sw.$function(result, ..), ..))"
          case _ =>
            s"""batch.where("output = 'main'").select("main.*") of result.allOutputs.writeStream.foreachBatch(..)"""
        }
      )
      throw new IllegalArgumentException(
        s"$function writes rows with the columns ${needed.mkString(", ")}, and the micro-batch has " +
          s"${there.mkString(", ")}: $query, or with side outputs $outputs"
      )
    }
}
