package dev.sparkwindowing.triggers

import dev.sparkwindowing.declaration.{PartSpec, Spec}
import dev.sparkwindowing.triggers.TriggerResult.{Continue, Fire, FireAndPurge}
import dev.sparkwindowing.windows.Window

import scala.annotation.unchecked.uncheckedVariance

/** Fires when each of the nested triggers has fired since the last firing, and then purges if one of them purged.
  *
  * The nested triggers are called as those of [[AnyTrigger]]. A firing restarts those that did not fire at this call:
  * "100 elements and a minute" counts from the last firing. Elements that are left at the clean-up of the window are
  * dropped with it. Build it with [[AllTrigger.of]].
  */
final case class AllTrigger[-E] private (parts: IndexedSeq[Trigger[E]])
    extends VotingTrigger[E](parts, TriggerMemory.number("fired") ++ TriggerMemory.number("purges")) {
  import AllTrigger.{Fired, Purges}

  private val all = -1L >>> (64 - parts.size)

  override def withNested(nested: Seq[Trigger[E @uncheckedVariance]]): Trigger[E] = AllTrigger.of(nested: _*)

  protected def decide(fired: Set[Int], purges: Boolean, window: Window, ctx: TriggerContext): TriggerResult = {
    val memory  = own(ctx)
    val known   = fired.foldLeft(memory.number(Fired))((set, i) => set | 1L << i)
    val isPurge = purges || memory.hasNumber(Purges)
    if (known == all) {
      forget(ctx)
      restartAllBut(fired, window, ctx)
      if (isPurge) FireAndPurge else Fire
    } else {
      if (fired.nonEmpty) memory.setNumber(Fired, known)
      if (purges) memory.setNumber(Purges, 1)
      Continue
    }
  }

  private def forget(ctx: TriggerContext): Unit = {
    val memory = own(ctx)
    memory.clearNumber(Fired)
    memory.clearNumber(Purges)
  }

  override def onMerge(window: Window, ctx: OnMergeContext): Unit = {
    super.onMerge(window, ctx)
    val memory = mergeView(parts.size, ctx)
    val fired  = (0 until memory.mergedWindows).map(memory.mergedNumber(_, Fired)).foldLeft(0L)(_ | _)
    if (fired != 0) memory.setNumber(Fired, fired)
    if (MergedNumbers.any(Purges, memory)) memory.setNumber(Purges, 1)
  }

  override def restart(window: Window, ctx: TriggerContext): Unit = {
    super.restart(window, ctx)
    forget(ctx)
  }

  override def clear(window: Window, ctx: TriggerContext): Unit = {
    super.clear(window, ctx)
    forget(ctx)
  }

  override def spec: Spec =
    PartSpec("AllTrigger", nested.zipWithIndex.map { case (t, i) => (i + 1).toString -> t.spec })
}

object AllTrigger {

  /** The nested triggers that have fired since the last firing: a sum of powers of two. */
  private val Fired = 0

  /** Set if one of them has purged since. */
  private val Purges = 1

  /** @throws java.lang.IllegalArgumentException if there is no nested trigger, or there are more than 64 */
  def of[E](parts: Trigger[E]*): AllTrigger[E] = {
    val checked = VotingTrigger.checked("AllTrigger", parts)
    if (checked.size > 64)
      throw new IllegalArgumentException(s"AllTrigger takes up to 64 triggers, got ${checked.size}")
    new AllTrigger(checked)
  }
}
