package dev.sparkwindowing.spark.plan

import dev.sparkwindowing.assigners.StaggeredWindowAssigner
import dev.sparkwindowing.operator.{KeyedPlan, Stored}
import dev.sparkwindowing.spark.advice.Face
import dev.sparkwindowing.spark.computations.{ContentsFormat, KeyedWork}
import dev.sparkwindowing.spark.rows.RowView
import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.types.StructType

/** A windowed query without its source: the same in a stream, a batch and a simulation.
  *
  * It is part of the operator's node. It is not a Product, so that Spark's rules do not traverse it. Columns are
  * referenced by position, since a stream's columns get new ids in every micro-batch.
  *
  * @param plan
  *   how a key is processed, with parts bound to the rows
  * @param pythonFunction
  *   the output of the function after the operator, if there is one
  * @param collapsesFirings
  *   whether only the last of several firings of a window in one step with equal contents is emitted
  * @param allowsStateChange
  *   whether state from another declaration is taken over, where that is safe
  * @param row
  *   the element of an over window in its result, if that shows it
  * @param face
  *   the API of the declaration, for errors of later checks
  */
final class WindowProgram private[sparkwindowing] (
    val plan: KeyedPlan[InternalRow],
    val computation: KeyedWork,
    val onMissingTime: MissingTime,
    val input: InputLayout,
    val output: OutputLayout,
    val pythonFunction: Option[PythonFunctionOutput],
    private[plan] val checks: PlanChecks,
    val collapsesFirings: Boolean,
    val allowsStateChange: Boolean,
    val row: Option[RowView],
    private[sparkwindowing] val face: Face
) extends Serializable {

  /** The program as a query runs it, with the shift in milliseconds of a window grid that is shifted when the query
    * starts.
    */
  def started(shift: StaggeredWindowAssigner[InternalRow] => Long): WindowProgram =
    staggered.fold(this) { case (windows, assigner) =>
      over(windows.copy(assigner = assigner.shifted(shift(assigner))), computation, input)
    }

  /** The same program over another form of rows, with the same results. */
  def over(plan: KeyedPlan[InternalRow], computation: KeyedWork, input: InputLayout): WindowProgram =
    new WindowProgram(
      plan,
      computation,
      onMissingTime,
      input,
      output,
      pythonFunction,
      checks,
      collapsesFirings,
      allowsStateChange,
      row,
      face
    )

  /** The windows and their assigner, if their grid is shifted so. */
  private[sparkwindowing] def staggered
      : Option[(KeyedPlan.Windows[InternalRow], StaggeredWindowAssigner[InternalRow])] =
    plan match {
      case windows: KeyedPlan.Windows[InternalRow] =>
        windows.assigner match {
          case s: StaggeredWindowAssigner[InternalRow] if s.isStaggered => Some(windows -> s)
          case _                                                        => None
        }
      case _ => None
    }

  /** Named state whose type is known. */
  def keptStates: StructType = StructType(computation.keptStates ++ lastRow)

  /** Rows that are stored for the changes of later firings. */
  def lastRow: StructType = output.changelog.fold(new StructType())(_.states(output.results))

  /** Format of the window contents in the state. */
  def keptContents: ContentsFormat =
    if (plan.stored == Stored.Elements) ContentsFormat.Rows else computation.keptContents
}
