package dev.sparkwindowing.spark.plan

import dev.sparkwindowing.assigners.{GlobalWindows, MergingWindowAssigner, WindowAssigner}
import dev.sparkwindowing.evictors.Evictor
import dev.sparkwindowing.operator.WindowSpec
import dev.sparkwindowing.triggers.Trigger
import org.apache.spark.sql.catalyst.InternalRow

/** Which windows, when they fire, what leaves them and how late an element may be, as declared.
  *
  * @param allowedLateness
  *   milliseconds
  * @param lateTag
  *   the tag of the side output of late rows
  * @param pane
  *   whether a result says which firing of its window it is
  * @param collapsesFirings
  *   whether of several firings of a window in one step with equal contents only the last is put out
  * @param allowsStateChange
  *   whether state is taken over that was kept under other rules, where that is safe
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

  /** The same, if its parts go together. */
  def checked: WindowRules = {
    WindowSpec.check(assigner, trigger, allowedLateness)
    this
  }

  /** When the results are. */
  def resultTime: ResultTime =
    if ((assigner: Any).isInstanceOf[GlobalWindows]) ResultTime.NoEnd else ResultTime.EndOfWindow

  def isMerging: Boolean = assigner.isInstanceOf[MergingWindowAssigner[_]]
}
