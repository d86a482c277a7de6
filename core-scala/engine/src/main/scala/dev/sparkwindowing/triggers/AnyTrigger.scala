package dev.sparkwindowing.triggers

import dev.sparkwindowing.codec.ValueCodec
import dev.sparkwindowing.triggers.TriggerResult.{Continue, Fire, FireAndPurge, Purge}
import dev.sparkwindowing.windows.Window

/** Fires when one of its parts fires, and purges when one purges.
  *
  * All parts are asked, in their order. Each has a memory and timers of its own: of timers it is asked only for those
  * that it has set, and a timer lives while one part wants it. The clean-up of the window is put to all of them. Build
  * it with [[AnyTrigger.of]].
  */
final case class AnyTrigger[-E] private (parts: IndexedSeq[Trigger[E]]) extends Trigger[E] {

  override def numbers: Int = parts.map(_.numbers).sum

  // Behind those of the parts: who has set which timer.
  override def values: IndexedSeq[ValueCodec[_ <: AnyRef]] = parts.flatMap(_.values) :+ PartTimers.Codec

  private val numbersFrom = parts.scanLeft(0)(_ + _.numbers)
  private val valuesFrom  = parts.scanLeft(0)(_ + _.values.size)

  private def view(part: Int, ctx: TriggerContext): PartContext =
    new PartContext(ctx, part, numbersFrom(part), valuesFrom(part), valuesFrom.last)

  private def ask(which: Iterable[Int])(answer: Int => TriggerResult): TriggerResult = {
    var fire  = false
    var purge = false
    which.foreach { part =>
      val said = answer(part)
      fire |= said.isFire
      purge |= said.isPurge
    }
    if (fire) if (purge) FireAndPurge else Fire else if (purge) Purge else Continue
  }

  def onElement(element: E, timestamp: Long, window: Window, ctx: TriggerContext): TriggerResult =
    ask(parts.indices)(part => parts(part).onElement(element, timestamp, window, view(part, ctx)))

  def onEventTime(time: Long, window: Window, ctx: TriggerContext): TriggerResult =
    ask(owners(eventTime = true, time, ctx))(part => parts(part).onEventTime(time, window, view(part, ctx)))

  def onProcessingTime(time: Long, window: Window, ctx: TriggerContext): TriggerResult =
    ask(owners(eventTime = false, time, ctx))(part => parts(part).onProcessingTime(time, window, view(part, ctx)))

  // The parts that have set the timer, which is gone now; all if it is the clean-up of the window, even if one has set
  // it too.
  private def owners(eventTime: Boolean, time: Long, ctx: TriggerContext): Iterable[Int] = {
    val set    = ctx.value[PartTimers](valuesFrom.last).getOrElse(PartTimers.None)
    val owners = set.owners(eventTime, time)
    if (owners.nonEmpty) PartTimers.store(set.without(eventTime, time), ctx, valuesFrom.last)
    if (ctx.isCleanup(eventTime, time)) parts.indices else owners
  }

  override def canMerge: Boolean = parts.forall(_.canMerge)

  override def onMerge(window: Window, ctx: OnMergeContext): Unit =
    parts.indices.foreach { part =>
      parts(part).onMerge(
        window,
        new PartMergeContext(ctx, part, numbersFrom(part), valuesFrom(part), valuesFrom.last)
      )
    }

  def clear(window: Window, ctx: TriggerContext): Unit = {
    parts.indices.foreach(part => parts(part).clear(window, view(part, ctx)))
    ctx.clearValue(valuesFrom.last)
  }

  override def toString: String = parts.mkString("AnyTrigger(", ", ", ")")
}

object AnyTrigger {

  /** @throws java.lang.IllegalArgumentException if there is no part */
  def of[E](parts: Trigger[E]*): AnyTrigger[E] = {
    if (parts.contains(null)) throw new NullPointerException("a part of AnyTrigger must not be null")
    if (parts.isEmpty) throw new IllegalArgumentException("AnyTrigger needs at least one trigger, got none")
    new AnyTrigger(parts.toIndexedSeq)
  }
}
