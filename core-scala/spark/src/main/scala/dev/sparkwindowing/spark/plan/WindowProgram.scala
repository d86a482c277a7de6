package dev.sparkwindowing.spark.plan

import dev.sparkwindowing.assigners.{SliceGrid, StaggeredWindowAssigner, WindowAssigner}
import dev.sparkwindowing.evictors.Evictor
import dev.sparkwindowing.spark.functions.{KeptContents, KeyedWork}
import dev.sparkwindowing.triggers.{EventTimeTrigger, Trigger}
import org.apache.spark.sql.catalyst.InternalRow

/** What a windowed query does, apart from where its rows come from: the same in a stream, a batch and a simulation.
  *
  * It rides inside the operator's node. It is no Product, so that Spark's rules do not look into it; everything that
  * concerns columns is kept by position, since a stream's columns get new ids in every micro-batch.
  *
  * @param rules
  *   with parts that are bound to the rows
  * @param staged
  *   if its rows are for a function behind the operator: what comes out of that
  * @param slices
  *   if the operator keeps slices of windows that overlap, and not the windows: those
  */
final class WindowProgram private[sparkwindowing] (
    private[sparkwindowing] val rules: WindowRules,
    val computation: KeyedWork,
    val onMissingTime: MissingTime,
    val input: InputLayout,
    val output: OutputLayout,
    val staged: Option[StagedOutput],
    val slices: Option[SliceGrid] = None
) extends Serializable {
  def assigner: WindowAssigner[InternalRow] = rules.assigner
  def trigger: Trigger[InternalRow]         = rules.trigger
  def evictor: Option[Evictor[InternalRow]] = rules.evictor
  def allowedLateness: Long                 = rules.allowedLateness

  /** Whether the order of the rows of a key can be seen in the results, so that it must be that of their arrival.
    *
    * In sessions it can: a row that is late by itself is taken if it joins one that came before it.
    */
  def seesOrder: Boolean =
    !(computation.isCommutative && trigger.isInstanceOf[EventTimeTrigger] && evictor.isEmpty && allowedLateness == 0) ||
      rules.isMerging

  /** Whether the grid of the windows is shifted by an amount that is drawn when the query starts. */
  def drawsShift: Boolean = assigner match {
    case s: StaggeredWindowAssigner[InternalRow] => s.isStaggered
    case _                                       => false
  }

  /** A shift in milliseconds, for a query that starts at this time of the clock. */
  def drawShift(processingTime: Long): Long = staggered.drawShift(processingTime)

  /** The same with that shift. */
  def shifted(shift: Long): WindowProgram =
    over(rules.copy(assigner = staggered.shifted(shift)), computation, input)

  /** The same over rows of another kind, which give the same results. */
  def over(
      rules: WindowRules,
      computation: KeyedWork,
      input: InputLayout,
      slices: Option[SliceGrid] = None
  ): WindowProgram = new WindowProgram(rules, computation, onMissingTime, input, output, staged, slices)

  private def staggered: StaggeredWindowAssigner[InternalRow] = assigner match {
    case s: StaggeredWindowAssigner[InternalRow] => s
    case other                                   => throw new IllegalStateException(s"$other draws no shift")
  }

  /** How what is kept of a window lies in the state. */
  def keptContents: KeptContents = if (evictor.isDefined) KeptContents.Rows else computation.keptContents
}

/** What happens to a row that has no event time in an event-time window. */
sealed abstract class MissingTime(val name: String) extends Product with Serializable

object MissingTime {

  /** It goes to the late side output; dropped and counted if there is none. */
  case object Late extends MissingTime("late")

  /** It is dropped and counted. */
  case object Drop extends MissingTime("drop")

  /** It stops the query. */
  case object Fail extends MissingTime("fail")

  def of(name: String): MissingTime =
    Seq(Late, Drop, Fail).find(_.name == name).getOrElse {
      throw new IllegalArgumentException(s"on_missing_time must be one of 'late', 'drop', 'fail', got '$name'")
    }
}
