package dev.sparkwindowing.triggers

import dev.sparkwindowing.declaration.Spec

import java.time.Duration

/** When [[AfterWatermark]] fires a window that has new elements, before or after its end. A `Duration` or a trigger can
  * be given in its place.
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

  /** @throws java.lang.IllegalArgumentException if there is no interval of that name */
  def of(name: String): FiringInterval[Any] =
    if (name == "micro-batch") MicroBatch
    else throw new IllegalArgumentException(s"an interval is a duration, 'micro-batch' or a trigger, got '$name'")
}
