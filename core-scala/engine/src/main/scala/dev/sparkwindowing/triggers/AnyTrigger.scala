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
final case class AnyTrigger[-E] private (override val nested: IndexedSeq[Trigger[E]], restartOnFire: Boolean)
    extends Trigger[E] {

  private val memories    = nested.map(_.memory)
  private val numbersFrom = memories.scanLeft(0)(_ + _.numbers.size)
  private val valuesFrom  = memories.scanLeft(0)(_ + _.values.size)

  /** The state of the nested triggers, then the timers that each of them has registered. */
  override def memory: TriggerMemory = memories.zipWithIndex
    .map { case (m, i) => m.under(s"${i + 1}.") }
    .foldLeft(TriggerMemory.None)(_ ++ _) ++ TriggerMemory.value("timers", NestedTimers.Codec)

  override def withNested(nested: Seq[Trigger[E @uncheckedVariance]]): Trigger[E] =
    AnyTrigger.of(restartOnFire, nested: _*)

  // A checkpoint that does not name it was written without restarts.
  override def spec: Spec =
    PartSpec("AnyTrigger", nested.zipWithIndex.map { case (t, i) => (i + 1).toString -> t.spec })
      .option("restartOnFire", Spec.Flag(restartOnFire), Spec.Flag(false))

  private def view(i: Int, ctx: TriggerContext): NestedContext =
    new NestedContext(ctx, i, numbersFrom(i), valuesFrom(i), valuesFrom.last)

  private def ask(which: Iterable[Int], window: Window, ctx: TriggerContext)(
      call: (Trigger[E], TriggerContext) => TriggerResult
  ): TriggerResult = {
    var fired = Set.empty[Int]
    var purge = false
    which.foreach { i =>
      val answer = call(nested(i), view(i, ctx))
      if (answer.isFire) fired += i
      purge |= answer.isPurge
    }
    if (fired.isEmpty) if (purge) Purge else Continue
    else {
      // Those that fired went on by their own rules.
      if (restartOnFire) nested.indices.foreach(i => if (!fired(i)) nested(i).restart(window, view(i, ctx)))
      if (purge) FireAndPurge else Fire
    }
  }

  def onElement(element: E, timestamp: Long, window: Window, ctx: TriggerContext): TriggerResult =
    ask(nested.indices, window, ctx)(_.onElement(element, timestamp, window, _))

  def onEventTime(time: Long, window: Window, ctx: TriggerContext): TriggerResult =
    ask(owners(eventTime = true, time, ctx), window, ctx)(_.onEventTime(time, window, _))

  def onProcessingTime(time: Long, window: Window, ctx: TriggerContext): TriggerResult =
    ask(owners(eventTime = false, time, ctx), window, ctx)(_.onProcessingTime(time, window, _))

  override def firesByMicroBatch: Boolean = nested.exists(_.firesByMicroBatch)

  override def onMicroBatch(window: Window, ctx: TriggerContext): TriggerResult =
    ask(nested.indices, window, ctx)(_.onMicroBatch(window, _))

  override private[sparkwindowing] def needsEachElement(allowedLateness: Long): Boolean =
    nested.exists(_.needsEachElement(allowedLateness))

  // The nested triggers that registered the timer, which is removed here; all of them at the clean-up of the window,
  // even if one of them registered that time too.
  private def owners(eventTime: Boolean, time: Long, ctx: TriggerContext): Iterable[Int] = {
    val set    = ctx.value[NestedTimers](valuesFrom.last).getOrElse(NestedTimers.None)
    val owners = set.owners(eventTime, time)
    if (owners.nonEmpty) NestedTimers.store(set.without(eventTime, time), ctx, valuesFrom.last)
    if (ctx.isCleanup(eventTime, time)) nested.indices else owners
  }

  override def canMerge: Boolean = nested.forall(_.canMerge)

  override def onMerge(window: Window, ctx: OnMergeContext): Unit =
    nested.indices.foreach { i =>
      nested(i).onMerge(
        window,
        new NestedMergeContext(ctx, i, numbersFrom(i), valuesFrom(i), valuesFrom.last)
      )
    }

  override def restart(window: Window, ctx: TriggerContext): Unit =
    nested.indices.foreach(i => nested(i).restart(window, view(i, ctx)))

  def clear(window: Window, ctx: TriggerContext): Unit = {
    nested.indices.foreach(i => nested(i).clear(window, view(i, ctx)))
    ctx.clearValue(valuesFrom.last)
  }
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
  def of[E](restartOnFire: Boolean, parts: Trigger[E]*): AnyTrigger[E] = {
    if (parts.contains(null)) throw new NullPointerException("a part of AnyTrigger must not be null")
    if (parts.isEmpty) throw new IllegalArgumentException("AnyTrigger needs at least one trigger, got none")
    new AnyTrigger(parts.toIndexedSeq, restartOnFire)
  }
}
