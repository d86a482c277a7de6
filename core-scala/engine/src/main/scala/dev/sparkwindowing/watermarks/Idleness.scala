package dev.sparkwindowing.watermarks

import dev.sparkwindowing.windows.Millis

import java.time.Duration

/** Marks an input idle that has been quiet for long, else does as `generator` does.
  *
  * The first probe without an element since the probe before starts the count; the input is idle at a probe *more* than
  * the timeout later, if still nothing has come. An idle input's generator is not probed. Build it with
  * [[Idleness.of]].
  *
  * @param clock
  *   the time in milliseconds
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

  /** @param timeout
    *   positive
    * @throws java.lang.IllegalArgumentException
    *   if not
    */
  def of[E](generator: WatermarkGenerator[E], timeout: Duration, clock: () => Long): Idleness[E] =
    new Idleness(generator, check(timeout), clock)

  /** The milliseconds of an idle timeout.
    *
    * @throws java.lang.IllegalArgumentException
    *   if it is not positive
    */
  def check(timeout: Duration): Long = Millis.positive("idle timeout", timeout)
}
