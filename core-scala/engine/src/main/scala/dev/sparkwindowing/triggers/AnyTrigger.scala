package dev.sparkwindowing.triggers

import dev.sparkwindowing.declaration.{PartSpec, Spec}
import dev.sparkwindowing.triggers.TriggerResult.{Continue, Fire, FireAndPurge, Purge}
import dev.sparkwindowing.windows.Window

import scala.annotation.unchecked.uncheckedVariance

/** Fires when one of the nested triggers fires, and purges when one purges.
  *
  * Calls all nested triggers for an element, in order. Each has its own state and timers. For a timer, only the nested
  * triggers that registered it are called; the timer exists as long as one of them needs it. At the clean-up of the
  * window all are called. A firing restarts the nested triggers that did not cause it: "100 elements or a minute"
  * counts from the last firing. Build it with [[AnyTrigger.of]].
  *
  * @param restartOnFire
  *   if false, each nested trigger goes on as if it were alone
  */
final case class AnyTrigger[-E] private (parts: IndexedSeq[Trigger[E]], restartOnFire: Boolean)
    extends VotingTrigger[E](parts, TriggerMemory.None) {

  override def withNested(nested: Seq[Trigger[E @uncheckedVariance]]): Trigger[E] =
    AnyTrigger.of(restartOnFire, nested: _*)

  protected def decide(fired: Set[Int], purges: Boolean, window: Window, ctx: TriggerContext): TriggerResult =
    if (fired.isEmpty) if (purges) Purge else Continue
    else {
      if (restartOnFire) restartAllBut(fired, window, ctx)
      if (purges) FireAndPurge else Fire
    }

  // A checkpoint that does not name it was written without restarts.
  override def spec: Spec =
    PartSpec("AnyTrigger", nested.zipWithIndex.map { case (t, i) => (i + 1).toString -> t.spec })
      .option("restartOnFire", Spec.Flag(restartOnFire), Spec.Flag(false))
}

object AnyTrigger {

  /** A firing restarts the nested triggers that did not cause it.
    *
    * @throws java.lang.IllegalArgumentException
    *   if there is no nested trigger
    */
  def of[E](parts: Trigger[E]*): AnyTrigger[E] = of(restartOnFire = true, parts: _*)

  /** @param restartOnFire
    *   whether a firing restarts the nested triggers that did not cause it
    * @throws java.lang.IllegalArgumentException
    *   if there is no nested trigger
    */
  def of[E](restartOnFire: Boolean, parts: Trigger[E]*): AnyTrigger[E] =
    new AnyTrigger(VotingTrigger.checked("AnyTrigger", parts), restartOnFire)
}
