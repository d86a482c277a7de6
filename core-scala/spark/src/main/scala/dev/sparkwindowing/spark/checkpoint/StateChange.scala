package dev.sparkwindowing.spark.checkpoint

import dev.sparkwindowing.declaration.{Difference, PartSpec}

/** A change of a query that its state can be taken over from.
  *
  * @param newTrigger
  *   whether the trigger is another one, so that its timers must be set
  */
private[spark] final case class StateChange(newTrigger: Boolean)

/** The differences of a query from the one that kept the state of its checkpoint.
  *
  * @param safe
  *   those where the state can be taken over: durations that became longer where they may, and a trigger without memory
  *   in place of another
  * @param unsafe
  *   the others
  */
private[spark] final case class Changes(safe: Seq[Difference], unsafe: Seq[Difference], newTrigger: Boolean) {
  def isEmpty: Boolean = safe.isEmpty && unsafe.isEmpty
}

private[spark] object Changes {

  /** @param before
    *   the specification that the state was kept by
    */
  def between(before: PartSpec, after: PartSpec): Changes = {
    def isMemoryless(spec: PartSpec) =
      spec.arguments.collectFirst { case (Trigger, t) => t.isMemoryless }.contains(true)
    def ofTrigger(d: Difference) = d.path.headOption.contains(Trigger)
    val takesOver                = isMemoryless(before) && isMemoryless(after)
    val all                      = Difference.between(before, after)
    val (safe, unsafe)           = all.partition(d => d.isGrowth || takesOver && ofTrigger(d))
    Changes(safe, unsafe, newTrigger = takesOver && all.exists(ofTrigger))
  }

  private val Trigger = "trigger"
}
