package dev.sparkwindowing

import dev.sparkwindowing.functions.JoinKind
import dev.sparkwindowing.spark.analysis.Analysis
import dev.sparkwindowing.spark.declared.DeclaredRows.Resolved
import dev.sparkwindowing.spark.declared.{Computed, Declaration}
import dev.sparkwindowing.spark.plan.{KeyedInput, WindowRules}
import org.apache.spark.sql.DataFrame

/** The windows of two joined inputs, made by [[JoinedStreams.window]].
  *
  * A result has the key columns under the names of the left input, `window`, and a struct with the columns of each
  * input. Rows join if their keys are equal and without null, and they are in the same window. Each firing puts out all
  * pairs of the rows that the window holds: a window that fires again emits its earlier pairs again, unless its trigger
  * purges.
  */
final class JoinedWindows private[sparkwindowing] (
    private[sparkwindowing] val input: KeyedInput,
    private[sparkwindowing] val rules: WindowRules
) extends WindowSettings[JoinedWindows] {

  private[sparkwindowing] def withRules(rules: WindowRules): JoinedWindows = new JoinedWindows(input, rules)

  /** The pairs of rows, as Flink's `JoinedStreams`. */
  def inner(): DataFrame = joined(JoinKind.Inner)

  /** The pairs, and each row of the left input without partner, with null as the right one. */
  def left(): DataFrame = joined(JoinKind.Left)

  /** The pairs, and each row of the right input without partner, with null as the left one. */
  def right(): DataFrame = joined(JoinKind.Right)

  /** The pairs, and each row of either input without partner. */
  def full(): DataFrame = joined(JoinKind.Full)

  private def joined(kind: JoinKind): DataFrame =
    Analysis.of(Declaration(Resolved(input), Some(rules), Computed.Joined(kind)))

  override def toString: String =
    s"JoinedWindows(${rules.assigner}, ${rules.trigger}${rules.evictor.fold("")(e => s", $e")})"
}
