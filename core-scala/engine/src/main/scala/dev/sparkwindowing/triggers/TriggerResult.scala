package dev.sparkwindowing.triggers

/** What a trigger answers: whether the window's function runs now, and whether its contents are dropped (afterwards).
  */
sealed abstract class TriggerResult(val isFire: Boolean, val isPurge: Boolean) extends Product with Serializable

object TriggerResult {
  case object Continue     extends TriggerResult(isFire = false, isPurge = false)
  case object Fire         extends TriggerResult(isFire = true, isPurge = false)
  case object Purge        extends TriggerResult(isFire = false, isPurge = true)
  case object FireAndPurge extends TriggerResult(isFire = true, isPurge = true)
}
