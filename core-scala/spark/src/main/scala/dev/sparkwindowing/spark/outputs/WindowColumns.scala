package dev.sparkwindowing.spark.outputs

import dev.sparkwindowing.operator.KeyedPlan
import dev.sparkwindowing.spark.advice.Code
import dev.sparkwindowing.spark.plan.OutputLayout
import org.apache.spark.sql.DataFrame

/** Columns of a result that are equal in all firings of a window and differ between windows. */
private[sparkwindowing] object WindowColumns {

  /** The key columns that the result shows, the window, and its name if it has one.
    *
    * @throws java.lang.IllegalArgumentException
    *   if the result has no `pane`, or lacks one of its keys or `window`
    */
  def of(result: DataFrame): Seq[String] = {
    val program = SideOutputs.nodeOf(result).program
    val output  = program.pythonFunction.fold(program.output)(_.layout)
    if (output.changelog.nonEmpty)
      throw new IllegalArgumentException(
        s"the result is a change stream, and what keeps one row for each window takes the rows of firings: type " +
          s"${Code.call(".with_pane")} in place of ${Code.call(".changelog")}"
      )
    if (!output.pane)
      throw new IllegalArgumentException(
        s"the result does not say which firing of its window a row is: type ${Code.call(".with_pane")} before .aggregate(..)"
      )
    program.plan match {
      case over: KeyedPlan.Over[_] =>
        throw new IllegalArgumentException(
          s"rows of equal event time have the same window of ${over.windows}, so key and window do not tell the results " +
            s"apart: write them by a column that identifies a row, in the struct that ${Code.name("with_row")} adds"
        )
      case _ => ()
    }
    val columns = (output.keys.map(_.name) :+ OutputLayout.Window) ++
      (if (output.named) Seq(OutputLayout.WindowName) else Nil)
    val missing = (columns :+ OutputLayout.Pane).filterNot(result.columns.contains)
    if (missing.nonEmpty)
      throw new IllegalArgumentException(
        s"the result has no column ${missing.mkString(", ")} any more: its rows cannot be told apart without " +
          s"${(columns :+ OutputLayout.Pane).mkString(", ")}; keep them as .aggregate(..) named them"
      )
    columns
  }
}
