package dev.sparkwindowing.spark.plan

import dev.sparkwindowing.assigners.{GlobalWindows, NamedWindows, OverEventTimeWindows, WindowAssigner}
import dev.sparkwindowing.declaration.Part
import dev.sparkwindowing.evictors.{CountEvictor, Evictor}
import dev.sparkwindowing.operator.{EmptyWindows, KeyedPlan, OperatorRules}
import dev.sparkwindowing.spark.advice.Code
import dev.sparkwindowing.spark.computations.KeyedWork
import dev.sparkwindowing.triggers.{ConditionTrigger, CountTrigger, PurgingTrigger, Trigger}
import org.apache.spark.sql.catalyst.InternalRow

/** Declared assigner, trigger, evictor, allowed lateness and options of a windowed stream.
  *
  * @param chosenTrigger
  *   None for the default trigger of the assigner
  * @param allowedLateness
  *   milliseconds
  * @param lateTag
  *   tag of the side output of late rows
  * @param pane
  *   whether a result has a column that distinguishes the firings of its window
  * @param collapsesFirings
  *   whether only the last of several firings of a window in one step with equal contents is emitted
  * @param allowsStateChange
  *   whether state from other rules is taken over, where that is safe
  * @param withRow
  *   whether a result has a column with the element that its window ends with
  * @param changelog
  *   how a result says what it changes; None for results that do not
  * @param fillEmpty
  *   milliseconds for which windows without rows fire after one with some; None if they do not
  */
private[sparkwindowing] final case class WindowRules(
    assigner: WindowAssigner[InternalRow],
    chosenTrigger: Option[Trigger[InternalRow]] = None,
    evictor: Option[Evictor[InternalRow]] = None,
    allowedLateness: Long = 0L,
    lateTag: Option[String] = None,
    pane: Boolean = false,
    collapsesFirings: Boolean = false,
    allowsStateChange: Boolean = false,
    withRow: Boolean = false,
    changelog: Option[Changelog] = None,
    fillEmpty: Option[Long] = None
) {

  def trigger: Trigger[InternalRow] = chosenTrigger.getOrElse(assigner.defaultTrigger)

  /** True if the windows have names, which results show. */
  def isNamed: Boolean = (assigner: Any).isInstanceOf[NamedWindows]

  /** These rules, after checking that their parts fit together. */
  def checked: WindowRules = {
    OperatorRules.check(assigner, trigger, allowedLateness)
    evictor.foreach(Part.check)
    evictor.foreach(OperatorRules.checkEvictor(assigner, _))
    evictor.foreach(refuseResults)
    if (withRow && !(assigner: Any).isInstanceOf[OverEventTimeWindows])
      throw new UnsupportedOperationException(
        s"a window of $assigner ends with no row of its own that ${Code.name("with_row")} could show: take " +
          "OverEventTimeWindows, one window for each row"
      )
    if (changelog.nonEmpty) checkChangelog()
    fillEmpty.foreach(EmptyWindows.check(assigner, _))
    this
  }

  private def refuseResults(evictor: Evictor[InternalRow]): Unit =
    trigger.tree.collectFirst { case t: ConditionTrigger[_] => t }.foreach { t =>
      throw new UnsupportedOperationException(
        s"$t cannot be used with $evictor: the state has the rows, of which only a firing computes the results: take " +
          s"${Code.call(".evictor")} away, or take a trigger of rows, ColumnTrigger.when(..)"
      )
    }

  private def checkChangelog(): Unit = {
    if ((assigner: Any).isInstanceOf[OverEventTimeWindows])
      throw new UnsupportedOperationException(
        s"${Code.name("changelog")}: rows of equal event time have the same window of $assigner, so a change does not say " +
          s"which row it replaces, and each fires once: take ${Code.call(".changelog")} away, every result is a new row"
      )
    if (collapsesFirings)
      throw new IllegalArgumentException(
        s"${Code.name("changelog")}: the changes that ${Code.name("collapse_firings")} leaves out would be missing: take " +
          s"${Code.call(".collapse_firings")} away, an update to an equal row changes nothing"
      )
  }

  /** Time of the results. */
  def resultTime: ResultTime = if (assigner.clock.isEmpty) ResultTime.NoEnd else ResultTime.EndOfWindow

  /** Plan of a key for a computation in these windows. */
  def plan(work: KeyedWork): KeyedPlan[InternalRow] = KeyedPlan.of(
    assigner,
    trigger,
    evictor,
    allowedLateness,
    panes = pane || changelog.nonEmpty,
    showsElement = withRow,
    mergesInAnyOrder = work.mergesInAnyOrder,
    isOrderInsensitive = work.isOrderInsensitive,
    fillEmpty = fillEmpty
  )
}

private[sparkwindowing] object WindowRules {

  /** Consecutive windows of `size` elements of a key. */
  def ofCount(size: Long): WindowRules =
    WindowRules(GlobalWindows.create(), Some(PurgingTrigger.of[Any](CountTrigger.of(size))))

  /** The last `size` elements of a key, after every `slide` elements.
    *
    * @param onlyFull
    *   whether nothing fires until `size` elements have arrived
    */
  def ofCount(size: Long, slide: Long, onlyFull: Boolean): WindowRules = WindowRules(
    GlobalWindows.create(),
    Some(CountTrigger.of(slide, if (onlyFull) size else 0)),
    Some(CountEvictor.of[InternalRow](size))
  )
}
