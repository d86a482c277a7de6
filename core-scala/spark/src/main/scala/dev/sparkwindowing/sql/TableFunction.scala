package dev.sparkwindowing.sql

import dev.sparkwindowing.assigners.WindowAssigner
import dev.sparkwindowing.spark.advice.Face
import dev.sparkwindowing.sql.TableFunction._
import org.apache.spark.sql.catalyst.InternalRow

/** A table function of windows.
  *
  * @param sizes
  *   its parameters between the time column and the aggregates
  * @param options
  *   its own parameters that are given by name only
  * @param example
  *   a call
  * @param assigner
  *   the windows that its arguments describe
  */
private[sql] final case class TableFunction(
    name: String,
    sizes: Seq[String],
    options: Seq[String],
    example: String,
    assigner: Arguments => WindowAssigner[InternalRow]
) {

  /** Parameters that are given by position or by name, before the aggregates. */
  def required: Seq[String] = Seq(Table, Key, Time) ++ sizes

  /** All parameters that can be given by name. */
  def named: Seq[String] = (required :+ Aggregates) ++ options ++ OfAll

  def signature: String =
    s"$name(${("TABLE(t)" +: required.tail).mkString(", ")}, aggregate, ..)"

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
  val WithPane        = "with_pane"
  val Retracts        = "retracts"
  val FillEmpty       = "fill_empty"

  /** Options of every function. */
  val OfAll: Seq[String] = Seq(AllowedLateness, WithPane, Retracts, FillEmpty)
}
