package dev.sparkwindowing.conformance

/** A window that fired; the global window has the bounds `Long.MinValue`.
  *
  * @param timer
  *   the time of the timer that made it fire, [[Firing.NoTimer]] if an element did
  */
final case class Firing(key: String, start: Long, end: Long, timestamp: Long, timer: Long, values: Seq[Long])

object Firing {
  val NoTimer: Long = Long.MinValue
}

final case class LateElement(key: String, value: Long, timestamp: Long)

/** All that an operator let out because of one event.
  *
  * @param dropped
  *   late elements that were only counted
  * @param cleared
  *   bounds of the windows that the function was told to clear
  * @param failure
  *   what it threw; nothing else counts then
  */
final case class Answer(
    firings: Seq[Firing],
    late: Seq[LateElement],
    dropped: Long,
    cleared: Seq[(Long, Long)],
    eventTimers: Int,
    processingTimers: Int,
    failure: Option[Throwable]
)

object Answer {
  def failed(failure: Throwable): Answer = Answer(Nil, Nil, 0, Nil, 0, 0, Some(failure))
}

/** One of the two operators under the same events. */
trait Side {
  def take(event: Event): Answer
  def close(): Unit
}
