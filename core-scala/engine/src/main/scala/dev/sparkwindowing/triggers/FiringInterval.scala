package dev.sparkwindowing.triggers

import dev.sparkwindowing.declaration.Spec

import java.time.Duration

/** Interval at which [[AfterWatermark]] fires a window that has new elements. A `Duration` can be given in its place.
  */
sealed trait FiringInterval extends Product with Serializable {
  private[triggers] def spec: Spec
}

object FiringInterval {

  /** At multiples of an interval of processing time.
    *
    * @param interval
    *   positive
    */
  final case class Every(interval: Duration) extends FiringInterval {
    private[triggers] def millis: Long = interval.toMillis
    private[triggers] def spec: Spec   = Spec.Duration(millis)(mayGrow = true)
  }

  /** Behind the elements of each micro-batch, as [[MicroBatchTrigger]] does. */
  case object MicroBatch extends FiringInterval {
    private[triggers] def spec: Spec = Spec.Text("micro-batch")
  }

  implicit def every(interval: Duration): FiringInterval = if (interval == null) null else Every(interval)

  /** @throws java.lang.IllegalArgumentException if there is no interval of that name */
  def of(name: String): FiringInterval =
    if (name == "micro-batch") MicroBatch
    else throw new IllegalArgumentException(s"an interval is a duration or 'micro-batch', got '$name'")
}
