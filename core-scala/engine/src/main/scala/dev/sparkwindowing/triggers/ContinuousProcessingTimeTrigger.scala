package dev.sparkwindowing.triggers

import dev.sparkwindowing.declaration.{PartSpec, Spec}
import dev.sparkwindowing.functions.TimeDomain
import dev.sparkwindowing.triggers.TriggerResult.{Continue, Fire}
import dev.sparkwindowing.windows.{Millis, Window}

import java.time.Duration

/** Fires at each multiple of the interval in processing time, until processing time has passed the end of the window.
  *
  * For event-time windows the end of the window is compared with processing time too: the trigger stops firing after
  * it, and it does not fire when the watermark closes the window. Use [[AfterWatermark]] for early results of
  * event-time windows. Every multiple that processing time passes fires. If it passes more than a million of one window
  * at once, only the first one fires, so that a query continues after a long outage. Build it with
  * [[ContinuousProcessingTimeTrigger.of]].
  */
final case class ContinuousProcessingTimeTrigger private (interval: Long) extends Trigger[Any] {
  import ContinuousProcessingTimeTrigger.Next

  private val multiples = new Multiples(interval)

  override def memory: TriggerMemory = TriggerMemory.time("next_firing")

  def onElement(element: Any, timestamp: Long, window: Window, ctx: TriggerContext): TriggerResult = {
    val now = ctx.currentProcessingTime
    if (!ctx.hasNumber(Next)) setNext(now - now % interval, window, ctx)
    Continue
  }

  def onEventTime(time: Long, window: Window, ctx: TriggerContext): TriggerResult = Continue

  def onProcessingTime(time: Long, window: Window, ctx: TriggerContext): TriggerResult =
    if (ctx.hasNumber(Next) && ctx.number(Next) == time) {
      // The firing at the end is the last one: a further timer would have the same time.
      if (time != window.maxTimestamp)
        setNext(multiples.reached(time, ctx.currentProcessingTime, window, ctx), window, ctx)
      Fire
    } else Continue

  private def setNext(from: Long, window: Window, ctx: TriggerContext): Unit = {
    val next = multiples.next(from, window)
    ctx.setNumber(Next, next)
    ctx.registerProcessingTimeTimer(next)
  }

  override private[sparkwindowing] def needsEachElement(allowedLateness: Long): Boolean = false

  override def setsTimers(clock: TimeDomain): Boolean = clock == TimeDomain.ProcessingTime

  override def canMerge: Boolean = true

  override def onMerge(window: Window, ctx: OnMergeContext): Unit =
    Merged.least(Next, ctx).foreach { least =>
      // A session that an element ends gets shorter.
      val next = math.min(least, window.maxTimestamp)
      ctx.setNumber(Next, next)
      ctx.registerProcessingTimeTimer(next)
    }

  // The next firing is at least an interval after the one that another trigger caused.
  override def restart(window: Window, ctx: TriggerContext): Unit = if (ctx.hasNumber(Next)) {
    val next = ctx.number(Next)
    val anew = multiples.restarted(next, ctx.currentProcessingTime, window)
    if (anew != next) {
      ctx.deleteProcessingTimeTimer(next)
      ctx.setNumber(Next, anew)
      ctx.registerProcessingTimeTimer(anew)
    }
  }

  def clear(window: Window, ctx: TriggerContext): Unit = if (ctx.hasNumber(Next)) {
    ctx.deleteProcessingTimeTimer(ctx.number(Next))
    ctx.clearNumber(Next)
  }

  override def spec: Spec =
    PartSpec("ContinuousProcessingTimeTrigger", Seq("interval" -> Spec.Duration(interval)(mayGrow = true)))
}

object ContinuousProcessingTimeTrigger {

  /** Position of the time of the next firing. */
  private val Next = 0

  /** @param interval
    *   processing time from one firing to the next, positive
    * @throws java.lang.IllegalArgumentException
    *   if it is not positive
    */
  def of(interval: Duration): ContinuousProcessingTimeTrigger =
    new ContinuousProcessingTimeTrigger(Millis.positive("ContinuousProcessingTimeTrigger: interval", interval))
}
