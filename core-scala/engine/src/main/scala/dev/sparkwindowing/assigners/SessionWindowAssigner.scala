package dev.sparkwindowing.assigners

import java.time.Duration

/** Assigner of sessions, which can be given a greatest length and elements that end a session. */
trait SessionWindowAssigner[-E] extends MergingWindowAssigner[E] {

  /** The gap in milliseconds; None if it differs between elements. */
  private[assigners] def fixedGap: Option[Long] = None

  /** Sessions no longer than `maxLength`, from their start to their end. An element that does not fit begins a session.
    *
    * @throws java.lang.IllegalArgumentException
    *   if it is not positive, or shorter than the gap
    */
  def withMaxLength(maxLength: Duration): LimitedSessionWindows[E] =
    LimitedSessionWindows.of(this).withMaxLength(maxLength)

  /** Sessions that an element can end: their end is 1 ms after it, and later elements begin another session. */
  def endsAt[F <: E](end: SessionEnd[F]): LimitedSessionWindows[F] = LimitedSessionWindows.of[F](this).endsAt(end)
}
