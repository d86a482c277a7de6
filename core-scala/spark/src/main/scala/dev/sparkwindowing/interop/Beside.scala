package dev.sparkwindowing.interop

import org.apache.spark.sql.catalyst.plans.logical.LogicalPlan
import org.apache.spark.sql.{Column, DataFrame, SparkSession, SparkWindowingBridge}

/** DataFrames and columns beside a message.
  *
  * @param session
  *   the session of the caller
  * @param plans
  *   the plans of the DataFrames, which Spark may still have to analyze
  */
private[sparkwindowing] final class Beside(
    val session: SparkSession,
    plans: IndexedSeq[() => LogicalPlan],
    columns: IndexedSeq[() => Column]
) {
  private[this] lazy val frames = plans.indices.map { number =>
    lazy val frame = SparkWindowingBridge.toDataFrame(session, plans(number)())
    () => frame
  }

  /** The plans of all DataFrames, in order. */
  def inputs: Seq[LogicalPlan] = plans.map(_.apply())

  def frame(number: Int): DataFrame = at("DataFrame", frames, number)

  def column(number: Int): Column = at("column", columns, number)

  /** A number that names one of the DataFrames. */
  def checkedFrame(number: Int): Int = {
    at("DataFrame", plans.map(_ => () => ()), number)
    number
  }

  private def at[A](what: String, values: IndexedSeq[() => A], number: Int): A =
    if (number < values.size) values(number)()
    else Message.refuse(s"names $what $number, and brings ${values.size}")
}
