package dev.sparkwindowing.columns

import dev.sparkwindowing.declaration.Part
import dev.sparkwindowing.functions.TimeDomain
import dev.sparkwindowing.triggers.{OnMergeContext, Trigger, TriggerContext, TriggerMemory, TriggerResult}
import dev.sparkwindowing.windows.Window

/** Trigger that another one answers, whose elements are of another type. */
private[columns] abstract class ForwardingTrigger[E](to: Trigger[_]) extends Trigger[E] {

  /** Makes a call of the other trigger. */
  protected def forward[T](method: String)(call: => T): T

  def onEventTime(time: Long, window: Window, ctx: TriggerContext): TriggerResult =
    forward("onEventTime")(to.onEventTime(time, window, ctx))

  def onProcessingTime(time: Long, window: Window, ctx: TriggerContext): TriggerResult =
    forward("onProcessingTime")(to.onProcessingTime(time, window, ctx))

  override def onMicroBatch(window: Window, ctx: TriggerContext): TriggerResult =
    forward("onMicroBatch")(to.onMicroBatch(window, ctx))

  override def onMerge(window: Window, ctx: OnMergeContext): Unit = forward("onMerge")(to.onMerge(window, ctx))
  override def restart(window: Window, ctx: TriggerContext): Unit = forward("restart")(to.restart(window, ctx))
  def clear(window: Window, ctx: TriggerContext): Unit            = forward("clear")(to.clear(window, ctx))

  override def canMerge: Boolean                      = to.canMerge
  override def firesByMicroBatch: Boolean             = to.firesByMicroBatch
  override def setsTimers(clock: TimeDomain): Boolean = to.setsTimers(clock)
  override def purges: Boolean                        = to.purges
  override def memory: TriggerMemory                  = to.memory
  override def needsEndOfInput: Boolean               = to.needsEndOfInput
  override def firesToEndOfTime: Boolean              = to.firesToEndOfTime
  override def children: Seq[Part]                    = to.children
}
