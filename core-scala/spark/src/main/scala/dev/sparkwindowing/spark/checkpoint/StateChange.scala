package dev.sparkwindowing.spark.checkpoint

import dev.sparkwindowing.declaration.{Difference, PartSpec}

/** Change of a query by which timers in the state are other ones.
  *
  * @param newTrigger
  *   whether the trigger is a different one, so that its timers must be set
  */
private[spark] final case class StateChange(newTrigger: Boolean)

/** Differences between a query and the one that wrote the state of its checkpoint.
  *
  * @param safe
  *   differences where the state can be taken over: values that may be others, durations that became longer and may do
  *   so, and a trigger without state in place of another one without state
  * @param unsafe
  *   all other differences
  */
private[spark] final case class Changes(safe: Seq[Difference], unsafe: Seq[Difference], newTrigger: Boolean) {
  def isEmpty: Boolean = safe.isEmpty && unsafe.isEmpty

  /** Change that the state of all keys needs before the first micro-batch; None if it can stay. */
  def ofState: Option[StateChange] = if (safe.forall(_.isFree)) None else Some(StateChange(newTrigger))
}

private[spark] object Changes {

  /** @param before the specification that the state was written with */
  def between(before: PartSpec, after: PartSpec): Changes = {
    def isMemoryless(spec: PartSpec) =
      spec.arguments.collectFirst { case (Trigger, t) => t.isMemoryless }.contains(true)
    def ofTrigger(d: Difference) = d.path.headOption.contains(Trigger)
    val takesOver                = isMemoryless(before) && isMemoryless(after)
    val all                      = Difference.between(before, after)
    val (safe, unsafe)           = all.partition(d => d.isFree || d.isGrowth || takesOver && ofTrigger(d))
    Changes(safe, unsafe, newTrigger = takesOver && all.exists(ofTrigger))
  }

  private val Trigger = "trigger"
}
