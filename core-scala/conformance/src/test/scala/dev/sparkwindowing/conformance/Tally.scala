package dev.sparkwindowing.conformance

/** Counts of events in cases, to check that the cases are not empty.
  *
  * @param leftOut
  *   cases that ended early, for a reason of [[LeftOut]]
  */
final case class Tally(
    events: Int = 0,
    firings: Int = 0,
    late: Long = 0,
    cleared: Int = 0,
    joins: Int = 0,
    restores: Int = 0,
    failures: Int = 0,
    refusals: Int = 0,
    leftOut: Int = 0
) {

  /** With an event and what Flink answered. */
  def add(event: Event, answer: Answer): Tally = copy(
    events = events + 1,
    firings = firings + answer.firings.size,
    late = late + answer.late.size + answer.dropped,
    cleared = cleared + answer.cleared.size,
    restores = restores + (if (event == Event.Restore) 1 else 0),
    failures = failures + answer.failure.size
  )

  def +(other: Tally): Tally = Tally(
    events + other.events,
    firings + other.firings,
    late + other.late,
    cleared + other.cleared,
    joins + other.joins,
    restores + other.restores,
    failures + other.failures,
    refusals + other.refusals,
    leftOut + other.leftOut
  )

  override def toString: String =
    s"$events events, $firings firings, $late late elements, $cleared clean-ups seen, $joins joined sessions, " +
      s"$restores restores, $failures failures in both, $refusals setups refused by both, $leftOut cases cut short"
}
