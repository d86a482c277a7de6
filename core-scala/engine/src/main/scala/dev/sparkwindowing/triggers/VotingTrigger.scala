package dev.sparkwindowing.triggers

import dev.sparkwindowing.windows.Window

/** Trigger that calls several nested ones and decides by their answers.
  *
  * For an element and the end of a micro-batch it calls all nested triggers, in order. For a timer it calls those that
  * registered it, and at the clean-up of the window all, even if one of them has registered that time too.
  */
private[triggers] abstract class VotingTrigger[-E](parts: IndexedSeq[Trigger[E]], own: TriggerMemory)
    extends CompositeTrigger[E](parts, parts.indices.map(i => (i + 1).toString), own) {

  /** @param fired
    *   the nested triggers that fired at this call
    * @param purges
    *   whether one of them purged
    */
  protected def decide(fired: Set[Int], purges: Boolean, window: Window, ctx: TriggerContext): TriggerResult

  private def ask(which: Iterable[Int], window: Window, ctx: TriggerContext)(
      call: (Trigger[E], TriggerContext) => TriggerResult
  ): TriggerResult = {
    var fired  = Set.empty[Int]
    var purges = false
    which.foreach { i =>
      val answer = call(nested(i), view(i, ctx))
      if (answer.isFire) fired += i
      purges |= answer.isPurge
    }
    decide(fired, purges, window, ctx)
  }

  /** Restarts the nested triggers that did not fire: the others went on by their own rules. */
  protected def restartAllBut(fired: Set[Int], window: Window, ctx: TriggerContext): Unit =
    nested.indices.foreach(i => if (!fired(i)) nested(i).restart(window, view(i, ctx)))

  def onElement(element: E, timestamp: Long, window: Window, ctx: TriggerContext): TriggerResult =
    ask(nested.indices, window, ctx)(_.onElement(element, timestamp, window, _))

  def onEventTime(time: Long, window: Window, ctx: TriggerContext): TriggerResult =
    ask(called(eventTime = true, time, ctx), window, ctx)(_.onEventTime(time, window, _))

  def onProcessingTime(time: Long, window: Window, ctx: TriggerContext): TriggerResult =
    ask(called(eventTime = false, time, ctx), window, ctx)(_.onProcessingTime(time, window, _))

  override def onMicroBatch(window: Window, ctx: TriggerContext): TriggerResult =
    ask(nested.indices, window, ctx)(_.onMicroBatch(window, _))

  private def called(eventTime: Boolean, time: Long, ctx: TriggerContext): Iterable[Int] = {
    val owners = takeOwners(eventTime, time, ctx)
    if (ctx.isCleanup(eventTime, time)) nested.indices else owners
  }
}

private[triggers] object VotingTrigger {

  def checked[E](name: String, parts: Seq[Trigger[E]]): IndexedSeq[Trigger[E]] = {
    if (parts.contains(null)) throw new NullPointerException(s"a part of $name must not be null")
    if (parts.isEmpty) throw new IllegalArgumentException(s"$name needs at least one trigger, got none")
    parts.toIndexedSeq
  }
}
