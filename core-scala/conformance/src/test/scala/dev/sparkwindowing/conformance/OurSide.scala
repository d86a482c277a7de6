package dev.sparkwindowing.conformance

import dev.sparkwindowing.codec.{BlockReader, BlockWriter, ValueCodec}
import dev.sparkwindowing.contents.{AccumulatorContents, ElementList, ListContents}
import dev.sparkwindowing.operator.WindowSpec
import dev.sparkwindowing.{assigners, evictors, triggers}

import java.lang.{Long => JLong}
import java.time.Duration

/** Count, sum and number of merges of a window's elements. */
final case class Totals(count: Long, sum: Long, merges: Long) {
  def add(value: Long): Totals     = Totals(count + 1, sum + value, merges)
  def merge(other: Totals): Totals = Totals(count + other.count, sum + other.sum, merges + other.merges + 1)
  def toSeq: Seq[Long]             = Seq(count, sum, merges)
}

/** Builds this project's operator. */
object OurSide {

  /** @param onlyDue
    *   whether the host calls on watermarks and the clock only the keys with a timer that is due, or all keys
    */
  def apply(setup: Setup, clock: Long, onlyDue: Boolean): OurHost[_ <: AnyRef] = {
    val from    = assigner(setup.assigner)
    val trigger = new WatchedTrigger(setup.trigger.fold(from.defaultTrigger)(triggerOf))
    val list    = new ListContents[JLong](ValueCodec.long, identity)
    setup.evictor match {
      case Some(e) =>
        val evictor = evictors.CountEvictor.of[JLong](e.keep, e.after)
        val spec    = WindowSpec.evicting[JLong](from, trigger, evictor, setup.lateness, list)
        val show    = if (setup.contents == ContentsSetup.Aggregate) totals _ else values _
        new OurHost[ElementList[JLong]](spec, trigger, show, clock, onlyDue)
      case None if setup.contents == ContentsSetup.Aggregate =>
        val spec = WindowSpec[JLong, Totals](from, trigger, setup.lateness, TotalsContents)
        new OurHost[Totals](spec, trigger, _.toSeq, clock, onlyDue)
      case None =>
        val spec = WindowSpec[JLong, ElementList[JLong]](from, trigger, setup.lateness, list)
        new OurHost[ElementList[JLong]](spec, trigger, values, clock, onlyDue)
    }
  }

  private def values(list: ElementList[JLong]): Seq[Long] = Seq.tabulate(list.size)(i => list(i).longValue)

  private def totals(list: ElementList[JLong]): Seq[Long] = values(list).foldLeft(Totals(0, 0, 0))(_.add(_)).toSeq

  private def assigner(setup: AssignerSetup): assigners.WindowAssigner[Any] = setup match {
    case AssignerSetup.TumblingEventTime(size, offset) =>
      assigners.TumblingEventTimeWindows.of(Duration.ofMillis(size), Duration.ofMillis(offset))
    case AssignerSetup.SlidingEventTime(size, slide, offset) =>
      assigners.SlidingEventTimeWindows.of(Duration.ofMillis(size), Duration.ofMillis(slide), Duration.ofMillis(offset))
    case AssignerSetup.Session(gap) =>
      assigners.EventTimeSessionWindows.withGap(Duration.ofMillis(gap))
    case AssignerSetup.TumblingProcessingTime(size, offset) =>
      assigners.TumblingProcessingTimeWindows.of(Duration.ofMillis(size), Duration.ofMillis(offset))
    case AssignerSetup.Global => assigners.GlobalWindows.create()
  }

  private def triggerOf(setup: TriggerSetup): triggers.Trigger[Any] = setup match {
    case TriggerSetup.EventTime       => triggers.EventTimeTrigger.create()
    case TriggerSetup.ProcessingTime  => triggers.ProcessingTimeTrigger.create()
    case TriggerSetup.Never           => triggers.NeverTrigger.create()
    case TriggerSetup.Count(n)        => triggers.CountTrigger.of(n)
    case TriggerSetup.Purging(nested) => triggers.PurgingTrigger.of(triggerOf(nested))
  }

  private object TotalsCodec extends ValueCodec[Totals] {
    def write(value: Totals, out: BlockWriter): Unit = value.toSeq.foreach(out.signed)
    def read(in: BlockReader): Totals                = Totals(in.signed(), in.signed(), in.signed())
  }

  private object TotalsContents extends AccumulatorContents[JLong, Totals](TotalsCodec) {
    def createAccumulator(): Totals                      = Totals(0, 0, 0)
    def add(accumulator: Totals, element: JLong): Totals = accumulator.add(element)
    def merge(kept: Totals, merged: Totals): Totals      = kept.merge(merged)
  }
}
