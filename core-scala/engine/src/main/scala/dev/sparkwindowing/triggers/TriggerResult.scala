package dev.sparkwindowing.triggers

/** Result of a trigger call: whether the window fires, and whether its contents are purged (after the firing). */
sealed abstract class TriggerResult(val isFire: Boolean, val isPurge: Boolean) extends Product with Serializable

object TriggerResult {
  case object Continue     extends TriggerResult(isFire = false, isPurge = false)
  case object Fire         extends TriggerResult(isFire = true, isPurge = false)
  case object Purge        extends TriggerResult(isFire = false, isPurge = true)
  case object FireAndPurge extends TriggerResult(isFire = true, isPurge = true)

  /** Fires if one of them fires, and purges if one purges. */
  private[triggers] def both(a: TriggerResult, b: TriggerResult): TriggerResult =
    if (a.isFire || b.isFire) if (a.isPurge || b.isPurge) FireAndPurge else Fire
    else if (a.isPurge || b.isPurge) Purge
    else Continue
}
