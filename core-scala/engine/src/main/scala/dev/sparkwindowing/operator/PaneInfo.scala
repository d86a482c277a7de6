package dev.sparkwindowing.operator

import dev.sparkwindowing.windows.WindowCollector

/** Information on one firing of a window.
  *
  * An operator has one object, which it sets before each firing. `number`, `hasFired` and `replaced` are stored with
  * the window, and set only if the rules ask for it ([[OperatorRules.withPanes]]).
  */
final class PaneInfo {

  /** Early before the window's end, on time at the timer of the end, late for every other firing from then on. Always
    * on time for windows that do not end in event time: the global window and processing-time windows.
    */
  var timing: PaneTiming = PaneTiming.OnTime

  /** Number of earlier firings of the window; a merged session counts those of its parts. */
  var number: Long = 0

  /** True if the timer that fired the window also cleans it up. */
  var isLast: Boolean = false

  /** The sessions that had fired and were merged into this one since its last firing with other contents, the same in
    * all firings with equal contents; null if there is none.
    */
  var replaced: WindowCollector = _

  /** True if the window fired before, not only a session that was merged into it. */
  var hasFired: Boolean = false

  /** True if an earlier firing had the same `replaced`. */
  var isReplacedShown: Boolean = false

  /** True if the window fired before in this step and its contents have not changed since. */
  var isRepeat: Boolean = false

  /** True if the window has no elements, and fires since an earlier one had some ([[EmptyWindows]]). */
  var isEmpty: Boolean = false

  /** The information as it is now, which the next firing leaves as it is. */
  def kept: PaneInfo = {
    val one = new PaneInfo
    one.timing = timing
    one.number = number
    one.isLast = isLast
    one.hasFired = hasFired
    one.isReplacedShown = isReplacedShown
    one.isRepeat = isRepeat
    one.isEmpty = isEmpty
    if (replaced != null) {
      one.replaced = new WindowCollector
      replaced.foreach(one.replaced.add)
    }
    one
  }
}

sealed abstract class PaneTiming(val name: String) extends Product with Serializable

object PaneTiming {

  /** `timer` of [[of]] for a firing that no event-time timer causes. */
  val NoTimer: Long = Long.MinValue

  /** The timing of a firing.
    *
    * @param maxTimestamp
    *   the last millisecond of the window
    * @param risenFrom
    *   the watermark before its last rise
    * @param timer
    *   time of the event-time timer that fires the window. It counts as the watermark of that moment, unless it was set
    *   behind the watermark
    */
  def of(isEventTime: Boolean, maxTimestamp: Long, watermark: Long, risenFrom: Long, timer: Long): PaneTiming = {
    val now = if (timer == NoTimer) watermark else math.max(timer, risenFrom)
    if (!isEventTime) OnTime
    else if (maxTimestamp > now) Early
    else if (timer == maxTimestamp && timer > risenFrom) OnTime
    else Late
  }

  case object Early  extends PaneTiming("early")
  case object OnTime extends PaneTiming("on_time")
  case object Late   extends PaneTiming("late")
}
