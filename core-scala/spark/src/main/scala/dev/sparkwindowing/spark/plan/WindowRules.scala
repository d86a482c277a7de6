package dev.sparkwindowing.spark.plan

import dev.sparkwindowing.assigners.{GlobalWindows, MergingWindowAssigner, WindowAssigner}
import dev.sparkwindowing.evictors.Evictor
import dev.sparkwindowing.operator.WindowSpec
import dev.sparkwindowing.triggers.Trigger
import org.apache.spark.sql.catalyst.InternalRow

/** Declared assigner, trigger, evictor, allowed lateness and options of a windowed stream.
  *
  * @param allowedLateness
  *   milliseconds
  * @param lateTag
  *   the tag of the side output of late rows
  * @param pane
  *   whether a result has a column that tells the firings of its window apart
  * @param collapsesFirings
  *   whether only the last of several firings of a window in one step with equal contents is emitted
  * @param allowsStateChange
  *   whether state from other rules is taken over, where that is safe
  */
private[sparkwindowing] final case class WindowRules(
    assigner: WindowAssigner[InternalRow],
    trigger: Trigger[InternalRow],
    evictor: Option[Evictor[InternalRow]] = None,
    allowedLateness: Long = 0L,
    lateTag: Option[String] = None,
    pane: Boolean = false,
    collapsesFirings: Boolean = false,
    allowsStateChange: Boolean = false
) {

  /** These rules, if their parts fit together. */
  def checked: WindowRules = {
    WindowSpec.check(assigner, trigger, allowedLateness)
    this
  }

  /** Time of the results. */
  def resultTime: ResultTime =
    if ((assigner: Any).isInstanceOf[GlobalWindows]) ResultTime.NoEnd else ResultTime.EndOfWindow

  def isMerging: Boolean = assigner.isInstanceOf[MergingWindowAssigner[_]]
}
