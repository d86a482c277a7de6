package dev.sparkwindowing.triggers

import dev.sparkwindowing.codec.{BlockReader, BlockWriter, ValueCodec}

/** Timers of a window with the nested triggers of a composite trigger that registered them. */
private[sparkwindowing] final case class NestedTimers(timers: Set[NestedTimer]) {

  def owners(eventTime: Boolean, time: Long): IndexedSeq[Int] =
    timers.iterator.filter(t => t.eventTime == eventTime && t.time == time).map(_.part).toIndexedSeq.sorted

  def without(eventTime: Boolean, time: Long): NestedTimers =
    NestedTimers(timers.filterNot(t => t.eventTime == eventTime && t.time == time))
}

private[sparkwindowing] final case class NestedTimer(part: Int, eventTime: Boolean, time: Long)

private[sparkwindowing] object NestedTimers {
  val None: NestedTimers = NestedTimers(Set.empty)

  def store(timers: NestedTimers, ctx: TriggerContext, at: Int): Unit =
    if (timers.timers.isEmpty) ctx.clearValue(at) else ctx.setValue(at, timers)

  object Codec extends ValueCodec[NestedTimers] {
    def write(value: NestedTimers, out: BlockWriter): Unit = {
      out.unsigned(value.timers.size.toLong)
      // Sorted, so that equal state has equal bytes.
      value.timers.toSeq.sortBy(t => (t.time, t.part, t.eventTime)).foreach { t =>
        out.unsigned(t.part * 2L + (if (t.eventTime) 1 else 0))
        out.signed(t.time)
      }
    }

    def read(in: BlockReader): NestedTimers = NestedTimers(Set.empty[NestedTimer] ++ Iterator.fill(in.count(2)) {
      val code = in.unsigned()
      NestedTimer((code / 2).toInt, code % 2 == 1, in.signed())
    })
  }
}
