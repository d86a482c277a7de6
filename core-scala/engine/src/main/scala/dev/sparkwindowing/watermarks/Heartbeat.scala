package dev.sparkwindowing.watermarks

import dev.sparkwindowing.windows.Millis

import java.time.Duration

/** Decides when a stream without rows gets a micro-batch for timers of processing time.
  *
  * @param every
  *   milliseconds between two, positive
  */
final class Heartbeat(every: Long) {
  private[this] var started: Option[Long] = None

  /** @param last
    *   processing time of the last one, also of an earlier run; None before the first, which comes `every` after the
    *   first call
    * @return
    *   whether the next one is due; also if processing time has gone back by `every`
    */
  def isDue(last: Option[Long], now: Long): Boolean = {
    if (started.isEmpty) started = Some(now)
    (last ++ started).headOption.exists(from => math.abs(now - from) >= every)
  }
}

object Heartbeat {

  /** The milliseconds between two micro-batches.
    *
    * @throws java.lang.IllegalArgumentException
    *   if not positive
    */
  def check(every: Duration): Long = Millis.positive("every", every)
}
