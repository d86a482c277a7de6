package dev.sparkwindowing.state

/** What is remembered of one key, to be looked at: windows and slices by (start, end).
  *
  * @param own
  *   the key's own state and the timers that belong to no window; None if there are none
  */
final case class KeyView(windows: Seq[WindowView], own: Option[OwnView])

/** What is remembered of one window; what the trigger, the contents and the functions wrote are bytes here.
  *
  * @param numbers
  *   the trigger's, those that are set
  * @param values
  *   the trigger's, those that are set
  * @param contents
  *   None if there are none, or they were purged
  * @param firings
  *   so far, where panes are remembered; else 0
  * @param eventTimers
  *   in order, milliseconds; `Long.MaxValue` never comes due
  * @param state
  *   of functions, by name
  */
final case class WindowView(
    start: Long,
    end: Long,
    numbers: Map[Int, Long],
    values: Map[Int, Array[Byte]],
    contents: Option[Array[Byte]],
    firings: Long,
    eventTimers: Seq[Long],
    processingTimers: Seq[Long],
    state: Map[String, Array[Byte]]
)

/** What is remembered of a key itself: state of functions by name, timers in order. */
final case class OwnView(state: Map[String, Array[Byte]], eventTimers: Seq[Long], processingTimers: Seq[Long])
