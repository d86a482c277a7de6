package dev.sparkwindowing.spark

import dev.sparkwindowing.triggers.{Trigger, TriggerContext, TriggerMemory, TriggerResult}
import dev.sparkwindowing.windows.Window
import org.apache.spark.sql.Row

/** Fires for every `n`-th row of a window. */
final class EveryNth(n: Int) extends Trigger[Row] {
  override def memory: TriggerMemory = TriggerMemory.number("rows")

  def onElement(row: Row, timestamp: Long, window: Window, ctx: TriggerContext): TriggerResult = {
    ctx.setNumber(0, ctx.number(0) + 1)
    if (ctx.number(0) % n == 0) TriggerResult.Fire else TriggerResult.Continue
  }
  def onEventTime(time: Long, window: Window, ctx: TriggerContext): TriggerResult      = TriggerResult.Continue
  def onProcessingTime(time: Long, window: Window, ctx: TriggerContext): TriggerResult = TriggerResult.Continue
  def clear(window: Window, ctx: TriggerContext): Unit                                 = ctx.clearNumber(0)
}
