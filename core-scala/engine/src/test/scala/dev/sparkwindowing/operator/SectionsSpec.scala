package dev.sparkwindowing.operator

import dev.sparkwindowing.assigners._
import dev.sparkwindowing.codec.CorruptBlockException
import dev.sparkwindowing.contents.{ElementList, ListContents, WindowContents}
import dev.sparkwindowing.evictors.{CountEvictor, Evictor}
import dev.sparkwindowing.state.{KeyStateReader, KeyStateRewriter, SectionedBlock}
import dev.sparkwindowing.testing.{Happened, Kept, MemoryCell, Outputs, Properties, Shown}
import dev.sparkwindowing.triggers._
import org.scalacheck.Gen

import java.time.Duration.ofMillis

/** Windows of several names with any parts: each name against an operator that has its windows alone. */
class SectionsSpec extends Properties {

  private case class Rules(
      names: Seq[WindowAssigner[Any]],
      trigger: Option[Trigger[Any]],
      evictor: Option[Evictor[String]],
      lateness: Long,
      fillEmpty: Option[Long]
  )

  private val windows: Gen[WindowAssigner[Any]] = Gen.oneOf(
    TumblingEventTimeWindows.of(ofMillis(10)),
    TumblingEventTimeWindows.of(ofMillis(30), ofMillis(3)),
    SlidingEventTimeWindows.of(ofMillis(12), ofMillis(5)),
    SlidingEventTimeWindows.of(ofMillis(4), ofMillis(9)),
    CumulativeEventTimeWindows.of(ofMillis(40), ofMillis(10)),
    EventTimeSessionWindows.withGap(ofMillis(7)),
    EventTimeSessionWindows.withGap(ofMillis(7)).withMaxLength(ofMillis(12)),
    CountWindows.of(3)
  )

  private val triggers: Gen[Trigger[Any]] = Gen.oneOf(
    CountTrigger.of(2),
    PurgingTrigger.of(CountTrigger.of(3)),
    MicroBatchTrigger.create(),
    ContinuousEventTimeTrigger.of(ofMillis(3)),
    ContinuousProcessingTimeTrigger.of(ofMillis(4)),
    AfterWatermark.of(early = ofMillis(3), late = FiringInterval.MicroBatch)
  )

  private val rules = for {
    names    <- Gen.choose(1, 4).flatMap(Gen.listOfN(_, windows))
    trigger  <- Gen.option(triggers)
    evictor  <- Gen.frequency(4 -> Gen.const(None), 1 -> Gen.const(Some(CountEvictor.of[String](2))))
    lateness <- Gen.frequency(2 -> Gen.const(0L), 1 -> Gen.choose(1L, 15L))
    fill     <- Gen.frequency(3 -> Gen.const(None), 1 -> Gen.choose(40L, 90L).map(Some(_)))
  } yield {
    val isFilled = fill.nonEmpty && evictor.isEmpty && trigger.isEmpty
    val used     = if (isFilled) names.filter(_.slices.nonEmpty) else names
    if (used.isEmpty) Rules(names, trigger, evictor, lateness, None)
    else Rules(used, trigger, evictor, lateness, fill.filter(_ => isFilled))
  }

  // Rises of the watermark and of the clock, and rows as distances ahead of the watermark or behind it.
  private val batches = Gen.nonEmptyListOf(
    Gen.zip(
      Gen.frequency(1 -> Gen.const(0L), 4 -> Gen.choose(1L, 12L)),
      Gen.choose(0L, 3L),
      Gen.choose(0, 5).flatMap(Gen.listOfN(_, Gen.frequency(4 -> Gen.choose(1L, 25L), 1 -> Gen.choose(-25L, 0L))))
    )
  )

  private def plan(kept: Kept[_], assigner: WindowAssigner[Any], r: Rules): KeyedPlan.Windowed[String] = KeyedPlan.of(
    assigner,
    r.trigger.filterNot(_ => assigner.isInstanceOf[CountWindows]).getOrElse(assigner.defaultTrigger),
    r.evictor,
    r.lateness,
    panes = true,
    showsElement = false,
    mergesInAnyOrder = kept eq Kept.AsAccumulator,
    isOrderInsensitive = kept eq Kept.AsAccumulator,
    fillEmpty = r.fillEmpty
  )

  /** One key, with what it has put out for each name. */
  private final class Key[C <: AnyRef](kept: Kept[C], of: KeyedPlan.Windowed[String], names: Seq[String]) {
    private val outs     = names.map(_ -> new Outputs(kept, Shown(panes = true, collapsed = false))).toMap
    private val operator = of.operator(new WindowHost[String, C] {
      def contents: WindowContents[String, C]                                         = kept.contents
      def elements: ListContents[String]                                              = Kept.AsList.contents
      def output: WindowOutput[String, C]                                             = outputOf(names.head)
      def outputOf(name: String): WindowOutput[String, C]                             = outs(name)
      def outputOfElements: WindowOutput[String, ElementList[String]]                 = outputOfElementsOf(names.head)
      def outputOfElementsOf(name: String): WindowOutput[String, ElementList[String]] =
        outs(name).asInstanceOf[WindowOutput[String, ElementList[String]]]
    })
    private val step = new Step[String](operator, _.takeWhile(_ != '.').toLong, rowsFirst = false)
    val cell         = new MemoryCell
    val kind         = of.stateKind

    def batch(rows: Seq[String], watermark: Long, clock: Long): Map[String, Happened] = {
      outs.values.foreach(_.key = "k")
      cell.previousWatermark = cell.watermark
      cell.watermark = watermark
      cell.processingTime = clock
      step.run(rows.iterator, cell)
      cell.pieces.requireThoseOf(cell.block)
      outs.map { case (name, out) => name -> sorted(out.take()) }
    }
  }

  // Elements of slices come in any order.
  private def sorted(all: Happened): Happened = all.copy(fires = all.fires.map { line =>
    val (values, others) = line.split(' ').partition(_.contains('.'))
    (others.toSeq ++ values.toSeq.sorted).mkString(" ")
  })

  private def play(kept: Kept[_ <: AnyRef], r: Rules, batches: Seq[(Long, Long, Seq[Long])]): Unit =
    playOf(kept, r, batches)

  private def playOf[C <: AnyRef](kept: Kept[C], r: Rules, batches: Seq[(Long, Long, Seq[Long])]): Unit = {
    val named     = r.names.zipWithIndex.map { case (windows, i) => s"w$i" -> windows }
    val all       = new Key(kept, plan(kept, NamedWindows.of(named: _*), r), named.map(_._1))
    val alone     = named.map { case (name, windows) => name -> new Key(kept, plan(kept, windows, r), Seq(name)) }
    var watermark = 0L
    var clock     = 0L
    val ended     = batches :+ ((1000L, 1000L, Nil))
    ended.zipWithIndex.foreach { case ((rise, tick, ahead), i) =>
      watermark += rise
      clock += tick
      val rows     = ahead.zipWithIndex.map { case (by, n) => s"${watermark + by}.$i.$n" }
      val got      = all.batch(rows, watermark, clock)
      val expected = alone.flatMap { case (_, key) => key.batch(rows, watermark, clock) }.toMap
      assert(got == expected, s"$r, micro-batch $i")
      val cells = alone.map(_._2.cell)
      assert(all.cell.nextEventTimer == cells.map(_.nextEventTimer).min, s"$r, micro-batch $i")
      assert(all.cell.nextProcessingTimer == cells.map(_.nextProcessingTimer).min, s"$r, micro-batch $i")
      assert((all.cell.block == null) == cells.forall(_.block == null))
      if (all.cell.block != null) readAgain(all, r.lateness)
    }
  }

  // Reads and rewrites the block without its operator.
  private def readAgain(key: Key[_], lateness: Long): Unit = {
    def read = new KeyStateReader(key.kind, lateness)
      .read(key.cell.block, key.cell.pieces)
      .windows
      .map(w => (w.section, w.start, w.end, w.contents.map(_.toSeq), w.eventTimers))
    val before = read
    key.cell.block = new KeyStateRewriter(key.kind, identity)(key.cell.block, key.cell.pieces)
    key.cell.pieces.requireThoseOf(key.cell.block)
    assert(read == before)
    assert(SectionedBlock.pages(key.cell.block).forall(key.cell.pieces.stored.contains))
  }

  property("any names with any parts, aggregated", Gen.zip(rules.map(_.copy(evictor = None)), batches), 500) {
    case (r, batches) => play(Kept.AsAccumulator, r, batches)
  }

  property("any names with any parts, of all elements, in pieces", Gen.zip(rules, batches), 500) { case (r, batches) =>
    play(Kept.AsList, r, batches)
  }

  test("a block of other sections, cut short or damaged, is refused") {
    val r     = Rules(Nil, Some(CountTrigger.of(9)), None, 0L, None)
    val two   = Seq("a" -> 10L, "b" -> 20L).map { case (n, size) => n -> TumblingEventTimeWindows.of(ofMillis(size)) }
    val three = two :+ ("c" -> EventTimeSessionWindows.withGap(ofMillis(5)))
    val key   = new Key(Kept.AsList, plan(Kept.AsList, NamedWindows.of(two: _*), r), two.map(_._1))
    key.batch(Seq("1.a", "12.b"), 0, 0)
    def open(block: Array[Byte], names: Seq[(String, WindowAssigner[Any])]): Unit = {
      val other = new Key(Kept.AsList, plan(Kept.AsList, NamedWindows.of(names: _*), r), names.map(_._1))
      other.cell.block = block
      other.cell.pieces.stored ++= key.cell.pieces.stored
      other.batch(Seq("2.c"), 0, 0): Unit
    }
    open(key.cell.block.clone(), two)
    intercept[CorruptBlockException](open(key.cell.block, three))
    intercept[CorruptBlockException](open(key.cell.block, two.take(1)))
    for (i <- key.cell.block.indices) {
      intercept[CorruptBlockException](open(key.cell.block.take(i), two))
      intercept[CorruptBlockException](open(key.cell.block.updated(i, (key.cell.block(i) ^ 1).toByte), two))
    }
  }
}
