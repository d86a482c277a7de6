package dev.sparkwindowing.simulation

import dev.sparkwindowing.functions.TimeDomain
import dev.sparkwindowing.operator.KeyedPlan
import dev.sparkwindowing.windows.{Millis, Window}

/** What an open window waits for.
  *
  * @param watermark
  *   `Long.MinValue` before the first
  * @param held
  *   what the watermark waits for, if that is known
  */
private[simulation] final class WhyWaits(
    plan: KeyedPlan.Windowed[_],
    watermark: Long,
    held: Option[String],
    text: WhyText
) {

  /** The watermark at which a window is cleaned up, `Long.MaxValue` for never. */
  def cleanup(window: Window): Long =
    if (plan.clock.isEmpty) Long.MaxValue else Millis.cleanupOf(window.maxTimestamp, plan.allowedLateness)

  /** Whether a window is cleaned up. */
  def isOver(window: Window): Boolean = plan.isEventTime && cleanup(window) <= watermark

  /** @param timer its next timer of processing time in milliseconds */
  def of(window: Window, timer: Option[Long]): String = {
    val byEnd = plan.isEventTime && plan.trigger.setsTimers(TimeDomain.EventTime)
    val first =
      if (byEnd && window.maxTimestamp > watermark) s"the watermark to reach ${reached(window.maxTimestamp)}"
      else if (byEnd && cleanup(window) > watermark)
        s"late rows, until the watermark reaches ${reached(cleanup(window))}"
      else if (byEnd) "the next micro-batch: the watermark has passed its end"
      else if (plan.isEventTime)
        s"its trigger, ${plan.trigger}; it is cleaned up when the watermark reaches ${reached(cleanup(window))}"
      else s"its trigger, ${plan.trigger}"
    first + timer.fold("")(t => s"; its next timer of processing time is ${text.time(t)}")
  }

  private[this] def reached(goal: Long): String =
    s"${text.time(goal)}: ${now(goal)}${held.fold("")(h => s", held back by $h")}"

  private[this] def now(goal: Long): String =
    if (watermark == Long.MinValue) "there is none yet"
    else if (goal <= watermark) s"it is ${text.time(watermark)}"
    else s"it is ${text.time(watermark)}, ${Millis.show(goal - watermark)} before"
}
