package dev.sparkwindowing.spark.plan

import dev.sparkwindowing.assigners.{OverEventTimeWindows, StaggeredWindowAssigner, WindowAssigner}
import dev.sparkwindowing.evictors.Evictor
import dev.sparkwindowing.spark.functions.{ContentsFormat, KeyedWork}
import dev.sparkwindowing.spark.rows.RowView
import dev.sparkwindowing.triggers.Trigger
import dev.sparkwindowing.windows.SliceGrid
import org.apache.spark.sql.catalyst.InternalRow

/** A windowed query without its source: the same in a stream, a batch and a simulation.
  *
  * It is part of the operator's node. It is not a Product, so that Spark's rules do not traverse it. Columns are
  * referenced by position, since a stream's columns get new ids in every micro-batch.
  *
  * @param rules
  *   with parts bound to the rows
  * @param pythonFunction
  *   the output of the function after the operator, if there is one
  * @param slices
  *   the slices that the operator keeps in place of overlapping windows, if it does
  * @param row
  *   the element of an over window in its result, if that shows it
  */
final class WindowProgram private[sparkwindowing] (
    private[sparkwindowing] val rules: WindowRules,
    val computation: KeyedWork,
    val onMissingTime: MissingTime,
    val input: InputLayout,
    val output: OutputLayout,
    val pythonFunction: Option[PythonFunctionOutput],
    private[plan] val onCopy: CopiedPlanCheck,
    val slices: Option[SliceGrid] = None,
    val row: Option[RowView] = None
) extends Serializable {
  def assigner: WindowAssigner[InternalRow] = rules.assigner
  def trigger: Trigger[InternalRow]         = rules.trigger
  def evictor: Option[Evictor[InternalRow]] = rules.evictor
  def allowedLateness: Long                 = rules.allowedLateness

  /** True if the order of a key's rows affects the results, so that it must be the order of arrival. */
  def seesOrder: Boolean = rules.seesOrder(computation)

  /** The over windows, if the windows are such. */
  def over: Option[OverEventTimeWindows] = rules.over

  /** True if the elements of over windows are kept one by one, else the aggregate of those of each timestamp. */
  def listsElements: Boolean = over.exists(_.countsRows || !computation.mergesInAnyOrder)

  /** True if the window grid is shifted by an amount that is drawn when the query starts. */
  def drawsShift: Boolean = assigner match {
    case s: StaggeredWindowAssigner[InternalRow] => s.isStaggered
    case _                                       => false
  }

  /** A shift in milliseconds, for a query that starts at this processing time. */
  def drawShift(processingTime: Long): Long = staggered.drawShift(processingTime)

  /** The same program with that shift. */
  def shifted(shift: Long): WindowProgram =
    over(rules.copy(assigner = staggered.shifted(shift)), computation, input)

  /** The same program over another form of rows, with the same results. */
  def over(
      rules: WindowRules,
      computation: KeyedWork,
      input: InputLayout,
      slices: Option[SliceGrid] = None
  ): WindowProgram =
    new WindowProgram(rules, computation, onMissingTime, input, output, pythonFunction, onCopy, slices, row)

  private def staggered: StaggeredWindowAssigner[InternalRow] = assigner match {
    case s: StaggeredWindowAssigner[InternalRow] => s
    case other                                   => throw new IllegalStateException(s"$other draws no shift")
  }

  /** Format of the window contents in the state. */
  def keptContents: ContentsFormat =
    if (evictor.isDefined || listsElements) ContentsFormat.Rows else computation.keptContents
}

/** Check that a query runs when it copies its plan, before its first micro-batch. */
private[sparkwindowing] trait CopiedPlanCheck extends Serializable {
  def copied(): Unit
}

/** Handling of a row without event time in an event-time window. */
sealed abstract class MissingTime(val name: String) extends Product with Serializable

object MissingTime {

  /** The row goes to the late side output; dropped and counted if there is none. */
  case object Late extends MissingTime("late")

  /** The row is dropped and counted. */
  case object Drop extends MissingTime("drop")

  /** The row stops the query. */
  case object Fail extends MissingTime("fail")

  def of(name: String): MissingTime =
    Seq(Late, Drop, Fail).find(_.name == name).getOrElse {
      throw new IllegalArgumentException(s"on_missing_time must be one of 'late', 'drop', 'fail', got '$name'")
    }
}
