package dev.sparkwindowing.triggers

import dev.sparkwindowing.declaration.{PartSpec, Spec}
import dev.sparkwindowing.triggers.TriggerResult.{Continue, Fire, FireAndPurge, Purge}
import dev.sparkwindowing.windows.Window

import scala.annotation.unchecked.uncheckedVariance

/** Fires when one of the nested triggers fires, and purges when one purges.
  *
  * Calls all nested triggers for an element, in order. Each has its own state and timers. For a timer, only the nested
  * triggers that registered it are called; the timer exists as long as one of them needs it. At the clean-up of the
  * window all are called. Build it with [[AnyTrigger.of]].
  */
final case class AnyTrigger[-E] private (override val nested: IndexedSeq[Trigger[E]]) extends Trigger[E] {

  private val memories    = nested.map(_.memory)
  private val numbersFrom = memories.scanLeft(0)(_ + _.numbers.size)
  private val valuesFrom  = memories.scanLeft(0)(_ + _.values.size)

  /** The state of the nested triggers, then the timers that each of them has registered. */
  override def memory: TriggerMemory = memories.zipWithIndex
    .map { case (m, i) => m.under(s"${i + 1}.") }
    .foldLeft(TriggerMemory.None)(_ ++ _) ++ TriggerMemory.value("timers", NestedTimers.Codec)

  override def withNested(nested: Seq[Trigger[E @uncheckedVariance]]): Trigger[E] = AnyTrigger.of(nested: _*)

  override def spec: Spec =
    PartSpec("AnyTrigger", nested.zipWithIndex.map { case (t, i) => (i + 1).toString -> t.spec })

  private def view(i: Int, ctx: TriggerContext): NestedContext =
    new NestedContext(ctx, i, numbersFrom(i), valuesFrom(i), valuesFrom.last)

  private def ask(which: Iterable[Int])(answer: Int => TriggerResult): TriggerResult = {
    var fire  = false
    var purge = false
    which.foreach { i =>
      val said = answer(i)
      fire |= said.isFire
      purge |= said.isPurge
    }
    if (fire) if (purge) FireAndPurge else Fire else if (purge) Purge else Continue
  }

  def onElement(element: E, timestamp: Long, window: Window, ctx: TriggerContext): TriggerResult =
    ask(nested.indices)(i => nested(i).onElement(element, timestamp, window, view(i, ctx)))

  def onEventTime(time: Long, window: Window, ctx: TriggerContext): TriggerResult =
    ask(owners(eventTime = true, time, ctx))(i => nested(i).onEventTime(time, window, view(i, ctx)))

  def onProcessingTime(time: Long, window: Window, ctx: TriggerContext): TriggerResult =
    ask(owners(eventTime = false, time, ctx))(i => nested(i).onProcessingTime(time, window, view(i, ctx)))

  override def firesByMicroBatch: Boolean = nested.exists(_.firesByMicroBatch)

  override def onMicroBatch(window: Window, ctx: TriggerContext): TriggerResult =
    ask(nested.indices)(i => nested(i).onMicroBatch(window, view(i, ctx)))

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

  def clear(window: Window, ctx: TriggerContext): Unit = {
    nested.indices.foreach(i => nested(i).clear(window, view(i, ctx)))
    ctx.clearValue(valuesFrom.last)
  }
}

object AnyTrigger {

  /** @throws java.lang.IllegalArgumentException if there is no nested trigger */
  def of[E](parts: Trigger[E]*): AnyTrigger[E] = {
    if (parts.contains(null)) throw new NullPointerException("a part of AnyTrigger must not be null")
    if (parts.isEmpty) throw new IllegalArgumentException("AnyTrigger needs at least one trigger, got none")
    new AnyTrigger(parts.toIndexedSeq)
  }
}
