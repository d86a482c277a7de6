package dev.sparkwindowing.watermarks

import dev.sparkwindowing.windows.Millis

import java.time.Duration

/** Marks an input idle that has had no element for a timeout; otherwise delegates to `generator`.
  *
  * The first probe without an element since the previous probe starts the count. The input is idle at a probe *more*
  * than the timeout later, if no element has come since. The generator of an idle input is not probed. Build it with
  * [[Idleness.of]].
  *
  * @param clock
  *   processing time in milliseconds
  */
final class Idleness[-E] private (generator: WatermarkGenerator[E], timeout: Long, clock: () => Long)
    extends WatermarkGenerator[E] {
  private[this] var hasActivity              = false
  private[this] var quietSince: Option[Long] = None

  def onEvent(element: E, timestamp: Long, out: WatermarkOutput): Unit = {
    generator.onEvent(element, timestamp, out)
    hasActivity = true
  }

  def onPeriodicEmit(out: WatermarkOutput): Unit = if (isQuiet) out.markIdle() else generator.onPeriodicEmit(out)

  private[this] def isQuiet: Boolean =
    if (hasActivity) {
      hasActivity = false
      quietSince = None
      false
    } else
      quietSince match {
        case Some(start) => clock() - start > timeout
        case None        =>
          quietSince = Some(clock())
          false
      }

  override def toString: String = s"$generator, idle after ${Millis.show(timeout)}"
}

object Idleness {

  /** @throws java.lang.IllegalArgumentException if the timeout is not positive */
  def of[E](generator: WatermarkGenerator[E], timeout: Duration, clock: () => Long): Idleness[E] =
    new Idleness(generator, check(timeout), clock)

  /** The milliseconds of an idle timeout.
    *
    * @throws java.lang.IllegalArgumentException
    *   if it is not positive
    */
  def check(timeout: Duration): Long = Millis.positive("idle timeout", timeout)
}
