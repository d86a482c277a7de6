package dev.sparkwindowing.interop

import dev.sparkwindowing.spark.analysis.{Analysis, UnresolvedWindows}
import dev.sparkwindowing.spark.declared.Declaration
import dev.sparkwindowing.spark.plan.KeyedInput
import org.apache.spark.sql.catalyst.plans.logical.LogicalPlan
import org.apache.spark.sql.{AnalysisException, Column, DataFrame, SparkSession, SparkWindowingBridge}

import scala.util.{Failure, Try}

/** DataFrames, columns and resolved rows beside a message, which names them by number. Each of the first two is made
  * when it is asked for.
  *
  * @param session
  *   the session of the caller
  */
private[sparkwindowing] sealed abstract class Beside(
    val session: SparkSession,
    frames: IndexedSeq[() => DataFrame],
    columns: IndexedSeq[() => Column],
    resolved: IndexedSeq[KeyedInput]
) {

  /** The result of a declaration over the DataFrames. */
  def result(declaration: Declaration[Int]): Answer

  final def frame(number: Int): DataFrame = at("DataFrame", frames, number)()

  final def column(number: Int): Column = at("column", columns, number)()

  final def resolved(number: Int): KeyedInput = at("resolved rows", resolved, number)

  /** A number that names one of the DataFrames. */
  final def checkedFrame(number: Int): Int = {
    at("DataFrame", frames, number)
    number
  }

  private def at[A](what: String, values: IndexedSeq[A], number: Int): A =
    if (number < values.size) values(number)
    else Message.refuse(s"names $what $number, and brings ${values.size}")
}

private[sparkwindowing] object Beside {

  /** DataFrames of a session in this JVM. */
  final class Frames(
      session: SparkSession,
      frames: IndexedSeq[DataFrame],
      columns: IndexedSeq[() => Column],
      resolved: IndexedSeq[KeyedInput]
  ) extends Beside(session, frames.map(frame => () => frame), columns, resolved) {

    def result(declaration: Declaration[Int]): Answer = Answer.Frame(Analysis.of(declaration.map(frames)))
  }

  /** Plans of a client of Spark Connect. They are analyzed at once, as the tables that they name can be in the client's
    * `WITH`, and as Spark finds a cached result by its analyzed plan. Windows over a table that is not there yet are
    * for Spark's analyzer, when it is.
    */
  final class Plans(session: SparkSession, plans: IndexedSeq[() => LogicalPlan], columns: IndexedSeq[() => Column])
      extends Beside(
        session,
        plans.map(plan => () => SparkWindowingBridge.toDataFrame(session, plan())),
        columns,
        Vector()
      ) {

    def result(declaration: Declaration[Int]): Answer = Try(plans.indices.map(frame)) match {
      case Failure(_: AnalysisException) => Answer.Plan(UnresolvedWindows.over(declaration, plans.map(_.apply())))
      case frames                        => Answer.Frame(Analysis.of(declaration.map(frames.get)))
    }
  }
}
