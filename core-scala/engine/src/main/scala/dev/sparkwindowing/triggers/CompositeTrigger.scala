package dev.sparkwindowing.triggers

import dev.sparkwindowing.windows.Window

/** Trigger of several nested ones. Each has its own state and timers; a timer exists as long as one of them needs it.
  *
  * @param names
  *   of the nested triggers, for the names of their memory
  * @param own
  *   memory of the trigger itself: numbers only
  */
private[triggers] abstract class CompositeTrigger[-E](
    override val nested: IndexedSeq[Trigger[E]],
    names: IndexedSeq[String],
    own: TriggerMemory
) extends Trigger[E] {

  private val memories    = nested.map(_.memory)
  private val numbersFrom = memories.scanLeft(0)(_ + _.numbers.size)
  private val valuesFrom  = memories.scanLeft(0)(_ + _.values.size)

  /** The state of the nested triggers, that of the trigger itself, then the timers that each has registered. */
  override def memory: TriggerMemory = memories
    .zip(names)
    .map { case (m, name) => m.under(s"$name.") }
    .foldLeft(TriggerMemory.None)(_ ++ _) ++ own ++ TriggerMemory.value("timers", NestedTimers.Codec)

  /** The context of a nested trigger; `nested.size` is the trigger itself. */
  protected def view(i: Int, ctx: TriggerContext): TriggerContext =
    new NestedContext(ctx, i, numbersFrom(i), valuesFrom(i), valuesFrom.last)

  protected def own(ctx: TriggerContext): TriggerContext = view(nested.size, ctx)

  protected def mergeView(i: Int, ctx: OnMergeContext): OnMergeContext =
    new NestedMergeContext(ctx, i, numbersFrom(i), valuesFrom(i), valuesFrom.last)

  /** Those that registered the timer, which is removed. */
  protected def takeOwners(eventTime: Boolean, time: Long, ctx: TriggerContext): IndexedSeq[Int] = {
    val set    = ctx.value[NestedTimers](valuesFrom.last).getOrElse(NestedTimers.None)
    val owners = set.owners(eventTime, time)
    if (owners.nonEmpty) NestedTimers.store(set.without(eventTime, time), ctx, valuesFrom.last)
    owners
  }

  override def firesByMicroBatch: Boolean = nested.exists(_.firesByMicroBatch)

  override private[sparkwindowing] def needsEachElement(allowedLateness: Long): Boolean =
    nested.exists(_.needsEachElement(allowedLateness))

  override def canMerge: Boolean = nested.forall(_.canMerge)

  override def onMerge(window: Window, ctx: OnMergeContext): Unit =
    nested.indices.foreach(i => nested(i).onMerge(window, mergeView(i, ctx)))

  override def restart(window: Window, ctx: TriggerContext): Unit =
    nested.indices.foreach(i => nested(i).restart(window, view(i, ctx)))

  def clear(window: Window, ctx: TriggerContext): Unit = {
    nested.indices.foreach(i => nested(i).clear(window, view(i, ctx)))
    ctx.clearValue(valuesFrom.last)
  }
}
