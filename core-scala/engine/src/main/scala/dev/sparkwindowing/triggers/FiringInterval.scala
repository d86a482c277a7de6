package dev.sparkwindowing.triggers

import dev.sparkwindowing.declaration.Spec
import dev.sparkwindowing.windows.Durations

import java.time.Duration

/** When [[AfterWatermark]] fires a window that has new elements, before or after its end. A `Duration`, text such as
  * "10 seconds" or "micro-batch", or a trigger can be given in its place.
  */
sealed trait FiringInterval[-E] extends Product with Serializable {
  private[triggers] def spec: Spec
}

object FiringInterval {

  /** At multiples of an interval of processing time.
    *
    * @param interval
    *   positive
    */
  final case class Every(interval: Duration) extends FiringInterval[Any] {
    private[triggers] def millis: Long = interval.toMillis
    private[triggers] def spec: Spec   = Spec.Duration(millis)(mayGrow = true)
  }

  /** Behind the elements of each micro-batch, as [[MicroBatchTrigger]] does. */
  case object MicroBatch extends FiringInterval[Any] {
    private[triggers] def spec: Spec = Spec.Text("micro-batch")
  }

  /** When a trigger fires. */
  final case class By[-E](trigger: Trigger[E]) extends FiringInterval[E] {
    private[triggers] def spec: Spec = trigger.spec
  }

  implicit def every(interval: Duration): FiringInterval[Any] = if (interval == null) null else Every(interval)

  implicit def by[E](trigger: Trigger[E]): FiringInterval[E] = if (trigger == null) null else By(trigger)

  /** @param text
    *   "micro-batch", or a duration as [[dev.sparkwindowing.windows.Durations.of]] reads it
    * @throws java.lang.IllegalArgumentException
    *   if it is neither
    */
  implicit def of(text: String): FiringInterval[Any] =
    if (text == null) null else if (text == "micro-batch") MicroBatch else Every(Durations.of(text))
}
