package dev.sparkwindowing.triggers

import dev.sparkwindowing.declaration.Spec
import dev.sparkwindowing.functions.TimeDomain
import dev.sparkwindowing.triggers.TriggerResult.{Continue, Fire}
import dev.sparkwindowing.windows.Window

import scala.annotation.unchecked.uncheckedVariance

/** [[AfterWatermark]] with a trigger for early or late firings: fires when the watermark passes the end of the window,
  * before that when `early` fires, and after it when `late` does.
  *
  * An element is shown to the trigger of its phase only. The firing on time clears both. Elements that no firing has
  * shown fire at the clean-up of the window.
  */
final case class EarlyAndLate[-E] private[triggers] (
    early: Option[FiringInterval[E]],
    late: Option[FiringInterval[E]]
) extends CompositeTrigger[E](
      (early ++ late).map(EarlyAndLate.trigger[E](_)).toIndexedSeq,
      (early.map(_ => "early") ++ late.map(_ => "late")).toIndexedSeq,
      TriggerMemory.number("pending")
    ) {
  import EarlyAndLate.Pending

  private def isOver(window: Window, ctx: TriggerContext): Boolean = window.maxTimestamp <= ctx.currentWatermark

  // The trigger of the phase that the window is in.
  private def current(window: Window, ctx: TriggerContext): Option[Int] =
    if (isOver(window, ctx)) late.map(_ => nested.size - 1) else early.map(_ => 0)

  def onElement(element: E, timestamp: Long, window: Window, ctx: TriggerContext): TriggerResult = {
    val over = isOver(window, ctx)
    own(ctx).setNumber(Pending, 1)
    if (!over) own(ctx).registerEventTimeTimer(window.maxTimestamp)
    shown(
      current(window, ctx) match {
        case Some(i) => nested(i).onElement(element, timestamp, window, view(i, ctx))
        case None    => if (over) Fire else Continue
      },
      ctx
    )
  }

  def onEventTime(time: Long, window: Window, ctx: TriggerContext): TriggerResult = {
    val owners = takeOwners(eventTime = true, time, ctx)
    if (owners.contains(nested.size)) {
      nested.indices.foreach(i => nested(i).clear(window, view(i, ctx)))
      shown(Fire, ctx)
    } else {
      val answer = ask(owners)(i => nested(i).onEventTime(time, window, view(i, ctx)))
      if (ctx.isCleanup(eventTime = true, time) && own(ctx).hasNumber(Pending)) shown(Fire, ctx) else shown(answer, ctx)
    }
  }

  def onProcessingTime(time: Long, window: Window, ctx: TriggerContext): TriggerResult =
    shown(
      ask(takeOwners(eventTime = false, time, ctx))(i => nested(i).onProcessingTime(time, window, view(i, ctx))),
      ctx
    )

  override def onMicroBatch(window: Window, ctx: TriggerContext): TriggerResult =
    shown(ask(current(window, ctx))(i => nested(i).onMicroBatch(window, view(i, ctx))), ctx)

  private def ask(which: Iterable[Int])(call: Int => TriggerResult): TriggerResult =
    which.map(call).foldLeft[TriggerResult](Continue)(TriggerResult.both)

  private def shown(answer: TriggerResult, ctx: TriggerContext): TriggerResult = {
    if (answer.isFire) own(ctx).clearNumber(Pending)
    answer
  }

  override private[sparkwindowing] def needsEachElement(allowedLateness: Long): Boolean =
    super.needsEachElement(allowedLateness) || (late.isEmpty && allowedLateness > 0)

  override def onMerge(window: Window, ctx: OnMergeContext): Unit = {
    super.onMerge(window, ctx)
    val memory = mergeView(nested.size, ctx)
    if (MergedNumbers.any(Pending, memory)) memory.setNumber(Pending, 1)
    if (!isOver(window, ctx)) memory.registerEventTimeTimer(window.maxTimestamp)
  }

  override def setsTimers(clock: TimeDomain): Boolean = clock == TimeDomain.EventTime || super.setsTimers(clock)

  override def restart(window: Window, ctx: TriggerContext): Unit = {
    super.restart(window, ctx)
    own(ctx).clearNumber(Pending)
  }

  override def clear(window: Window, ctx: TriggerContext): Unit = {
    own(ctx).clearNumber(Pending)
    own(ctx).deleteEventTimeTimer(window.maxTimestamp)
    super.clear(window, ctx)
  }

  override def withNested(nested: Seq[Trigger[E @uncheckedVariance]]): Trigger[E] = {
    def replaced(interval: Option[FiringInterval[E]], by: => Trigger[E]): Option[FiringInterval[E]] = interval.map {
      case FiringInterval.By(_) => FiringInterval.By(by)
      case other                => other
    }
    new EarlyAndLate(replaced(early, nested.head), replaced(late, nested.last))
  }

  override def spec: Spec = AfterWatermark.spec(early, late)
}

private object EarlyAndLate {

  /** Set while elements have arrived that no firing has shown. */
  private val Pending = 0

  private def both(interval: FiringInterval[Any]) = new AfterWatermark(Some(interval), Some(interval))

  // An interval fires as in a trigger that has it for both phases.
  private def trigger[E](interval: FiringInterval[E]): Trigger[E] = interval match {
    case FiringInterval.By(trigger)  => trigger
    case every: FiringInterval.Every => both(every)
    case FiringInterval.MicroBatch   => both(FiringInterval.MicroBatch)
  }
}
