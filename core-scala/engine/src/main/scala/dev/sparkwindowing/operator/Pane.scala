package dev.sparkwindowing.operator

import dev.sparkwindowing.assigners.WindowCollector

/** Which firing of its window a result is.
  *
  * One object an operator, filled anew for each firing. All but `isRepeat` and `isLast` is remembered with the window,
  * and known only if the specification asks for it ([[WindowSpec.withPanes]]).
  */
final class Pane {

  /** Before the window's end, the first at or behind it, or one after that. Always on time for windows that the
    * watermark does not end: the global one and those of the clock.
    */
  var timing: PaneTiming = PaneTiming.OnTime

  /** The number of earlier firings of the window; a merged session counts those of the sessions in it. */
  var index: Long = 0

  /** Whether the window is cleaned up by the timer that fired it. */
  var isLast: Boolean = false

  /** The sessions that have themselves fired and became part of this one since its last firing with other contents;
    * null if there is none.
    */
  var replaced: WindowCollector = _

  /** Whether the window fired before in this step and its contents are the same still. */
  var isRepeat: Boolean = false
}

sealed abstract class PaneTiming(val name: String) extends Product with Serializable

object PaneTiming {
  case object Early  extends PaneTiming("early")
  case object OnTime extends PaneTiming("on_time")
  case object Late   extends PaneTiming("late")
}
