package dev.sparkwindowing.operator

import dev.sparkwindowing.assigners.{
  EventTimeSessionWindows,
  LimitedSessionWindows,
  MergingWindowAssigner,
  SlidingEventTimeWindows,
  TumblingEventTimeWindows,
  WindowAssigner
}
import dev.sparkwindowing.testing.{Properties, ResumedKey}
import dev.sparkwindowing.triggers.{
  AfterWatermark,
  ContinuousEventTimeTrigger,
  ContinuousProcessingTimeTrigger,
  CountTrigger,
  EventTimeTrigger,
  FiringInterval,
  MicroBatchTrigger,
  NeverTrigger,
  ProcessingTimeTrigger,
  PurgingTrigger,
  Trigger
}
import org.scalacheck.Gen

import java.time.Duration.ofMillis
import scala.collection.mutable

/** Random changes of lateness and triggers on state that was kept, against keys that had them from the start. */
class RandomResumeSpec extends Properties {

  private val tumbling                    = TumblingEventTimeWindows.of(ofMillis(10))
  private val onTime: Trigger[String]     = EventTimeTrigger.create()
  private val never: Trigger[String]      = NeverTrigger.create()
  private val byTheClock: Trigger[String] = ProcessingTimeTrigger.create()

  private def early(millis: Long): Trigger[String] = AfterWatermark.of(early = ofMillis(millis))

  private val windows: Gen[WindowAssigner[String]] = Gen.oneOf(
    tumbling,
    SlidingEventTimeWindows.of(ofMillis(10), ofMillis(4)),
    EventTimeSessionWindows.withGap(ofMillis(7)),
    EventTimeSessionWindows.withGap(ofMillis(7)).withMaxLength(ofMillis(12))
  )

  // None that fires for as long as a window is kept.
  private val triggers: Gen[Trigger[String]] = Gen.oneOf(
    onTime,
    never,
    PurgingTrigger.of(onTime),
    CountTrigger.of(2),
    ContinuousEventTimeTrigger.of(ofMillis(3)),
    AfterWatermark.of(early = ofMillis(3))
  )

  // Rises of the watermark, and rows as distances ahead of it, or, rarely, behind it.
  private val batch = Gen.zip(
    Gen.frequency(1 -> Gen.const(0L), 4 -> Gen.choose(1L, 8L)),
    Gen.choose(0, 4).flatMap(Gen.listOfN(_, Gen.frequency(4 -> Gen.choose(1L, 15L), 1 -> Gen.choose(-12L, 0L))))
  )

  private val cases = for {
    assigner <- windows
    trigger  <- triggers
    before   <- Gen.choose(0L, 10L)
    after    <- Gen.choose(before, before + 10)
    first    <- Gen.nonEmptyListOf(batch)
    second   <- Gen.nonEmptyListOf(batch)
    if trigger.canMerge || !assigner.isInstanceOf[MergingWindowAssigner[_]]
  } yield (assigner, trigger, before, after, first, second)

  // Rows that are never late for the shorter lateness, and join no window that it has cleaned up: then the change must
  // not be seen, as if the longer lateness had held from the start.
  property("a longer lateness gives what it would have given from the start", cases, 3000) {
    case (assigner, trigger, before, after, first, second) =>
      val changed                               = new ResumedKey(assigner).under(trigger, before)
      val always                                = new ResumedKey(assigner).under(trigger, after)
      var watermark                             = 0L
      var cleanedUp                             = 0L
      var isBefore                              = true
      def both(batch: (Long, List[Long])): Unit = {
        val (by, ahead) = batch
        watermark += by
        if (isBefore) cleanedUp = watermark - before
        val rows = ahead.map(_ + watermark).filter(_ > cleanedUp + 1)
        Seq(changed, always).foreach(_.cell.processingTime = watermark)
        val results = Seq(changed, always).map(_.batch(watermark, rows: _*).filterNot(_.startsWith("cleared")))
        assert(results.head == results(1), s"watermark $watermark, rows $rows")
      }
      first.foreach(both)
      changed.under(trigger, after)
      isBefore = false
      second.foreach(both)
      both((1000L, Nil))
      both((1L, Nil))
      assert(changed.cell.nextEventTimer == always.cell.nextEventTimer)
  }

  private val forgettable: Gen[Trigger[String]] = Gen.oneOf(
    onTime,
    never,
    byTheClock,
    MicroBatchTrigger.create(),
    CountTrigger.of(2),
    ContinuousEventTimeTrigger.of(ofMillis(3)),
    ContinuousProcessingTimeTrigger.of(ofMillis(3)),
    early(3),
    AfterWatermark.of(early = FiringInterval.MicroBatch, late = FiringInterval.MicroBatch)
  )
  private val firesAtEnd: Gen[Trigger[String]] =
    Gen.oneOf(onTime, MicroBatchTrigger.create(), ContinuousEventTimeTrigger.of(ofMillis(3)), early(3))

  private val changes = for {
    assigner <- windows
    first    <- Gen.nonEmptyListOf(Gen.zip(forgettable, batch))
    last     <- firesAtEnd
    more     <- Gen.listOf(batch)
    if !assigner.isMerging || (last +: first.map(_._1)).forall(_.canMerge)
  } yield (assigner, first, last, more)

  property("whatever triggers a window has had, the last one fires all its rows at its end", changes, 3000) {
    case (assigner, first, last, more) =>
      val hosts                                  = Seq.fill(2)(new ResumedKey(assigner).under(last, 0))
      val firings                                = Seq.fill(2)(mutable.Map.empty[(Long, Long), String])
      var watermark                              = 0L
      def both(by: Long, ahead: Seq[Long]): Unit = {
        watermark += by
        val rows = ahead.filter(_ > 0).map(_ + watermark)
        for ((host, results) <- hosts.zip(firings)) {
          host.cell.processingTime = watermark
          host.batch(watermark, rows: _*).collect { case Firing(start, end, all) =>
            results((start.toLong, end.toLong)) = all
          }
        }
      }
      for ((trigger, (by, ahead)) <- first) {
        val _ = hosts.head.under(trigger, 0)
        both(by, ahead)
      }
      val _      = hosts.head.under(last, 0)
      val before = firings(1).toMap
      firings.foreach(_.clear())
      more.foreach { case (by, ahead) => both(by, ahead) }
      both(1000L, Nil)
      both(1L, Nil)
      // Sessions that were merged into others may have fired before.
      def whole(results: mutable.Map[(Long, Long), String]) = results.filterNot { case ((start, end), _) =>
        results.keys.exists(other => other != ((start, end)) && other._1 <= start && end <= other._2)
      }
      // Firings that the trigger would have had before the change may come once more.
      val Seq(found, expected) = firings.map(whole)
      assert(expected.forall { case (window, all) => found.get(window).contains(all) }, s"$found $expected")
      assert(found.forall { case (window, all) => (before ++ expected).get(window).contains(all) }, s"$found $before")
      assert(hosts.head.cell.block == null)
  }

  // Those of the clock alone do not fire at the clean-up.
  private val losesNothing: Gen[Trigger[String]] = Gen.oneOf(
    onTime,
    MicroBatchTrigger.create(),
    ContinuousEventTimeTrigger.of(ofMillis(3)),
    early(3),
    AfterWatermark.of(late = ofMillis(7)),
    AfterWatermark.of(early = FiringInterval.MicroBatch, late = ofMillis(3))
  )

  // Sessions with a greatest length may fire parts of what they are in the end.
  private val unlimited = windows.filter(!_.isInstanceOf[LimitedSessionWindows[_]])

  private val lateChanges = for {
    assigner <- unlimited
    lateness <- Gen.choose(1L, 12L)
    first    <- Gen.nonEmptyListOf(Gen.zip(losesNothing, batch))
    last     <- firesAtEnd
    more     <- Gen.listOf(batch)
  } yield (assigner, lateness, first, last, more)

  property("no row is lost by a change of triggers, on time or late", lateChanges, 3000) {
    case (assigner, lateness, first, last, more) =>
      val changed                                = new ResumedKey(assigner)
      val always                                 = new ResumedKey(assigner).under(MicroBatchTrigger.create(), lateness)
      val results                                = Seq.fill(2)(mutable.Map.empty[(Long, Long), String])
      var watermark                              = 0L
      def both(by: Long, ahead: Seq[Long]): Unit = {
        watermark += by
        for ((host, results) <- Seq(changed, always).zip(results)) {
          host.cell.processingTime = watermark
          host.batch(watermark, ahead.map(_ + watermark).filter(_ >= 0): _*).collect { case Firing(start, end, all) =>
            results((start.toLong, end.toLong)) = all
          }
        }
      }
      for ((trigger, (by, ahead)) <- first) {
        val _ = changed.under(trigger, lateness)
        both(by, ahead)
      }
      val _ = changed.under(last, lateness)
      more.foreach { case (by, ahead) => both(by, ahead) }
      both(1000L, Nil)
      both(1L, Nil)
      // Without sessions that were merged into others: some triggers fire them before, some do not.
      val Seq(found, expected) = results.map(_.filterNot { case ((start, end), _) =>
        results.exists(_.keys.exists(other => other != ((start, end)) && other._1 <= start && end <= other._2))
      })
      assert(found == expected)
  }

  private val Firing = """\[(\d+), (\d+)\) (.*)""".r
}
