package dev.sparkwindowing.watermarks

/** Decides how far the watermark of an input of a stream rises while the input has no rows.
  *
  * The input is polled. A poll does not know what it finds itself, so it reports what the previous poll found. The
  * input is quiet from the first of successive polls that found nothing up to the last one that is known to have found
  * nothing. When that is at least the timeout, the watermark rises with processing time, counted from the start of the
  * quiet time.
  *
  * All times are milliseconds; watermarks are Spark's, the first time that may still come.
  *
  * @param timeout
  *   positive
  * @param delay
  *   the out-of-orderness of the watermark
  * @param boundedByClock
  *   whether the watermark stays behind processing time by the timeout and the delay
  */
final class QuietInput(timeout: Long, delay: Long, boundedByClock: Boolean) {
  private[this] var lastPoll: Option[Long]   = None
  private[this] var quietSince: Option[Long] = None
  // The greatest watermark of this quiet time, relative to the processing time at which it was seen.
  private[this] var lead: Option[Long] = None
  private[this] var raised             = 0L
  private[this] var idle               = false

  /** True if the quiet time has reached the timeout. */
  def isIdle: Boolean = idle

  /** A poll.
    *
    * @param now
    *   processing time; if it goes back, the quiet time starts anew
    * @param foundNothing
    *   whether the poll before this one found nothing; ignored at the first
    * @param watermark
    *   the watermark at the poll before this one; None before the first
    * @param others
    *   the least watermark of the other inputs, which a quiet input does not hold back; None if there are none, or one
    *   of them has none
    * @return
    *   the watermark to rise to; None if it would not rise by [[step]]
    */
  def poll(now: Long, foundNothing: Boolean, watermark: Option[Long], others: Option[Long]): Option[Long] = {
    val quietUntil = lastPoll.filter(last => foundNothing && last <= now)
    lastPoll = Some(now)
    quietUntil match {
      case None =>
        quietSince = None
        lead = None
        idle = false
        None
      case Some(until) =>
        val since = quietSince.getOrElse(until)
        quietSince = Some(since)
        lead = (lead ++ watermark.map(_ - until)).reduceOption(_ max _)
        idle = until - since >= timeout
        if (!idle) None
        else target(until, others).filter(_ - math.max(raised, watermark.getOrElse(0L)) >= step).map(rise)
    }
  }

  /** Smallest rise: a tenth of the timeout, from 100 milliseconds to 10 seconds. */
  def step: Long = math.min(math.max(timeout / 10, 100L), 10000L)

  private[this] def target(until: Long, others: Option[Long]): Option[Long] = {
    val free = (lead.map(_ + until) ++ others).reduceOption(_ max _)
    if (boundedByClock) free.map(math.min(_, until - timeout - delay)) else free
  }

  private[this] def rise(to: Long): Long = {
    raised = to
    to
  }
}
