package dev.sparkwindowing.state

import dev.sparkwindowing.assigners.{
  EventTimeSessionWindows,
  GlobalWindows,
  NamedWindows,
  OverEventTimeWindows,
  SlidingEventTimeWindows,
  TumblingEventTimeWindows,
  WindowAssigner
}
import dev.sparkwindowing.codec.{BlockReader, BlockWriter, ValueCodec}
import dev.sparkwindowing.contents.CopyableContents
import dev.sparkwindowing.evictors.CountEvictor
import dev.sparkwindowing.functions.{ListStateDescriptor, MapStateDescriptor, ValueStateDescriptor}
import dev.sparkwindowing.operator.{
  EmptyWindows,
  KeyedOperator,
  OperatorRules,
  PaneInfo,
  SlicedOperator,
  WindowOperator,
  WindowOutput
}
import dev.sparkwindowing.testing.{Kept, MemoryPieces, Outputs, Shown}
import dev.sparkwindowing.triggers.{
  AfterWatermark,
  AllTrigger,
  AnyTrigger,
  ContinuousEventTimeTrigger,
  ContinuousProcessingTimeTrigger,
  CountTrigger,
  DeltaTrigger,
  EndOfStreamTrigger,
  EventTimeTrigger,
  OnMergeContext,
  OnceTrigger,
  ProcessingTimeoutTrigger,
  PurgingTrigger,
  Trigger,
  TriggerContext,
  TriggerResult
}
import dev.sparkwindowing.windows.Window

import java.lang.{Long => JLong}
import java.time.Duration.ofMillis

/** A query on texts with all that a block can hold, by name: what it remembers of a key, and what comes of that. */
final class SampleKey(
    val name: String,
    val make: () => (KeyedOperator[String], () => Seq[String]),
    val pieces: MemoryPieces = null
) {
  private[this] val (operator, taken) = make()

  /** The block after these elements, `text@time`, with watermark and processing time in between. */
  def after(elements: String*): Array[Byte] = {
    if (pieces != null) pieces.stored.clear()
    operator.open(null, pieces)
    operator.setWatermark(Long.MinValue)
    operator.setProcessingTime(SampleKey.Clock - 10)
    play(elements)
    taken()
    val block = operator.close()
    operator.leave()
    block
  }

  /** Output of a key with that block for these elements, then one second of processing time later, then at the end of
    * event time.
    */
  def goesOn(block: Array[Byte], elements: String*): Seq[String] = {
    operator.setWatermark(SampleKey.Watermark)
    operator.setProcessingTime(SampleKey.Clock)
    operator.open(block, pieces)
    play(elements)
    operator.advanceProcessingTime(SampleKey.Clock + 1000, SampleKey.Clock + 1000)
    operator.advanceWatermark(Long.MaxValue, Long.MaxValue)
    taken()
  }

  def open(block: Array[Byte]): Unit = operator.open(block, pieces)

  private[this] def play(elements: Seq[String]): Unit = {
    elements.foreach { e =>
      val at = e.indexOf('@')
      operator.processElement(e.take(at), e.drop(at + 1).toLong)
    }
    operator.advanceWatermark(SampleKey.Watermark, SampleKey.Watermark)
    operator.advanceProcessingTime(SampleKey.Clock, SampleKey.Clock)
  }
}

object SampleKey {
  val Watermark = 12L
  val Clock     = 1000L

  def all: Seq[SampleKey] = Seq(
    windows("tumbling", TumblingEventTimeWindows.of(ofMillis(10)), EventTimeTrigger.create()),
    windows("sliding", SlidingEventTimeWindows.of(ofMillis(10), ofMillis(5)), PurgingTrigger.of(CountTrigger.of(3))),
    windows("sessions", EventTimeSessionWindows.withGap(ofMillis(5)), EventTimeTrigger.create(), lateness = 20),
    windows("sessions_panes", EventTimeSessionWindows.withGap(ofMillis(5)), CountTrigger.of(2), 20, panes = true),
    windows("sessions_repeated", EventTimeSessionWindows.withGap(ofMillis(1)), Always, 20, panes = true),
    windows(
      "global",
      GlobalWindows.create(),
      AnyTrigger.of[String](restartOnFire = false, CountTrigger.of(4), EndOfStreamTrigger.create())
    ),
    windows(
      "any",
      TumblingEventTimeWindows.of(ofMillis(10)),
      AnyTrigger.of(restartOnFire = false, EventTimeTrigger.create(), early),
      20
    ),
    windows("all", GlobalWindows.create(), AllTrigger.of[String](CountTrigger.of(2), early)),
    windows("phases", TumblingEventTimeWindows.of(ofMillis(10)), AfterWatermark.of(CountTrigger.of(2), early), 20),
    windows("continuous", TumblingEventTimeWindows.of(ofMillis(50)), ContinuousEventTimeTrigger.of(ofMillis(7))),
    windows("timeout", GlobalWindows.create(), ProcessingTimeoutTrigger.of[String](CountTrigger.of(9), ofMillis(300))),
    windows("after_watermark", TumblingEventTimeWindows.of(ofMillis(50)), AfterWatermark.of(ofMillis(30))),
    windows("delta", GlobalWindows.create(), DeltaTrigger.of[String](3.0, byLength, ValueCodec.string)),
    windows("once", TumblingEventTimeWindows.of(ofMillis(50)), OnceTrigger.of[String](CountTrigger.of(8))),
    new SampleKey("evicting", () => evicting),
    new SampleKey("function_state", () => counting),
    new SampleKey("slices", () => slices(SlidingEventTimeWindows.of(ofMillis(20), ofMillis(5)), None)),
    new SampleKey("shared_slices", () => shared(EventTimeTrigger.create())),
    windows("filled", TumblingEventTimeWindows.of(ofMillis(4)), EventTimeTrigger.create(), 20, panes = true, Some(8)),
    new SampleKey("filled_slices", () => slices(SlidingEventTimeWindows.of(ofMillis(4), ofMillis(2)), Some(20))),
    new SampleKey("over", () => over(Kept.AsAccumulator, OverEventTimeWindows.preceding(ofMillis(16)))),
    new SampleKey("over_rows", () => over(Kept.AsList, OverEventTimeWindows.precedingRows(3)))
  )

  /** Queries that keep elements or have state of functions, whose blocks have pieces beside them. */
  def withPieces: Seq[SampleKey] = Seq(
    new SampleKey("evicting", () => evicting, new MemoryPieces),
    new SampleKey("sessions", () => elementsOfSessions, new MemoryPieces),
    new SampleKey("over_rows", () => over(Kept.AsList, OverEventTimeWindows.precedingRows(8)), new MemoryPieces),
    new SampleKey("function_state", () => recalling, new MemoryPieces)
  )

  /** Queries with many windows or timestamps, whose blocks have them in pages. */
  def withPages: Seq[SampleKey] = {
    def paged(name: String, make: () => (KeyedOperator[String], () => Seq[String])) =
      new SampleKey(name, make, new MemoryPieces(MemoryPieces.SmallPages))
    Seq(
      paged("evicting", () => evicting),
      paged("shared_slices", () => shared(EventTimeTrigger.create())),
      paged("slices", all.find(_.name == "slices").get.make),
      paged("sessions_panes", all.find(_.name == "sessions_panes").get.make),
      paged("phases", all.find(_.name == "phases").get.make),
      paged("over_rows", () => over(Kept.AsList, OverEventTimeWindows.precedingRows(8)))
    )
  }

  /** Queries with windows of several names that have sections of their own. */
  def withSections: Seq[SampleKey] = Seq(
    new SampleKey(
      "sections",
      () => shared(AfterWatermark.of(CountTrigger.of(2))),
      new MemoryPieces(MemoryPieces.SmallPages)
    )
  )

  // Windows of three names.
  private def shared(trigger: Trigger[Any]): (KeyedOperator[String], () => Seq[String]) = {
    val named = NamedWindows.of(
      "five"  -> TumblingEventTimeWindows.of(ofMillis(5)),
      "slide" -> SlidingEventTimeWindows.of(ofMillis(20), ofMillis(10)),
      "all"   -> TumblingEventTimeWindows.of(ofMillis(100))
    )
    val out  = new Outputs(Kept.AsAccumulator)
    val over = Kept.AsAccumulator.operator(named, trigger, None, 0, panes = false)
    (over(out), () => out.take().fires.map(_.trim))
  }

  private def elementsOfSessions: (KeyedOperator[String], () => Seq[String]) = {
    val out     = new Outputs(Kept.AsList)
    val windows = EventTimeSessionWindows.withGap(ofMillis(5))
    val over    = Kept.AsList.operator(windows, EventTimeTrigger.create(), None, 20, panes = false)
    (over(out), () => out.take().fires.map(_.trim))
  }

  private def early                                  = ContinuousProcessingTimeTrigger.of(ofMillis(40))
  private def byLength(a: String, b: String): Double = (b.length - a.length).toDouble.abs

  // Fires at each element and at the clean-up, with the contents of the firing before.
  private object Always extends Trigger[String] {
    def onElement(element: String, timestamp: Long, window: Window, ctx: TriggerContext): TriggerResult =
      TriggerResult.Fire
    def onEventTime(time: Long, window: Window, ctx: TriggerContext): TriggerResult      = TriggerResult.Fire
    def onProcessingTime(time: Long, window: Window, ctx: TriggerContext): TriggerResult = TriggerResult.Continue
    def clear(window: Window, ctx: TriggerContext): Unit                                 = ()
    override def canMerge: Boolean                                                       = true
    override def onMerge(window: Window, ctx: OnMergeContext): Unit                      = ()
  }

  private def windows(
      name: String,
      assigner: WindowAssigner[String],
      trigger: Trigger[String],
      lateness: Long = 0,
      panes: Boolean = false,
      fillEmpty: Option[Long] = None
  ): SampleKey = new SampleKey(
    name,
    () => {
      val out  = new Outputs(Kept.AsAccumulator, Shown(panes, collapsed = false))
      val over = Kept.AsAccumulator.operator(assigner, trigger, None, lateness, panes, fillEmpty)
      (over(out), () => out.take().fires.map(_.trim))
    }
  )

  private def evicting: (KeyedOperator[String], () => Seq[String]) = {
    val assigner = SlidingEventTimeWindows.of(ofMillis(20), ofMillis(10))
    val evictor  = CountEvictor.of[String](2)
    val out      = new Outputs(Kept.AsList)
    val over     = Kept.AsList.operator(assigner, EventTimeTrigger.create(), Some(evictor), 0, panes = false)
    (over(out), () => out.take().fires.map(_.trim))
  }

  // Counts the firings of the key.
  private def counting: (KeyedOperator[String], () => Seq[String]) = {
    val firings = ValueStateDescriptor[JLong]("firings", ValueCodec.long)
    stateful { (state, _, _) =>
      val count = state.getState(firings)
      count.update(count.value.fold(0L)(_.longValue) + 1)
      s"firing ${count.value.fold(0L)(_.longValue)}"
    }
  }

  // Keeps what it has shown, in each kind of state.
  private def recalling: (KeyedOperator[String], () => Seq[String]) = {
    val text = ValueStateDescriptor("text", ValueCodec.string)
    val list = ListStateDescriptor("list", ValueCodec.string)
    val map  = MapStateDescriptor("map", ValueCodec.long, ValueCodec.string)
    stateful { (state, window, contents) =>
      state.getState(text).update(state.getState(text).value.getOrElse("") + contents * 5)
      state.getListState(list).addAll((1 to 8).map(i => s"$i$contents"))
      (0 to 9).foreach(i => state.getMapState(map).put(window.maxTimestamp - i, contents.take(i)))
      Seq(state.getState(text).value, state.getListState(list).get.toVector, state.getMapState(map).entries)
        .mkString(" ")
    }
  }

  private def stateful(
      shown: (ScopedStateStore, Window, String) => String
  ): (KeyedOperator[String], () => Seq[String]) = {
    var lines                                    = Vector.empty[String]
    var operator: WindowOperator[String, String] = null
    val out                                      = new WindowOutput[String, String] {
      def fire(window: Window, contents: String, pane: PaneInfo): Unit = {
        val state = new ScopedStateStore(operator.functionState, FunctionState.OfKey)
        lines :+= s"$window $contents ${shown(state, window, contents)}"
      }
      def late(element: String, timestamp: Long, missed: Option[Window]): Unit = ()
      def cleared(window: Window): Unit                                        = ()
    }
    val tumbling = TumblingEventTimeWindows.of(ofMillis(10))
    operator = new WindowOperator(
      OperatorRules[String, String](tumbling, EventTimeTrigger.create(), 0, Kept.AsAccumulator.contents),
      out
    )
    val take = () => {
      val all = lines
      lines = Vector.empty
      all
    }
    (operator, take)
  }

  // With elements and counted firings.
  private def over[C <: AnyRef](
      kept: Kept[C],
      windows: OverEventTimeWindows
  ): (KeyedOperator[String], () => Seq[String]) = {
    val out  = new Outputs(kept, Shown(panes = true, collapsed = false))
    val over = kept.operator(windows, windows.defaultTrigger, None, 20, panes = true)
    (over(out), () => out.take().fires.map(_.trim))
  }

  private def slices(
      windows: SlidingEventTimeWindows,
      fillEmpty: Option[Long]
  ): (KeyedOperator[String], () => Seq[String]) = {
    val grid = windows.slices.get
    val rule = fillEmpty.map(EmptyWindows.of(windows, _)).orNull
    val kept = Kept.AsAccumulator.contents
    val out  = new Outputs(Kept.AsAccumulator)
    val copy = new CopyableContents[String, String] {
      def empty(): String                                            = kept.empty()
      def add(all: String, element: String, timestamp: Long): String = kept.add(all, element, timestamp)
      def merge(all: String, other: String): String                  = kept.merge(all, other)
      def copy(all: String): String                                  = all
      def write(all: String, out: BlockWriter): Unit                 = kept.write(all, out)
      def read(in: BlockReader): String                              = kept.read(in)
    }
    (new SlicedOperator(grid, copy, out, rule), () => out.take().fires.map(_.trim))
  }
}
