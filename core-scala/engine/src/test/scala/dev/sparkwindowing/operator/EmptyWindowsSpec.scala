package dev.sparkwindowing.operator

import dev.sparkwindowing.assigners.{CalendarWindows, TumblingEventTimeWindows}
import dev.sparkwindowing.testing.{Bag, BagContents}
import dev.sparkwindowing.triggers.{
  AfterWatermark,
  ContinuousEventTimeTrigger,
  EventTimeTrigger,
  ProcessingTimeoutTrigger,
  PurgingTrigger,
  Trigger
}
import dev.sparkwindowing.windows.Window
import org.scalatest.funsuite.AnyFunSuite

import java.time.Duration.{ofDays, ofMillis}

/** Windows without elements beside other rules: changed triggers and times, purges, calendars. */
class EmptyWindowsSpec extends AnyFunSuite {

  private val tumbling                = TumblingEventTimeWindows.of(ofMillis(10))
  private val onTime: Trigger[String] = EventTimeTrigger.create()

  private final class Key {
    private var lines                          = Vector.empty[String]
    private val out: WindowOutput[String, Bag] = new WindowOutput[String, Bag] {
      def fire(window: Window, contents: Bag, pane: PaneInfo): Unit =
        lines :+= s"$window ${if (pane.isEmpty) "empty" else contents.toString}"
      def late(element: String, timestamp: Long, missed: Option[Window]): Unit = lines :+= s"late $element"
      def cleared(window: Window): Unit                                        = ()
    }
    private var operator: WindowOperator[String, Bag] = _

    def under(trigger: Trigger[String], forAtMost: Long, changed: Boolean = false): this.type = {
      val block     = if (operator == null || operator.isEmpty) null else operator.close()
      val watermark = if (operator == null) Long.MinValue else operator.currentWatermark
      val old       = if (changed) onTime.spec.forgettable else None
      operator = new WindowOperator(
        OperatorRules[String, Bag](tumbling, trigger, 0L, new BagContents)
          .withEmptyWindows(EmptyWindows.of(tumbling, forAtMost)),
        out
      )
      operator.setWatermark(watermark)
      operator.setProcessingTime(0)
      if (changed) operator.resume(block, null, old) else operator.open(block)
      this
    }

    def element(at: Long): this.type = {
      operator.processElement(s"$at", at)
      this
    }

    def clock(time: Long): Seq[String] = {
      operator.advanceProcessingTime(time, time)
      take()
    }

    def watermark(time: Long): Seq[String] = {
      operator.advanceWatermark(time, time)
      take()
    }

    private def take() = {
      val all = lines
      lines = Vector.empty
      all
    }
  }

  test(
    "another trigger keeps the timer of a silent key, also beside an open window that begins where the last one ended"
  ) {
    for (open <- Seq(true, false)) {
      val key = new Key().under(onTime, 30).element(5)
      assert(key.watermark(12) == Seq("[0, 10) 5"))
      if (open) key.element(15)
      key.under(AfterWatermark.of(early = ofMillis(50)), 30, changed = true)
      val first = if (open) Seq("[10, 20) 15") else Seq("[10, 20) empty")
      assert(key.watermark(35) == first :+ "[20, 30) empty")
    }
  }

  test("a shorter time holds for a key that is silent already, and a longer one, too") {
    val shorter = new Key().under(onTime, 100).element(5)
    assert(shorter.watermark(39).size == 4)
    assert(shorter.under(onTime, 20).watermark(200) == Nil)
    val longer = new Key().under(onTime, 40).element(5)
    assert(longer.watermark(39).size == 4)
    assert(longer.under(onTime, 60).watermark(200) == Seq("[40, 50) empty", "[50, 60) empty", "[60, 70) empty"))
  }

  test("a window that was purged before its end had elements, though its trigger deleted its own timer") {
    val timeout = PurgingTrigger.of(ProcessingTimeoutTrigger.of(onTime, ofMillis(10)))
    val key     = new Key().under(timeout, 30).element(5)
    assert(key.watermark(9) == Seq("[0, 10) 5"))
    key.element(12)
    assert(key.clock(20) == Seq("[10, 20) 12"))
    assert(key.watermark(29) == Seq("[20, 30) empty"))
  }

  test("firings of a continuous trigger are of elements alone") {
    val key = new Key().under(ContinuousEventTimeTrigger.of(ofMillis(4)), 20).element(5).element(12)
    assert(key.watermark(30) == Seq("[0, 10) 5", "[0, 10) 5", "[10, 20) 12", "[10, 20) 12", "[20, 30) empty"))
  }

  test(
    "the time must reach the longest of the next windows: 31 days of months, 25 hours of days with clocks that change"
  ) {
    def least(windows: CalendarWindows, days: Int): String =
      intercept[IllegalArgumentException](EmptyWindows.of(windows, ofDays(days.toLong).toMillis)).getMessage
    assert(least(CalendarWindows.months(1, timeZone = "UTC"), 30).contains("ends after up to 31 d: take at least that"))
    assert(least(CalendarWindows.years(1, "UTC"), 365).contains("up to 366 d"))
    assert(least(CalendarWindows.quarters(1, "UTC"), 91).contains("up to 92 d"))
    assert(least(CalendarWindows.days(1, "Europe/Berlin"), 1).contains("up to 25 h"))
    EmptyWindows.of(CalendarWindows.days(1, "UTC"), ofDays(1).toMillis)
    EmptyWindows.of(CalendarWindows.years(9000, "UTC"), ofDays(366L * 9000).toMillis)
  }
}
