package dev.sparkwindowing.simulation

import dev.sparkwindowing.functions.TimeDomain
import dev.sparkwindowing.operator.KeyedPlan
import dev.sparkwindowing.state.WindowView
import dev.sparkwindowing.triggers.MicroBatchTrigger
import dev.sparkwindowing.windows.{Millis, Window}

/** Condition that an open window waits for.
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

  /** Whether a window is cleaned up by now. */
  def isOver(window: Window): Boolean = plan.isEventTime && cleanup(window) <= watermark

  /** @param view the state of the window, None if that is not of windows */
  def of(window: Window, view: Option[WindowView]): String =
    of(window, view.flatMap(_.eventTimers.headOption), view.flatMap(_.processingTimers.headOption))

  /** @param timer
    *   its next timer of event time in milliseconds
    * @param processingTimer
    *   of processing time
    */
  def of(window: Window, timer: Option[Long], processingTimer: Option[Long]): String = {
    val end    = window.maxTimestamp
    val byTime = plan.isEventTime && plan.trigger.setsTimers(TimeDomain.EventTime)
    val first  = plan.trigger match {
      case trigger: MicroBatchTrigger => s"its next row, which fires it by $trigger${thenOver(window)}"
      case _ if byTime && timer.exists(t => t < end && t > watermark) => s"the watermark to reach ${reached(timer.get)}"
      case _ if byTime && end > watermark                             => s"the watermark to reach ${reached(end)}"
      case _ if byTime && cleanup(window) > watermark                 =>
        s"late rows, until the watermark reaches ${reached(cleanup(window))}"
      case _ if byTime => "the next micro-batch: the watermark has passed its end"
      case trigger     => s"its trigger, $trigger${thenOver(window)}"
    }
    first + processingTimer.fold("")(t => s"; its next timer of processing time is ${text.time(t)}")
  }

  private[this] def thenOver(window: Window): String =
    if (plan.isEventTime) s"; it is cleaned up when the watermark reaches ${reached(cleanup(window))}" else ""

  private[this] def reached(goal: Long): String =
    s"${text.time(goal)}: ${now(goal)}${held.fold("")(h => s", held back by $h")}"

  private[this] def now(goal: Long): String =
    if (watermark == Long.MinValue) "there is none yet"
    else if (goal <= watermark) s"it is ${text.time(watermark)}"
    else s"it is ${text.time(watermark)}, ${Millis.show(goal - watermark)} before"
}
