package dev.sparkwindowing.columns

import dev.sparkwindowing.declaration.{Part, Spec}
import dev.sparkwindowing.functions.TimeDomain
import dev.sparkwindowing.spark.rows.ElementRow
import dev.sparkwindowing.triggers.{OnMergeContext, Trigger, TriggerContext, TriggerMemory, TriggerResult}
import dev.sparkwindowing.windows.Window
import org.apache.spark.sql.Row
import org.apache.spark.sql.catalyst.InternalRow

/** Trigger on the rows of the operator, inside a user's trigger on `Row`. */
private[columns] final class InnerTrigger(trigger: Trigger[InternalRow]) extends Trigger[Row] {

  def onElement(element: Row, timestamp: Long, window: Window, ctx: TriggerContext): TriggerResult = element match {
    case row: ElementRow => trigger.onElement(row.underlying, timestamp, window, ctx)
    case other           =>
      throw new IllegalArgumentException(
        s"$trigger takes the row that the trigger around it was called with, got another one: $other"
      )
  }

  def onEventTime(time: Long, window: Window, ctx: TriggerContext): TriggerResult =
    trigger.onEventTime(time, window, ctx)

  def onProcessingTime(time: Long, window: Window, ctx: TriggerContext): TriggerResult =
    trigger.onProcessingTime(time, window, ctx)

  override def firesByMicroBatch: Boolean                                       = trigger.firesByMicroBatch
  override def onMicroBatch(window: Window, ctx: TriggerContext): TriggerResult = trigger.onMicroBatch(window, ctx)

  override def setsTimers(clock: TimeDomain): Boolean = trigger.setsTimers(clock)

  override def canMerge: Boolean                                  = trigger.canMerge
  override def onMerge(window: Window, ctx: OnMergeContext): Unit = trigger.onMerge(window, ctx)
  def clear(window: Window, ctx: TriggerContext): Unit            = trigger.clear(window, ctx)
  override def restart(window: Window, ctx: TriggerContext): Unit = trigger.restart(window, ctx)
  override def memory: TriggerMemory                              = trigger.memory
  override def needsEndOfInput: Boolean                           = trigger.needsEndOfInput
  override def firesToEndOfTime: Boolean                          = trigger.firesToEndOfTime
  override def children: Seq[Part]                                = trigger.children
  override def spec: Spec                                         = trigger.spec
}

private[columns] object InnerTrigger {

  /** @throws java.lang.IllegalArgumentException
    *   if it is no trigger: inside a part on `Row`, only triggers can be written as columns
    */
  def of(bound: Part, outer: Spec): Part = bound match {
    case trigger: Trigger[InternalRow @unchecked] => new InnerTrigger(trigger)
    case other                                    =>
      throw new IllegalArgumentException(
        s"$outer works on Row, and ${other.spec} inside it on columns: write it on Row"
      )
  }
}
