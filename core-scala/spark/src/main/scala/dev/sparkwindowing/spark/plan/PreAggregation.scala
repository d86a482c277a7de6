package dev.sparkwindowing.spark.plan

import dev.sparkwindowing.assigners.{
  EventTimeSessionWindows,
  LimitedSessionWindows,
  OverEventTimeWindows,
  SlidingEventTimeWindows,
  TumblingEventTimeWindows
}
import dev.sparkwindowing.spark.functions.PartialComputation
import dev.sparkwindowing.triggers.EventTimeTrigger
import dev.sparkwindowing.windows.SliceGrid

/** Form of the operator's input: single rows, or rows aggregated before the exchange. The results are the same. */
private[sparkwindowing] sealed trait PreAggregation {

  /** Description, with the reason if there is no pre-aggregation. */
  def text: String

  /** Content of the state, which is all that a checkpoint depends on. */
  def kept: String = "windows"
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
    * @param keepsSlices
    *   whether the state holds slices in place of the windows that overlap
    */
  final case class Slices(computation: PartialComputation, grid: SliceGrid, keepsSlices: Boolean) extends Aggregated {
    def text: String = s"aggregated by ${if (grid.overlaps) "slices of windows" else "windows"} before the exchange"
    override def kept: String = if (keepsSlices) s"slices of windows, since $Setting is true" else super.kept
  }

  /** One row per key and session, within an input partition.
    *
    * @param lateness
    *   the allowed lateness in milliseconds
    */
  final case class Sessions(computation: PartialComputation, gap: Long, lateness: Long) extends Aggregated {
    def text: String = "aggregated by sessions before the exchange"
  }

  /** The path of a node in the active session. */
  def of(node: WindowNode): PreAggregation = of(node.program, SessionSettings.flag(Setting)) match {
    case _: Sessions if node.child.isStreaming && OperatorChoice.ofSession.isPortable =>
      RowByRow("the portable operator tells no watermark to what runs before the exchange")
    case path => path
  }

  /** The fastest path with the same results.
    *
    * @param enabled
    *   value of the setting
    */
  def of(program: WindowProgram, enabled: Boolean): PreAggregation = {
    val rules  = program.rules
    val chosen = for {
      _           <- unless(!enabled, s"$Setting is false")
      computation <- program.computation match {
        case c: PartialComputation => c.needsOrder.toLeft(c)
        case _                     => Left("only aggregates and mergeable functions can take rows in parts")
      }
      _ <- unless(rules.evictor.nonEmpty, "the evictor needs the elements")
      _ <- unless(rules.trigger.needsEachElement(allowedLateness = 0), s"${rules.trigger} is told of each element")
      _ <- unless(
        rules.trigger.needsEachElement(rules.allowedLateness),
        "within the allowed lateness each late row fires its window"
      )
      _    <- unless(rules.lateTag.nonEmpty, "late rows are put out as they came")
      path <- (rules.assigner.slices, rules.assigner) match {
        case (Some(grid), _) =>
          Right(Slices(computation, grid, keepsSlices = firesAtEnd(rules) && grid.overlaps))
        case (_, s: EventTimeSessionWindows)  => Right(Sessions(computation, s.gap, rules.allowedLateness))
        case (_, _: TumblingEventTimeWindows) => Left("the windows are staggered")
        case (_, _: SlidingEventTimeWindows)  => Left("there are gaps between the windows")
        case (_, s: LimitedSessionWindows[_]) => Left(s"$s is cut in the order of the rows")
        case (_, _: OverEventTimeWindows)     => Left("each row has a window of its own, which ends with it")
        case (_, other)                       => Left(s"the windows of $other depend on the row")
      }
    } yield path
    chosen.fold(RowByRow, identity)
  }

  // Then a window can be merged from its slices when it fires.
  private def firesAtEnd(rules: WindowRules): Boolean = rules.trigger.isInstanceOf[EventTimeTrigger]

  private def unless(condition: Boolean, reason: => String): Either[String, Unit] =
    if (condition) Left(reason) else Right(())
}
