package dev.sparkwindowing.triggers

/** Context of a trigger that starts anew: ignores that timers at the end of the window are deleted. */
private[triggers] final class EndTimersKept(ctx: TriggerContext, maxTimestamp: Long) extends TriggerContext {

  def deleteEventTimeTimer(time: Long): Unit      = if (time != maxTimestamp) ctx.deleteEventTimeTimer(time)
  def deleteProcessingTimeTimer(time: Long): Unit = if (time != maxTimestamp) ctx.deleteProcessingTimeTimer(time)

  def currentWatermark: Long                        = ctx.currentWatermark
  def currentProcessingTime: Long                   = ctx.currentProcessingTime
  def registerEventTimeTimer(time: Long): Unit      = ctx.registerEventTimeTimer(time)
  def registerProcessingTimeTimer(time: Long): Unit = ctx.registerProcessingTimeTimer(time)

  def hasNumber(i: Int): Boolean            = ctx.hasNumber(i)
  def number(i: Int): Long                  = ctx.number(i)
  def setNumber(i: Int, value: Long): Unit  = ctx.setNumber(i, value)
  def clearNumber(i: Int): Unit             = ctx.clearNumber(i)
  def value[T <: AnyRef](i: Int): Option[T] = ctx.value[T](i)
  def setValue(i: Int, value: AnyRef): Unit = ctx.setValue(i, value)
  def clearValue(i: Int): Unit              = ctx.clearValue(i)

  override private[sparkwindowing] def isCleanup(eventTime: Boolean, time: Long): Boolean =
    ctx.isCleanup(eventTime, time)

  override private[sparkwindowing] def skippedFirings(firings: Long): Unit = ctx.skippedFirings(firings)
}
