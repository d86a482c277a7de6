package dev.sparkwindowing.triggers

import dev.sparkwindowing.declaration.{PartSpec, Spec}
import dev.sparkwindowing.functions.TimeDomain
import dev.sparkwindowing.triggers.TriggerResult.{Continue, Fire}
import dev.sparkwindowing.windows.{Millis, Window}

import java.time.Duration

/** Fires at each multiple of the interval in event time and at the end of the window, then for each late element.
  *
  * The first multiple is the one after the window's first element. Every multiple that the watermark passes fires. If
  * the watermark passes more than a million of one window at once, only the first one fires, unless it is the final
  * watermark. A session that grows still fires at its old end and continues from there. Build it with
  * [[ContinuousEventTimeTrigger.of]].
  */
final case class ContinuousEventTimeTrigger private (interval: Long) extends Trigger[Any] {
  import ContinuousEventTimeTrigger.Next

  private val multiples = new Multiples(interval)

  override def memory: TriggerMemory = TriggerMemory.time("next_firing")

  def onElement(element: Any, timestamp: Long, window: Window, ctx: TriggerContext): TriggerResult =
    if (window.maxTimestamp <= ctx.currentWatermark) Fire
    else {
      ctx.registerEventTimeTimer(window.maxTimestamp)
      // Rounded towards zero, as in Flink.
      if (!ctx.hasNumber(Next)) setNext(timestamp - timestamp % interval, window, ctx)
      Continue
    }

  def onEventTime(time: Long, window: Window, ctx: TriggerContext): TriggerResult =
    if (time == window.maxTimestamp) Fire
    else if (ctx.hasNumber(Next) && ctx.number(Next) == time) {
      val watermark = ctx.currentWatermark
      setNext(if (watermark == Long.MaxValue) time else multiples.reached(time, watermark, window, ctx), window, ctx)
      Fire
    } else Continue

  def onProcessingTime(time: Long, window: Window, ctx: TriggerContext): TriggerResult = Continue

  private def setNext(from: Long, window: Window, ctx: TriggerContext): Unit = {
    val next = multiples.next(from, window)
    ctx.setNumber(Next, next)
    ctx.registerEventTimeTimer(next)
  }

  override def setsTimers(clock: TimeDomain): Boolean = clock == TimeDomain.EventTime

  override def canMerge: Boolean = true

  override def onMerge(window: Window, ctx: OnMergeContext): Unit =
    Merged.least(Next, ctx).foreach { least =>
      // A session that an element ends gets shorter; nothing comes after its end.
      val next = math.min(least, window.maxTimestamp)
      if (next == least || next > ctx.currentWatermark) {
        ctx.setNumber(Next, next)
        ctx.registerEventTimeTimer(next)
      }
    }

  override def firesToEndOfTime: Boolean = true

  // The next firing is at least an interval after the one that another trigger caused.
  override def restart(window: Window, ctx: TriggerContext): Unit = if (ctx.hasNumber(Next)) {
    val next = ctx.number(Next)
    val anew = multiples.restarted(next, ctx.currentWatermark, window)
    if (anew != next) {
      ctx.deleteEventTimeTimer(next)
      ctx.setNumber(Next, anew)
      ctx.registerEventTimeTimer(anew)
    }
  }

  def clear(window: Window, ctx: TriggerContext): Unit = if (ctx.hasNumber(Next)) {
    ctx.deleteEventTimeTimer(ctx.number(Next))
    ctx.clearNumber(Next)
  }

  override def spec: Spec =
    PartSpec("ContinuousEventTimeTrigger", Seq("interval" -> Spec.Duration(interval)(mayGrow = true)))
}

object ContinuousEventTimeTrigger {

  /** Position of the time of the next firing. */
  private val Next = 0

  /** @param interval
    *   event time from one firing to the next, positive
    * @throws java.lang.IllegalArgumentException
    *   if it is not positive
    */
  def of(interval: Duration): ContinuousEventTimeTrigger =
    new ContinuousEventTimeTrigger(Millis.positive("ContinuousEventTimeTrigger: interval", interval))
}
