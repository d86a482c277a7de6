package dev.sparkwindowing.operator

import dev.sparkwindowing.windows.WindowCollector

/** Information on one firing of a window.
  *
  * An operator has one object, which it sets before each firing. All but `isRepeat` and `isLast` is stored with the
  * window, and set only if the specification asks for it ([[WindowSpec.withPanes]]).
  */
final class PaneInfo {

  /** Early before the window's end, on time for the first firing from then on, late for every further one. Always on
    * time for windows that do not end in event time: the global window and processing-time windows.
    */
  var timing: PaneTiming = PaneTiming.OnTime

  /** Number of earlier firings of the window; a merged session counts those of its parts. */
  var number: Long = 0

  /** True if the timer that fired the window also cleans it up. */
  var isLast: Boolean = false

  /** The sessions that had fired and were merged into this one since its last firing with other contents; null if there
    * is none.
    */
  var replaced: WindowCollector = _

  /** True if the window fired before in this step and its contents have not changed since. */
  var isRepeat: Boolean = false
}

sealed abstract class PaneTiming(val name: String) extends Product with Serializable

object PaneTiming {

  /** The timing of a firing.
    *
    * @param maxTimestamp
    *   the last millisecond of the window
    * @param hasFiredOnTime
    *   whether the window has fired at or after its end before
    */
  def of(isEventTime: Boolean, maxTimestamp: Long, watermark: Long, hasFiredOnTime: Boolean): PaneTiming =
    if (!isEventTime) OnTime
    else if (maxTimestamp > watermark) Early
    else if (hasFiredOnTime) Late
    else OnTime

  case object Early  extends PaneTiming("early")
  case object OnTime extends PaneTiming("on_time")
  case object Late   extends PaneTiming("late")
}
