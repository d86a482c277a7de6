package dev.sparkwindowing.operator

import dev.sparkwindowing.assigners.{
  CalendarWindows,
  CountWindows,
  LimitedSessionWindows,
  OverEventTimeWindows,
  WindowAssigner
}
import dev.sparkwindowing.contents.{ElementList, ListContents, WindowContents}
import dev.sparkwindowing.declaration.Part
import dev.sparkwindowing.evictors.Evictor
import dev.sparkwindowing.triggers.{Trigger, TriggerMemory}

/** Rules of a [[WindowOperator]]: assigner, trigger, evictor, allowed lateness and contents.
  *
  * Made by the factories of the companion, which refuse invalid combinations.
  */
final class OperatorRules[E, C <: AnyRef] private (
    val assigner: WindowAssigner[E],
    val trigger: Trigger[E],
    val evictor: Option[Evictor[E]],
    val allowedLateness: Long,
    val contents: WindowContents[E, C],
    val panes: Boolean,
    val emptyWindows: Option[EmptyWindows] = None
) {

  /** State of a window beside its contents. */
  def memory: TriggerMemory = OperatorRules.memoryOf(assigner, trigger)

  /** The same rules with firings counted and stored with their window, so that each has a [[PaneInfo]]. */
  def withPanes: OperatorRules[E, C] =
    new OperatorRules(assigner, trigger, evictor, allowedLateness, contents, true, emptyWindows)

  /** The same rules with windows that fire without elements. */
  def withEmptyWindows(rule: EmptyWindows): OperatorRules[E, C] =
    new OperatorRules(assigner, trigger, evictor, allowedLateness, contents, panes, Some(rule))
}

object OperatorRules {

  /** @param allowedLateness
    *   milliseconds that an event-time window lives after the watermark passes its end; no effect on other windows
    */
  def apply[E, C <: AnyRef](
      assigner: WindowAssigner[E],
      trigger: Trigger[E],
      allowedLateness: Long,
      contents: WindowContents[E, C]
  ): OperatorRules[E, C] = {
    check(assigner, trigger, allowedLateness)
    new OperatorRules(assigner, trigger, None, allowedLateness, contents, false)
  }

  /** With an evictor all elements are kept. */
  def evicting[E](
      assigner: WindowAssigner[E],
      trigger: Trigger[E],
      evictor: Evictor[E],
      allowedLateness: Long,
      contents: ListContents[E]
  ): OperatorRules[E, ElementList[E]] = {
    check(assigner, trigger, allowedLateness)
    checkEvictor(assigner, evictor)
    new OperatorRules(assigner, trigger, Some(evictor), allowedLateness, contents, false)
  }

  /** State of a window beside its contents: that of the trigger, then that of sessions that elements can end. */
  private[operator] def memoryOf(assigner: WindowAssigner[_], trigger: Trigger[_]): TriggerMemory =
    trigger.memory ++ LimitedSessionWindows.memoryOf(assigner)

  /** Checks the combination of parts.
    *
    * @throws java.lang.UnsupportedOperationException
    *   for a trigger that cannot merge, on windows that merge
    * @throws java.lang.IllegalArgumentException
    *   for a negative lateness, a trigger with more than 64 numbers or values of state, or calendar windows without a
    *   time zone
    */
  def check(assigner: WindowAssigner[_], trigger: Trigger[_], allowedLateness: Long): Unit = {
    Part.check(trigger)
    CalendarWindows.check(assigner)
    if (assigner.isMerging) {
      val cannot = trigger.tree.collectFirst { case t: Trigger[_] if !t.canMerge => t }
      cannot.foreach { part =>
        val inside = if (part eq trigger) "" else s"$part inside "
        throw new UnsupportedOperationException(
          s"$inside$trigger cannot be used with $assigner: its windows merge and the trigger cannot. Use a trigger that can " +
            "(EventTimeTrigger, ProcessingTimeTrigger, CountTrigger, MicroBatchTrigger, a continuous trigger, AfterWatermark, " +
            "PurgingTrigger of these), or give yours canMerge and onMerge, a ColumnTrigger on_merge"
        )
      }
    }
    refuseOwnTrigger(assigner, trigger)
    trigger.tree.foreach {
      case outer: Trigger[_] if !outer.firesByMicroBatch =>
        outer.children.collectFirst { case inner: Trigger[_] if inner.firesByMicroBatch => inner }.foreach { inner =>
          throw new UnsupportedOperationException(
            s"$inner inside $outer would not fire by micro-batches: ${outer.spec} must override firesByMicroBatch, and " +
              "onMicroBatch, which passes the call on"
          )
        }
      case _ => ()
    }
    if (allowedLateness < 0)
      throw new IllegalArgumentException(s"allowed lateness must not be negative, got $allowedLateness ms")
    val memory = memoryOf(assigner, trigger)
    if (memory.numbers.size > 64 || memory.values.size > 64)
      throw new IllegalArgumentException(s"$trigger remembers more than 64 numbers or values of a window")
  }

  /** Checks that an assigner takes an evictor.
    *
    * @throws java.lang.UnsupportedOperationException
    *   if it does not
    */
  def checkEvictor(assigner: WindowAssigner[_], evictor: Evictor[_]): Unit = (assigner: Any) match {
    case over: OverEventTimeWindows =>
      throw new UnsupportedOperationException(
        s"$evictor cannot be used with $over, whose windows hold the elements before theirs: take a shorter length, or " +
          "OverEventTimeWindows.preceding_rows (precedingRows in Scala) for a number of elements"
      )
    case _ => ()
  }

  private def refuseOwnTrigger(assigner: WindowAssigner[_], trigger: Trigger[_]): Unit = (assigner: Any) match {
    case over: OverEventTimeWindows if trigger != over.defaultTrigger =>
      throw new UnsupportedOperationException(
        s"$trigger cannot be used with $over: each window fires when the watermark reaches the time of its element. Take " +
          "the trigger away, or windows that take one, such as SlidingEventTimeWindows"
      )
    case counts: CountWindows if trigger != counts.defaultTrigger =>
      throw new UnsupportedOperationException(
        s"$trigger cannot be used with $counts: each window fires when it has its elements. Take the trigger away, or " +
          "GlobalWindows.create(), whose window fires by a trigger alone"
      )
    case _ => ()
  }
}
