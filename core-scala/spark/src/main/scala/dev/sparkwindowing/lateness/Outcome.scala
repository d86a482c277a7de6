package dev.sparkwindowing.lateness

/** Figures of a variant of a declaration, replayed on rows in the order in which they came.
  *
  * @param delay
  *   of the watermark, milliseconds
  * @param rows
  *   all rows whose arrival is known
  * @param lost
  *   those that were late for all of their windows
  * @param untimed
  *   those without an event time
  * @param windows
  *   windows that fired
  * @param revised
  *   those that fired more than once
  * @param revisions
  *   firings behind the first of their window
  * @param first
  *   from the end of a window to its first firing; None if no window fired, or arrivals are numbers
  * @param last
  *   the same to its last firing
  * @param stateBytes
  *   bytes of the states of all keys together at the micro-batch that had the most
  */
final case class Outcome(
    delay: Long,
    rows: Long,
    lost: Long,
    untimed: Long,
    windows: Long,
    revised: Long,
    revisions: Long,
    first: Option[Outcome.Waits],
    last: Option[Outcome.Waits],
    stateBytes: Long
)

object Outcome {

  /** Milliseconds that windows wait: half of them and 99 of 100 no longer than this, approximate to a thousandth of the
    * windows. Negative before the end of a window.
    */
  final case class Waits(p50: Long, p99: Long)
}
