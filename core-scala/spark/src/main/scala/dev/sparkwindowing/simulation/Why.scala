package dev.sparkwindowing.simulation

import dev.sparkwindowing.windows.Window

/** Answer why a row or a window is in the results, or not. Its text is `toString`.
  *
  * @param time
  *   the event time of the row in milliseconds; None if it has none, and for a window
  * @param watermark
  *   that at which the row came, in milliseconds; None before the first, and for a window
  * @param late
  *   why no window took the row: "late" or "no event time"; None if one did
  * @param lateBy
  *   milliseconds from the event time to the watermark, where the row was late
  * @param windows
  *   the windows of the row, or the window that was asked for
  */
final class Why private[simulation] (
    val time: Option[Long],
    val watermark: Option[Long],
    val late: Option[String],
    val lateBy: Option[Long],
    val windows: Seq[Why.OfWindow],
    text: String
) {
  override def toString: String = text
}

object Why {

  /** Fate of a window.
    *
    * @param state
    *   "missed": it was cleaned up before the row came; "open"; "cleared"; "none": no row has been in it; of a
    *   checkpoint "unknown"
    * @param firings
    *   those since the row came
    * @param waitsFor
    *   what an open window waits for; None if it is not open
    */
  final case class OfWindow(window: Window, state: String, firings: Seq[Firing], waitsFor: Option[String])

  /** A firing of a window.
    *
    * @param timing
    *   "early", "on_time" or "late"
    * @param isCertain
    *   false if a trigger may have purged the row before, an evictor may have removed it, or another session may have
    *   it
    */
  final case class Firing(step: Int, timing: String, isCertain: Boolean)
}
