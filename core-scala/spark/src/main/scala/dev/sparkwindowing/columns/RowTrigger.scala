package dev.sparkwindowing.columns

import dev.sparkwindowing.declaration.{Part, Spec}
import dev.sparkwindowing.functions.TimeDomain
import dev.sparkwindowing.spark.expressions.{ColumnBinder, PartFailure}
import dev.sparkwindowing.spark.rows.RowView
import dev.sparkwindowing.triggers.{OnMergeContext, Trigger, TriggerContext, TriggerMemory, TriggerResult}
import dev.sparkwindowing.windows.Window
import org.apache.spark.sql.Row
import org.apache.spark.sql.catalyst.InternalRow

/** User's trigger on `Row`, applied to the rows of a query. */
private[columns] final class RowTrigger(user: Trigger[Row], override val spec: Spec, view: Option[RowView])
    extends Trigger[InternalRow]
    with ColumnPart[Trigger[InternalRow]] {

  private[columns] def bind(binder: ColumnBinder): Trigger[InternalRow] = {
    val (part, text) = RowParts.bound(user, spec, binder)
    new RowTrigger(part, text, Some(binder.rowView))
  }

  def onElement(row: InternalRow, timestamp: Long, window: Window, ctx: TriggerContext): TriggerResult =
    named("onElement")(user.onElement(RowView.of(view, spec).linked(row), timestamp, window, ctx))

  def onEventTime(time: Long, window: Window, ctx: TriggerContext): TriggerResult =
    named("onEventTime")(user.onEventTime(time, window, ctx))

  def onProcessingTime(time: Long, window: Window, ctx: TriggerContext): TriggerResult =
    named("onProcessingTime")(user.onProcessingTime(time, window, ctx))

  override def firesByMicroBatch: Boolean = user.firesByMicroBatch

  override def onMicroBatch(window: Window, ctx: TriggerContext): TriggerResult =
    named("onMicroBatch")(user.onMicroBatch(window, ctx))

  private[this] def named[T](method: String)(call: => T): T = PartFailure.named(s"$spec.$method")(call)

  override def setsTimers(clock: TimeDomain): Boolean = user.setsTimers(clock)

  override def canMerge: Boolean                                  = user.canMerge
  override def onMerge(window: Window, ctx: OnMergeContext): Unit = named("onMerge")(user.onMerge(window, ctx))
  override def restart(window: Window, ctx: TriggerContext): Unit = named("restart")(user.restart(window, ctx))
  def clear(window: Window, ctx: TriggerContext): Unit            = named("clear")(user.clear(window, ctx))
  override def memory: TriggerMemory                              = user.memory
  override def needsEndOfInput: Boolean                           = user.needsEndOfInput
  override def firesToEndOfTime: Boolean                          = user.firesToEndOfTime
  override def children: Seq[Part]                                = user.children

  private[sparkwindowing] override def writtenAs: Class[_] = user.getClass
}
