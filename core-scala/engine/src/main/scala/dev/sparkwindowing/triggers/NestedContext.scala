package dev.sparkwindowing.triggers

/** Context of a trigger inside another one: its numbers and values, counted from 0, are some of those of `ctx`. */
private[triggers] abstract class InnerContext(ctx: TriggerContext, numbersFrom: Int, valuesFrom: Int)
    extends TriggerContext {

  def currentWatermark: Long                        = ctx.currentWatermark
  def currentProcessingTime: Long                   = ctx.currentProcessingTime
  def registerEventTimeTimer(time: Long): Unit      = ctx.registerEventTimeTimer(time)
  def registerProcessingTimeTimer(time: Long): Unit = ctx.registerProcessingTimeTimer(time)
  def deleteEventTimeTimer(time: Long): Unit        = ctx.deleteEventTimeTimer(time)
  def deleteProcessingTimeTimer(time: Long): Unit   = ctx.deleteProcessingTimeTimer(time)

  def hasNumber(i: Int): Boolean            = ctx.hasNumber(numbersFrom + i)
  def number(i: Int): Long                  = ctx.number(numbersFrom + i)
  def setNumber(i: Int, value: Long): Unit  = ctx.setNumber(numbersFrom + i, value)
  def clearNumber(i: Int): Unit             = ctx.clearNumber(numbersFrom + i)
  def value[T <: AnyRef](i: Int): Option[T] = ctx.value[T](valuesFrom + i)
  def setValue(i: Int, value: AnyRef): Unit = ctx.setValue(valuesFrom + i, value)
  def clearValue(i: Int): Unit              = ctx.clearValue(valuesFrom + i)

  override private[sparkwindowing] def contents: AnyRef        = ctx.contents
  override private[sparkwindowing] def isFirstElement: Boolean = ctx.isFirstElement

  override private[sparkwindowing] def isCleanup(eventTime: Boolean, time: Long): Boolean =
    ctx.isCleanup(eventTime, time)

  override private[sparkwindowing] def skippedFirings(firings: Long): Unit = ctx.skippedFirings(firings)
}

/** Context of a trigger that starts anew: ignores that timers at the end of the window are deleted. */
private[triggers] final class EndTimersKept(ctx: TriggerContext, maxTimestamp: Long) extends InnerContext(ctx, 0, 0) {
  override def deleteEventTimeTimer(time: Long): Unit      = if (time != maxTimestamp) ctx.deleteEventTimeTimer(time)
  override def deleteProcessingTimeTimer(time: Long): Unit =
    if (time != maxTimestamp) ctx.deleteProcessingTimeTimer(time)
}

/** Context of one nested trigger of a composite trigger, with its own timers. */
private[triggers] class NestedContext(ctx: TriggerContext, part: Int, numbersFrom: Int, valuesFrom: Int, timersAt: Int)
    extends InnerContext(ctx, numbersFrom, valuesFrom) {

  override def registerEventTimeTimer(time: Long): Unit =
    if (isNew(eventTime = true, time)) ctx.registerEventTimeTimer(time)
  override def registerProcessingTimeTimer(time: Long): Unit =
    if (isNew(eventTime = false, time)) ctx.registerProcessingTimeTimer(time)
  override def deleteEventTimeTimer(time: Long): Unit =
    if (isUnwanted(eventTime = true, time)) ctx.deleteEventTimeTimer(time)
  override def deleteProcessingTimeTimer(time: Long): Unit =
    if (isUnwanted(eventTime = false, time)) ctx.deleteProcessingTimeTimer(time)

  private def timers: NestedTimers = ctx.value[NestedTimers](timersAt).getOrElse(NestedTimers.None)

  // Records the timer; false if the nested trigger has registered it already.
  private def isNew(eventTime: Boolean, time: Long): Boolean = {
    val timer = NestedTimer(part, eventTime, time)
    val set   = timers
    val isNew = !set.timers.contains(timer)
    if (isNew) NestedTimers.store(NestedTimers(set.timers + timer), ctx, timersAt)
    isNew
  }

  // Removes the timer; true if the nested trigger had registered it and no other one has.
  private def isUnwanted(eventTime: Boolean, time: Long): Boolean = {
    val timer = NestedTimer(part, eventTime, time)
    val set   = timers
    set.timers.contains(timer) && {
      val left = NestedTimers(set.timers - timer)
      NestedTimers.store(left, ctx, timersAt)
      left.owners(eventTime, time).isEmpty
    }
  }
}

/** Context of one nested trigger of a composite trigger while windows merge. */
private[triggers] final class NestedMergeContext(
    ctx: OnMergeContext,
    part: Int,
    numbersFrom: Int,
    valuesFrom: Int,
    timersAt: Int
) extends NestedContext(ctx, part, numbersFrom, valuesFrom, timersAt)
    with OnMergeContext {
  def mergedWindows: Int                                       = ctx.mergedWindows
  def mergedHasNumber(window: Int, i: Int): Boolean            = ctx.mergedHasNumber(window, numbersFrom + i)
  def mergedNumber(window: Int, i: Int): Long                  = ctx.mergedNumber(window, numbersFrom + i)
  def mergedValue[T <: AnyRef](window: Int, i: Int): Option[T] = ctx.mergedValue[T](window, valuesFrom + i)
}
