package dev.sparkwindowing.conformance

import dev.sparkwindowing.assigners.{
  CumulativeEventTimeWindows,
  EventTimeSessionWindows,
  GlobalWindows,
  ProcessingTimeSessionWindows,
  SessionWindowTimeGapExtractor,
  SlidingEventTimeWindows,
  SlidingProcessingTimeWindows,
  TumblingEventTimeWindows,
  TumblingProcessingTimeWindows,
  WindowAssigner
}
import dev.sparkwindowing.codec.{BlockReader, BlockWriter, ValueCodec}
import dev.sparkwindowing.contents.{AccumulatorContents, ElementList, ListContents}
import dev.sparkwindowing.evictors.{CountEvictor, DeltaEvictor, Evictor, TimeEvictor}
import dev.sparkwindowing.functions.{DeltaFunction, JoinKind}
import dev.sparkwindowing.operator.OperatorRules
import dev.sparkwindowing.triggers.{
  ContinuousEventTimeTrigger,
  ContinuousProcessingTimeTrigger,
  CountTrigger,
  DeltaTrigger,
  EndOfStreamTrigger,
  EventTimeTrigger,
  NeverTrigger,
  ProcessingTimeTrigger,
  ProcessingTimeoutTrigger,
  PurgingTrigger,
  Trigger
}

import java.lang.{Long => JLong}
import java.time.Duration.ofMillis

/** Count, sum and number of merges of a window's elements. */
final case class Totals(count: Long, sum: Long, merges: Long) {
  def add(value: Long): Totals     = Totals(count + 1, sum + value, merges)
  def merge(other: Totals): Totals = Totals(count + other.count, sum + other.sum, merges + other.merges + 1)
  def toSeq: Seq[Long]             = Seq(count, sum, merges)
}

/** Builds this project's operator. */
object OurSide {

  /** Replacement for a trigger that was built: the trigger itself, or a faulty one that must be found. */
  type Alter = (TriggerSetup, Trigger[JLong]) => Trigger[JLong]

  /** @param onlyDue
    *   whether the host calls on watermarks and the clock only the keys with a timer that is due, or all keys
    */
  def apply(setup: Setup, clock: Long, onlyDue: Boolean, alter: Alter): OurHost[_ <: AnyRef] = {
    val from    = assigner(setup.assigner)
    val trigger = new WatchedTrigger(setup.trigger.fold[Trigger[JLong]](from.defaultTrigger)(triggerOf(_, alter)))
    val list    = new ListContents[JLong](ValueCodec.long, identity)
    setup.evictor match {
      case Some(e) =>
        val spec = OperatorRules.evicting[JLong](from, trigger, evictorOf(e), setup.lateness, list)
        val show = setup.contents match {
          case ContentsSetup.Aggregate => totals _
          case contents                => shown(contents)
        }
        new OurHost[ElementList[JLong]](spec, trigger, show, clock, onlyDue)
      case None if setup.contents == ContentsSetup.Aggregate =>
        val spec = OperatorRules[JLong, Totals](from, trigger, setup.lateness, TotalsContents)
        new OurHost[Totals](spec, trigger, _.toSeq, clock, onlyDue)
      case None =>
        val spec = OperatorRules[JLong, ElementList[JLong]](from, trigger, setup.lateness, list)
        new OurHost[ElementList[JLong]](spec, trigger, shown(setup.contents), clock, onlyDue)
    }
  }

  private def shown(contents: ContentsSetup): ElementList[JLong] => Seq[Long] = contents match {
    case ContentsSetup.Join(kind) => pairs(kind, _)
    case _                        => values
  }

  // Left and right values one after the other.
  private def pairs(kind: JoinKind, list: ElementList[JLong]): Seq[Long] = {
    val found           = Seq.newBuilder[Long]
    def of(side: JLong) = if (side == null) FlinkJoin.NoPartner else side.longValue
    val all             = kind.pairs[JLong](list, FlinkJoin.isLeft(_), matches = true)
    while (all.hasNext) {
      all.advance()
      found += of(all.left) += of(all.right)
    }
    found.result()
  }

  private def values(list: ElementList[JLong]): Seq[Long] = Seq.tabulate(list.size)(i => list(i).longValue)

  private def totals(list: ElementList[JLong]): Seq[Long] = values(list).foldLeft(Totals(0, 0, 0))(_.add(_)).toSeq

  private def assigner(setup: AssignerSetup): WindowAssigner[JLong] = setup match {
    case AssignerSetup.TumblingEventTime(size, offset) => TumblingEventTimeWindows.of(ofMillis(size), ofMillis(offset))
    case AssignerSetup.SlidingEventTime(size, slide, offset) =>
      SlidingEventTimeWindows.of(ofMillis(size), ofMillis(slide), ofMillis(offset))
    case AssignerSetup.Session(gap)                         => EventTimeSessionWindows.withGap(ofMillis(gap))
    case AssignerSetup.DynamicSession(gaps)                 => EventTimeSessionWindows.withDynamicGap(extractor(gaps))
    case AssignerSetup.TumblingProcessingTime(size, offset) =>
      TumblingProcessingTimeWindows.of(ofMillis(size), ofMillis(offset))
    case AssignerSetup.CumulativeEventTime(step, steps, offset) =>
      CumulativeEventTimeWindows.of(ofMillis(step * steps), ofMillis(step), ofMillis(offset))
    case AssignerSetup.SlidingProcessingTime(size, slide, offset) =>
      SlidingProcessingTimeWindows.of(ofMillis(size), ofMillis(slide), ofMillis(offset))
    case AssignerSetup.ProcessingTimeSession(gap)         => ProcessingTimeSessionWindows.withGap(ofMillis(gap))
    case AssignerSetup.DynamicProcessingTimeSession(gaps) =>
      ProcessingTimeSessionWindows.withDynamicGap(extractor(gaps))
    case AssignerSetup.Global(true)  => GlobalWindows.createWithEndOfStreamTrigger()
    case AssignerSetup.Global(false) => GlobalWindows.create()
  }

  private def extractor(gaps: Gaps): SessionWindowTimeGapExtractor[JLong] = gaps.of(_)

  private def triggerOf(setup: TriggerSetup, alter: Alter): Trigger[JLong] = alter(
    setup,
    setup match {
      case TriggerSetup.EventTime                   => EventTimeTrigger.create()
      case TriggerSetup.ProcessingTime              => ProcessingTimeTrigger.create()
      case TriggerSetup.Never                       => NeverTrigger.create()
      case TriggerSetup.EndOfStream                 => EndOfStreamTrigger.create()
      case TriggerSetup.Count(n)                    => CountTrigger.of(n)
      case TriggerSetup.ContinuousEventTime(i)      => ContinuousEventTimeTrigger.of(ofMillis(i))
      case TriggerSetup.ContinuousProcessingTime(i) => ContinuousProcessingTimeTrigger.of(ofMillis(i))
      case TriggerSetup.Delta(threshold, distance)  => DeltaTrigger.of(threshold, delta(distance), ValueCodec.long)
      case TriggerSetup.Purging(nested)             => PurgingTrigger.of(triggerOf(nested, alter))
      case TriggerSetup.Timeout(nested, timeout, reset, clear) =>
        ProcessingTimeoutTrigger.of(triggerOf(nested, alter), ofMillis(timeout), reset, clear)
    }
  )

  private def evictorOf(setup: EvictorSetup): Evictor[JLong] = setup match {
    case EvictorSetup.Count(keep, after)                => CountEvictor.of(keep, after)
    case EvictorSetup.Time(size, after)                 => TimeEvictor.of(ofMillis(size), after)
    case EvictorSetup.Delta(threshold, distance, after) => DeltaEvictor.of(threshold, delta(distance), after)
  }

  private def delta(distance: Distance): DeltaFunction[JLong] = distance.between(_, _)

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
