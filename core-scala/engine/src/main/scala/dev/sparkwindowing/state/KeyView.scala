package dev.sparkwindowing.state

/** Read-only view of a key's state: windows and slices by (start, end).
  *
  * @param own
  *   state of the key itself and timers that belong to no window; None if there are none
  */
final case class KeyView(windows: Seq[WindowView], own: Option[OwnView])

/** Read-only view of a window's state, in which values of the trigger, contents and function state are bytes.
  *
  * @param numbers
  *   the trigger's numbers that are set
  * @param values
  *   the trigger's values that are set
  * @param contents
  *   None if there are none, or they were purged
  * @param firings
  *   number of firings so far if panes are recorded, else 0
  * @param eventTimers
  *   in order, milliseconds; `Long.MaxValue` is never due
  * @param state
  *   function state, by name
  * @param elements
  *   number of elements of a timestamp of over windows, else None
  * @param section
  *   number of the section that it is in, where a key has sections
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
    state: Map[String, StateView],
    elements: Option[Long] = None,
    section: Option[Int] = None
)

/** State of the key itself: function state by name, timers in order. */
final case class OwnView(state: Map[String, StateView], eventTimers: Seq[Long], processingTimers: Seq[Long])

/** Read-only view of a value of function state.
  *
  * @param bytes
  *   number of all its bytes
  * @param piece
  *   number of the piece that it is, if it is one
  */
final class StateView private[state] (val bytes: Long, val piece: Option[Long], read: () => Array[Byte]) {

  private[state] def withPiece(other: Option[Long]): StateView = new StateView(bytes, other, read)

  /** The value; of a list or map that is in pieces what is in none. It can be read until the next view is made.
    *
    * @throws dev.sparkwindowing.codec.CorruptBlockException
    *   if it is a piece that is not there, or another one
    */
  def value: Array[Byte] = read()
}
