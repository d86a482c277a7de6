package dev.sparkwindowing.spark.plan

import dev.sparkwindowing.assigners.{
  EventTimeSessionWindows,
  LimitedSessionWindows,
  NamedWindows,
  SlidingEventTimeWindows,
  TumblingEventTimeWindows
}
import dev.sparkwindowing.operator.KeyedPlan
import dev.sparkwindowing.spark.computations.PartialComputation
import dev.sparkwindowing.triggers.EventTimeTrigger
import dev.sparkwindowing.windows.{RefinedSlices, SliceGrid, TimeSlices}
import org.apache.spark.sql.catalyst.InternalRow

/** Form of the operator's input: single rows, or rows aggregated before the exchange. The results are the same. */
private[sparkwindowing] sealed trait PreAggregation {

  /** Description, with the reason if there is no pre-aggregation. */
  def text: String

  /** Plan of a key over such rows: another one if other state is stored than for single rows. */
  def over(plan: KeyedPlan[InternalRow]): KeyedPlan[InternalRow] = plan
}

private[sparkwindowing] object PreAggregation {

  /** Setting for pre-aggregation; if false, the operator gets single rows. */
  val Setting = "spark.windowing.fastPath"

  final case class RowByRow(reason: String) extends PreAggregation {
    def text: String = s"row by row, since $reason"
  }

  /** Rows that are aggregated, within an input partition. */
  sealed trait Aggregated extends PreAggregation {
    def computation: PartialComputation
  }

  /** One row per key and slice: a part of the time line within which no window begins or ends.
    *
    * @param kept
    *   the grid whose slices the state holds in place of windows, if these overlap
    */
  final case class Slices(computation: PartialComputation, slices: TimeSlices, kept: Option[SliceGrid])
      extends Aggregated {
    def text: String = s"aggregated by ${if (slices.overlaps) "slices of windows" else "windows"} before the exchange"
    override def over(plan: KeyedPlan[InternalRow]): KeyedPlan[InternalRow] = plan match {
      case windows: KeyedPlan.Windows[InternalRow] =>
        kept.fold[KeyedPlan[InternalRow]](windows)(KeyedPlan.Slices(windows, _))
      case other => other
    }
  }

  /** One row per key and session, within an input partition.
    *
    * @param lateness
    *   the allowed lateness in milliseconds
    */
  final case class Sessions(computation: PartialComputation, gap: Long, lateness: Long) extends Aggregated {
    def text: String = "aggregated by sessions before the exchange"
  }

  /** The fastest path that the setting of the active session allows. */
  def ofSession(program: WindowProgram): PreAggregation = of(program, SessionSettings.flag(Setting))

  /** The fastest path with the same results.
    *
    * @param enabled
    *   value of the setting
    */
  def of(program: WindowProgram, enabled: Boolean): PreAggregation = {
    val chosen = for {
      _           <- unless(!enabled, s"$Setting is false")
      computation <- program.computation match {
        case c: PartialComputation => c.needsOrder.toLeft(c)
        case _                     => Left("only aggregates and mergeable functions can take rows in parts")
      }
      windows <- program.plan match {
        case _: KeyedPlan.Over[InternalRow]     => Left("each row has a window of its own, which ends with it")
        case w: KeyedPlan.Windowed[InternalRow] => Right(w)
        case _                                  => Left("there are no windows")
      }
      _ <- unless(windows.evictor.nonEmpty, "the evictor needs the elements")
      _ <- unless(windows.trigger.needsEachElement(allowedLateness = 0), s"${windows.trigger} is told of each element")
      _ <- unless(
        windows.trigger.needsEachElement(windows.allowedLateness),
        "within the allowed lateness each late row fires its window"
      )
      _    <- unless(program.output.late.nonEmpty, "late rows are put out as they came")
      path <- (windows.assigner.slices, windows.assigner) match {
        case (Some(grid), _) =>
          Right(Slices(computation, grid, if (firesAtEnd(windows) && grid.overlaps) Some(grid) else None))
        case (_, named: NamedWindows) if named.grids.size == named.names.size =>
          Right(Slices(computation, RefinedSlices(named.grids).needed, None))
        case (_, _: NamedWindows)             => Left("some of the windows are on no grid")
        case (_, s: EventTimeSessionWindows)  => Right(Sessions(computation, s.gap, windows.allowedLateness))
        case (_, _: TumblingEventTimeWindows) => Left("the windows are staggered")
        case (_, _: SlidingEventTimeWindows)  => Left("there are gaps between the windows")
        case (_, s: LimitedSessionWindows[_]) => Left(s"$s is cut in the order of the rows")
        case (_, other)                       => Left(s"the windows of $other depend on the row")
      }
    } yield path
    chosen.fold(RowByRow, identity)
  }

  // Then a window can be merged from its slices when it fires.
  private def firesAtEnd(windows: KeyedPlan.Windowed[_]): Boolean = windows.trigger.isInstanceOf[EventTimeTrigger]

  private def unless(condition: Boolean, reason: => String): Either[String, Unit] =
    if (condition) Left(reason) else Right(())
}
