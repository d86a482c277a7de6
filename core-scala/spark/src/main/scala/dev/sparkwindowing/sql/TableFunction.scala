package dev.sparkwindowing.sql

import dev.sparkwindowing.spark.advice.Face
import dev.sparkwindowing.spark.declared.Declaration
import dev.sparkwindowing.sql.TableFunction._

/** A table function of windows.
  *
  * @param tables
  *   its parameters that are tables, the first ones
  * @param others
  *   its further parameters that are given by position or by name
  * @param options
  *   its parameters that are given by name only
  * @param example
  *   a call
  * @param declared
  *   what a call declares, over its tables by number
  * @param hasAggregates
  *   whether aggregates follow the parameters that are given by position
  */
private[sql] final case class TableFunction(
    name: String,
    tables: Seq[String],
    others: Seq[String],
    options: Seq[String],
    example: String,
    declared: Call => Declaration[Int],
    hasAggregates: Boolean = true
) {

  /** Parameters that are given by position or by name, before the aggregates. */
  def required: Seq[String] = tables ++ others

  /** All parameters that can be given by name. */
  def named: Seq[String] = required ++ (if (hasAggregates) Seq(Aggregates) else Nil) ++ options

  def signature: String = {
    val placed = (if (tables.size == 1) Seq("TABLE(t)") else tables.map(t => s"TABLE($t)")) ++ others
    s"$name(${(if (hasAggregates) placed ++ Seq("aggregate", "..") else placed).mkString(", ")})"
  }

  /** @throws java.lang.IllegalArgumentException with the name of the function, what is wrong, and a call */
  def refuse(what: String): Nothing = throw new CallError(s"$name: $what, as in $example", null)

  /** `body` with errors that name the function, and advise SQL. */
  def naming[A](body: => A): A =
    try Face.Sql.use(body)
    catch {
      case e: CallError                => throw e
      case e: IllegalArgumentException => throw new CallError(s"$name: ${e.getMessage}", e)
    }
}

/** Error of a call, with the name of its function. */
private[sql] final class CallError(message: String, cause: Throwable) extends IllegalArgumentException(message, cause)

private[sql] object TableFunction {
  val Table      = "data"
  val Key        = "key"
  val Time       = "time"
  val Aggregates = "aggregates"

  val AllowedLateness = "allowed_lateness"
  val Emit            = "emit"
  val EmitLate        = "emit_late"
  val FillEmpty       = "fill_empty"
  val Late            = "late"
  val Retracts        = "retracts"
  val StartingWith    = "starting_with"
  val EmitHistory     = "emit_history"
  val WithPane        = "with_pane"

  /** Options of windows of event time. */
  val OfEventTime: Seq[String] = Seq(AllowedLateness, Late, WithPane, StartingWith, EmitHistory)

  /** Options of windows of event time with a trigger. */
  val OfTriggered: Seq[String] = Seq(Emit, EmitLate, Retracts, FillEmpty)
}
