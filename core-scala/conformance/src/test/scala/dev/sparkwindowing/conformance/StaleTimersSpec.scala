package dev.sparkwindowing.conformance

import org.scalatest.funsuite.AnyFunSuite

/** Timers of sessions that are no longer live: Flink keeps more of them, and nothing comes of it. */
class StaleTimersSpec extends AnyFunSuite {
  private def setup(trigger: TriggerSetup) = Setup(
    AssignerSetup.Session(10),
    trigger = Some(trigger),
    evictor = None,
    lateness = 0,
    contents = ContentsSetup.Apply,
    lateOutput = false
  )

  // A session that joins another, ends, and is there again with the bounds that the first one had: only a restore, which
  // forgets the watermark, makes that possible.
  private val events = Vector(
    Event.Element("a", 1, 0),
    Event.Element("a", 2, 5),
    Event.Clock(4),
    Event.Watermark(4),
    Event.Element("a", 3, 12),
    Event.Watermark(30),
    Event.Restore,
    Event.Element("a", 4, 0),
    Event.Clock(8),
    Event.Watermark(8),
    Event.Clock(40),
    Event.Watermark(40)
  )

  for (trigger <- Seq(TriggerSetup.ContinuousEventTime(3), TriggerSetup.ContinuousProcessingTime(6)))
    test(s"${trigger.kind}: more timers in Flink, the same firings, also where the session comes back") {
      val c     = RandomCase(0, setup(trigger), 0, events)
      val ours  = OurSide(c.setup, c.clock, onlyDue = false, (_, made) => made)
      val flink = new FlinkSide(c.setup, c.clock)
      try {
        val answers = events.map(e => (ours.take(e), flink.take(e)))
        answers.foreach { case (a, b) => assert(a.firings == b.firings && a.failure.isEmpty && b.failure.isEmpty) }
        assert(answers.flatMap(_._1.firings).size > 1)
        val more = answers.map { case (a, b) =>
          b.eventTimers + b.processingTimers - a.eventTimers - a.processingTimers
        }
        assert(more.min == 0 && more.max > 0, more)
      } finally flink.close()
    }
}
