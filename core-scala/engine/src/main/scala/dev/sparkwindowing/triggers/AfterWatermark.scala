package dev.sparkwindowing.triggers

import dev.sparkwindowing.declaration.{Forgettable, PartSpec, Spec}
import dev.sparkwindowing.functions.TimeDomain
import dev.sparkwindowing.triggers.TriggerResult.{Continue, Fire}
import dev.sparkwindowing.windows.{Millis, Window}

/** Fires when the watermark passes the end of the window. It can also fire early, while there are new elements, and
  * late: at intervals of processing time or by micro-batches, or for each late element. It suits dashboards.
  * [[EarlyAndLate]] does the same with other triggers.
  *
  * No element is lost: pending elements fire at the end of the window or at its clean-up. A window without new elements
  * sets no timer. Build it with [[AfterWatermark.of]].
  *
  * @param early
  *   None for no early firings
  * @param late
  *   None for one firing per late element
  */
final case class AfterWatermark private[triggers] (
    early: Option[FiringInterval[Any]],
    late: Option[FiringInterval[Any]]
) extends Trigger[Any] {
  import AfterWatermark.{Pending, ProcessingTimer}

  override def memory: TriggerMemory = TriggerMemory.number("pending") ++ TriggerMemory.time("processing_timer")

  def onElement(element: Any, timestamp: Long, window: Window, ctx: TriggerContext): TriggerResult = {
    val isLate = window.maxTimestamp <= ctx.currentWatermark
    if (!isLate) ctx.registerEventTimeTimer(window.maxTimestamp)
    if (isLate && late.isEmpty) {
      ctx.clearNumber(Pending)
      Fire
    } else {
      ctx.setNumber(Pending, 1)
      startTimer(if (isLate) late else early, ctx)
      Continue
    }
  }

  private def startTimer(interval: Option[FiringInterval[Any]], ctx: TriggerContext): Unit = interval match {
    case Some(every: FiringInterval.Every) if !ctx.hasNumber(ProcessingTimer) =>
      val next = Math.floorDiv(ctx.currentProcessingTime, every.millis) * every.millis + every.millis
      ctx.setNumber(ProcessingTimer, next)
      ctx.registerProcessingTimeTimer(next)
    case _ => ()
  }

  def onEventTime(time: Long, window: Window, ctx: TriggerContext): TriggerResult =
    if (time == window.maxTimestamp) {
      stopTimer(ctx)
      ctx.clearNumber(Pending)
      Fire
    } else firePending(ctx) // the clean-up of the window

  def onProcessingTime(time: Long, window: Window, ctx: TriggerContext): TriggerResult =
    if (ctx.hasNumber(ProcessingTimer) && ctx.number(ProcessingTimer) == time) {
      ctx.clearNumber(ProcessingTimer)
      firePending(ctx)
    } else Continue

  override def firesByMicroBatch: Boolean =
    early.contains(FiringInterval.MicroBatch) || late.contains(FiringInterval.MicroBatch)

  override def onMicroBatch(window: Window, ctx: TriggerContext): TriggerResult = {
    val interval = if (window.maxTimestamp <= ctx.currentWatermark) late else early
    if (interval.contains(FiringInterval.MicroBatch)) firePending(ctx) else Continue
  }

  override private[sparkwindowing] def needsEachElement(allowedLateness: Long): Boolean =
    late.isEmpty && allowedLateness > 0

  private def firePending(ctx: TriggerContext): TriggerResult =
    if (ctx.hasNumber(Pending)) {
      ctx.clearNumber(Pending)
      Fire
    } else Continue

  override def setsTimers(clock: TimeDomain): Boolean = clock match {
    case TimeDomain.EventTime      => true
    case TimeDomain.ProcessingTime => (early ++ late).exists(_.isInstanceOf[FiringInterval.Every])
  }

  override def canMerge: Boolean = true

  // Elements of a window that has not ended may be pending.
  override private[sparkwindowing] def resume(window: Window, mayWait: Boolean, ctx: TriggerContext): Unit =
    if (mayWait || window.maxTimestamp > ctx.currentWatermark) {
      ctx.registerEventTimeTimer(window.maxTimestamp)
      ctx.setNumber(Pending, 1)
      startTimer(early, ctx)
    }

  override def onMerge(window: Window, ctx: OnMergeContext): Unit = {
    if (MergedNumbers.any(Pending, ctx)) ctx.setNumber(Pending, 1)
    MergedNumbers.least(ProcessingTimer, ctx).foreach { time =>
      ctx.setNumber(ProcessingTimer, time)
      ctx.registerProcessingTimeTimer(time)
    }
    if (window.maxTimestamp > ctx.currentWatermark) ctx.registerEventTimeTimer(window.maxTimestamp)
  }

  def clear(window: Window, ctx: TriggerContext): Unit = {
    stopTimer(ctx)
    ctx.clearNumber(Pending)
    ctx.deleteEventTimeTimer(window.maxTimestamp)
  }

  private def stopTimer(ctx: TriggerContext): Unit = if (ctx.hasNumber(ProcessingTimer)) {
    ctx.deleteProcessingTimeTimer(ctx.number(ProcessingTimer))
    ctx.clearNumber(ProcessingTimer)
  }

  // Late elements wait for the clock.
  override def spec: Spec = {
    val mayWait = late.exists(_.isInstanceOf[FiringInterval.Every])
    AfterWatermark.spec(early, late).copy(forgettable = Some(Forgettable(2, mayWait)))
  }
}

object AfterWatermark {

  /** Set while elements have arrived since the last firing. */
  private val Pending = 0

  /** Time of the registered processing-time timer; there is at most one. */
  private val ProcessingTimer = 1

  private[triggers] def spec(early: Option[FiringInterval[_]], late: Option[FiringInterval[_]]): PartSpec = {
    val none = Spec.millis(0)
    PartSpec("AfterWatermark")
      .option("early", early.fold(none)(_.spec), none)
      .option("late", late.fold(none)(_.spec), none)
  }

  /** @param early
    *   when to fire before the end of the window: a `Duration` of processing time, at its multiples,
    *   `FiringInterval.MicroBatch`, or a trigger; null for no such firings
    * @param late
    *   when to fire for late elements; null for one firing per element
    * @throws java.lang.IllegalArgumentException
    *   if a duration is not positive
    */
  def of[E](early: FiringInterval[E] = null, late: FiringInterval[E] = null): Trigger[E] =
    (checked("early", early), checked("late", late)) match {
      case (Plain(before), Plain(after)) => new AfterWatermark(before, after)
      case (before, after)               => new EarlyAndLate(before, after)
    }

  private object Plain {
    def unapply(interval: Option[FiringInterval[_]]): Option[Option[FiringInterval[Any]]] = interval match {
      case None                                        => Some(None)
      case Some(every: FiringInterval.Every)           => Some(Some(every))
      case Some(micro: FiringInterval.MicroBatch.type) => Some(Some(micro))
      case Some(_: FiringInterval.By[_])               => None
    }
  }

  private def checked[E](name: String, interval: FiringInterval[E]): Option[FiringInterval[E]] = {
    interval match {
      case FiringInterval.Every(duration) => Millis.positive(s"AfterWatermark: $name", duration)
      case _                              => ()
    }
    Option(interval)
  }
}
