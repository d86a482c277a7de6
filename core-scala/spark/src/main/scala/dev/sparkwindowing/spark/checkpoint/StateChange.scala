package dev.sparkwindowing.spark.checkpoint

import dev.sparkwindowing.declaration.{Difference, Forgettable, PartSpec}

/** Change of a query by which timers in the state are other ones.
  *
  * @param forgotten
  *   None if the trigger stays. Else its timers must be set, and this is what the other one has left in the windows
  */
private[spark] final case class StateChange(forgotten: Option[Forgettable])

/** Differences between a query and the one that wrote the state of its checkpoint.
  *
  * @param safe
  *   differences where the state can be taken over: values that may be others, durations that became longer and may do
  *   so, and a trigger in place of another one, if both are forgettable
  * @param unsafe
  *   all other differences
  */
private[spark] final case class Changes(
    safe: Seq[Difference],
    unsafe: Seq[Difference],
    forgotten: Option[Forgettable]
) {
  def isEmpty: Boolean = safe.isEmpty && unsafe.isEmpty

  /** Change that the state of all keys needs before the first micro-batch; None if it can stay. */
  def ofState: Option[StateChange] = if (safe.forall(_.isFree)) None else Some(StateChange(forgotten))
}

private[spark] object Changes {

  /** @param before the specification that the state was written with */
  def between(before: PartSpec, after: PartSpec): Changes = {
    def forgettable(spec: PartSpec) = spec.arguments.collectFirst { case (Trigger, t) => t }.flatMap(_.forgettable)
    def goesOn(d: Difference)       = d.isFree || d.isGrowth
    def ofTrigger(d: Difference)    = d.path.headOption.contains(Trigger)
    val forgotten                   = forgettable(before).filter(_ => forgettable(after).isDefined)
    val all                         = Difference.between(before, after)
    val (safe, unsafe)              = all.partition(d => goesOn(d) || forgotten.isDefined && ofTrigger(d))
    Changes(safe, unsafe, forgotten.filter(_ => all.exists(d => ofTrigger(d) && !goesOn(d))))
  }

  private val Trigger = "trigger"
}
