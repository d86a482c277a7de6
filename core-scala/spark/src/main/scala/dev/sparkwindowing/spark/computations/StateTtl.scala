package dev.sparkwindowing.spark.computations

import dev.sparkwindowing.declaration.{PartSpec, Spec}
import dev.sparkwindowing.functions.TimeDomain
import dev.sparkwindowing.spark.advice.Code
import dev.sparkwindowing.state.FunctionState
import dev.sparkwindowing.windows.Millis

import java.time.Duration

/** Time to live of the state of a key after its last change.
  *
  * @param clock
  *   the clock that measures it
  */
private[sparkwindowing] final case class StateTtl(millis: Long, clock: TimeDomain) {

  def spec: Spec = PartSpec("ttl", Seq("time" -> Spec.millis(millis), "clock" -> Spec.Text(StateTtl.nameOf(clock))))

  /** The time at which state expires that changed at a time, `Long.MinValue` for an unknown one. It is never earlier
    * than the time before.
    */
  def later(before: Long, change: Long): Long = {
    val expiry = if (change == Long.MinValue) FunctionState.Never else Millis.cleanupOf(change, millis)
    if (before == FunctionState.Never) expiry
    else if (expiry == FunctionState.Never) before
    else math.max(before, expiry)
  }
}

private[sparkwindowing] object StateTtl {
  private val Clocks = Seq("event_time" -> TimeDomain.EventTime, "processing_time" -> TimeDomain.ProcessingTime)

  private def nameOf(clock: TimeDomain): String = Clocks.collectFirst { case (name, `clock`) => name }.get

  /** @param ttl
    *   null for none
    * @param owner
    *   what has the state, for errors
    * @throws java.lang.IllegalArgumentException
    *   if it is not positive, or there is no such clock
    */
  def of(ttl: Duration, clock: String, owner: String): Option[StateTtl] = {
    val domain = Clocks.collectFirst { case (`clock`, d) => d }.getOrElse {
      throw new IllegalArgumentException(
        s"$owner: ${Code.name("ttl_clock")} must be one of ${Clocks.map(c => s"'${c._1}'").mkString(", ")}, got '$clock'"
      )
    }
    Option(ttl).map(t => StateTtl(Millis.positive(s"$owner: ttl", t), domain))
  }
}
