package dev.sparkwindowing.assigners

import dev.sparkwindowing.declaration.Part
import dev.sparkwindowing.operator.OperatorRules
import dev.sparkwindowing.testing.Properties
import dev.sparkwindowing.triggers.{EventTimeTrigger, Trigger}
import dev.sparkwindowing.windows.{TimeWindow, WindowCollector}
import org.scalacheck.Gen

import java.time.DayOfWeek.{MONDAY, SATURDAY, SUNDAY}
import java.time.temporal.ChronoUnit
import java.time.{DayOfWeek, Instant, LocalDate, LocalDateTime, ZoneId, ZonedDateTime}
import scala.jdk.CollectionConverters._

/** Calendar windows against java.time, period by period. */
class CalendarWindowsSpec extends Properties {

  private val zones = Seq(
    "Europe/Berlin",
    "America/Sao_Paulo",
    "Asia/Kolkata",
    "Asia/Beirut",
    "Australia/Lord_Howe",
    "Africa/Cairo",
    "Pacific/Apia",
    "America/New_York",
    "America/St_Johns",
    "Asia/Tehran",
    "UTC"
  )

  private def windowOf(windows: CalendarWindows, time: Long): TimeWindow = {
    val collector = new WindowCollector
    windows.assignWindows("", time, 0, collector)
    assert(collector.size == 1)
    TimeWindow(collector.start(0), collector.end(0))
  }

  private def midnight(day: LocalDate, zone: String): Long =
    day.atStartOfDay(ZoneId.of(zone)).toInstant.toEpochMilli

  /** Each period from its first to its last millisecond, with new and with used caches, by assigner and by grid. */
  private def holds(windows: CalendarWindows, starts: Seq[LocalDate], zone: String): Unit = {
    val grid   = windows.slices.getOrElse(fail(s"$windows"))
    val bounds = starts.map(midnight(_, zone)).distinct
    bounds.zip(bounds.tail).foreach { case (start, end) =>
      val expected = TimeWindow(start, end)
      for (time <- Seq(start, (start + end) / 2, end - 1)) {
        assert(windowOf(windows, time) == expected, s"$windows at ${Instant.ofEpochMilli(time)}")
        assert(TimeWindow(grid.sliceStart(time), grid.sliceEnd(time)) == expected)
        assert((grid.oldestEnd(time), grid.newestEnd(time)) == ((end, end)))
        assert(grid.lastEndUpTo(time) == start)
      }
      assert((grid.windowStart(end), grid.nextStart(end)) == ((start, end)))
      assert(grid.nextEnd(start) == end)
    }
  }

  private def daysFrom(first: LocalDate, last: LocalDate): Seq[LocalDate] =
    Iterator.iterate(first)(_.plusDays(1)).takeWhile(!_.isAfter(last)).toSeq

  private val from  = LocalDate.of(1970, 1, 1)
  private val until = LocalDate.of(2041, 1, 1)
  private val all   = daysFrom(from, until)

  for (zone <- zones) {
    test(s"each day from 1970 to 2040 in $zone") {
      holds(CalendarWindows.days(timeZone = zone), all, zone)
    }

    test(s"weeks, months, quarters and years from 1970 to 2040 in $zone") {
      def starts(first: LocalDate => Boolean) = all.filter(first)
      holds(CalendarWindows.weeks(timeZone = zone), starts(_.getDayOfWeek == MONDAY), zone)
      holds(CalendarWindows.weeks(firstDay = SUNDAY, timeZone = zone), starts(_.getDayOfWeek == SUNDAY), zone)
      holds(CalendarWindows.months(timeZone = zone), starts(_.getDayOfMonth == 1), zone)
      holds(CalendarWindows.months(firstDay = 28, timeZone = zone), starts(_.getDayOfMonth == 28), zone)
      holds(
        CalendarWindows.quarters(timeZone = zone),
        starts(d => d.getDayOfMonth == 1 && d.getMonthValue % 3 == 1),
        zone
      )
      holds(CalendarWindows.years(timeZone = zone), starts(_.getDayOfYear == 1), zone)
    }

    test(s"every change of the clocks in $zone: windows contain their times and follow each other") {
      val changes = ZoneId.of(zone).getRules.getTransitions.asScala.map(_.getInstant.toEpochMilli).toSeq ++
        (1900 to 2100 by 7).map(y => midnight(LocalDate.of(y, 3, 1), zone))
      val windows = CalendarWindows.days(timeZone = zone)
      val grid    = windows.slices.getOrElse(fail(s"$windows"))
      for (change <- changes; hours <- -50 to 50; shift <- Seq(-1L, 0L, 1L)) {
        val time   = change + hours * 1800000L + shift
        val window = windowOf(windows, time)
        assert(window.start <= time && time < window.end, Instant.ofEpochMilli(time))
        assert(windowOf(windows, window.end).start == window.end)
        assert(windowOf(windows, window.start - 1).end == window.start)
        assert(grid.lastEndUpTo(time) == window.start, Instant.ofEpochMilli(time))
      }
    }
  }

  private def at(zone: String, local: String): Long =
    LocalDateTime.parse(local).atZone(ZoneId.of(zone)).toInstant.toEpochMilli

  private def hours(window: TimeWindow): Double = (window.end - window.start) / 3600000.0

  test("a day has 23 hours in spring and 25 in autumn") {
    val berlin         = CalendarWindows.days(timeZone = "Europe/Berlin")
    def day(d: String) = hours(windowOf(berlin, at("Europe/Berlin", s"${d}T12:00")))
    assert((day("2026-03-28"), day("2026-03-29"), day("2026-10-25")) == ((24.0, 23.0, 25.0)))
    assert(
      hours(windowOf(CalendarWindows.days(timeZone = "Australia/Lord_Howe"), at("UTC", "2026-04-04T20:00"))) == 24.5
    )
  }

  test("a midnight that does not exist is the first instant of its day") {
    // In Beirut 2022-03-27 began at 01:00.
    val window = windowOf(CalendarWindows.days(timeZone = "Asia/Beirut"), at("Asia/Beirut", "2022-03-27T12:00"))
    assert(Instant.ofEpochMilli(window.start) == Instant.parse("2022-03-26T22:00:00Z"))
    assert(hours(window) == 23)
  }

  test("of a midnight that comes twice the first begins the day") {
    // In St. John's clocks fell back from 00:01 on 2010-11-07 to 23:01 on the day before.
    val zone  = "America/St_Johns"
    val days  = CalendarWindows.days(timeZone = zone)
    val first = Instant.parse("2010-11-07T02:30:00Z").toEpochMilli
    val back  = first + 60000L + 1800000L
    assert(ZonedDateTime.ofInstant(Instant.ofEpochMilli(back), ZoneId.of(zone)).toLocalDate.getDayOfMonth == 6)
    assert(windowOf(days, first).start == first)
    assert(windowOf(days, back) == windowOf(days, first) && windowOf(days, first + 3600000) == windowOf(days, first))
    assert(hours(windowOf(days, first)) == 25 && windowOf(days, first - 1).end == first)
  }

  test("a day that was left out has no window") {
    // Samoa went over the date line: no 2011-12-30.
    val days = CalendarWindows.days(timeZone = "Pacific/Apia")
    val last = windowOf(days, at("Pacific/Apia", "2011-12-29T12:00"))
    assert(hours(last) == 24 && windowOf(days, last.end) == windowOf(days, at("Pacific/Apia", "2011-12-31T12:00")))
  }

  private val cases = for {
    zone     <- Gen.oneOf(zones :+ "+05:45")
    n        <- Gen.frequency(3 -> Gen.choose(1, 10), 1 -> Gen.choose(1, 400))
    starting <- Gen.choose(-20000L, 30000L).map(LocalDate.ofEpochDay)
    time     <- Gen.choose(-2000000000000L, 4000000000000L)
    day      <- Gen.oneOf(DayOfWeek.values.toSeq)
    first    <- Gen.choose(1, 28)
    unit     <- Gen.choose(0, 4)
  } yield (zone, n, starting, time, day, first, unit)

  // Steps from the first period towards the time, one period after the other.
  property("periods of several units are counted from the first start on or after `starting`", cases, 2000) {
    case (zone, n, date, time, day, first, unit) =>
      val starting = if (unit >= 3) date.withDayOfMonth(math.min(date.getDayOfMonth, 28)) else date
      val (windows, anchor, count, chrono) = unit match {
        case 0 => (CalendarWindows.days(n, zone, starting), starting, n, ChronoUnit.DAYS)
        case 1 =>
          val next = daysFrom(starting, starting.plusDays(6)).find(_.getDayOfWeek == day).get
          (CalendarWindows.weeks(n, day, zone, starting), next, n, ChronoUnit.WEEKS)
        case 2 =>
          val next = daysFrom(starting, starting.plusDays(31)).find(_.getDayOfMonth == first).get
          (CalendarWindows.months(n, first, zone, starting), next, n, ChronoUnit.MONTHS)
        case 3 => (CalendarWindows.quarters(n, zone, starting), starting, n * 3, ChronoUnit.MONTHS)
        case _ => (CalendarWindows.years(n, zone, starting), starting, n, ChronoUnit.YEARS)
      }
      def start(k: Long) = midnight(anchor.plus(k * count, chrono), zone)
      var k              = 0L
      while (start(k) > time) k -= 1
      while (start(k + 1) <= time) k += 1
      assert(windowOf(windows, time) == TimeWindow(start(k), start(k + 1)))
  }

  test("times in any order, as from many devices") {
    val random  = new scala.util.Random(5)
    val windows = CalendarWindows.days(timeZone = "America/New_York")
    for (_ <- 1 to 20000) {
      val time  = Math.floorMod(random.nextLong(), 4000000000000L) - 2000000000000L
      val local = Instant.ofEpochMilli(time).atZone(ZoneId.of("America/New_York")).toLocalDate
      assert(windowOf(windows, time).start == midnight(local, "America/New_York"))
    }
  }

  test("a time zone as an offset") {
    val window = windowOf(CalendarWindows.days(timeZone = "+08:00"), 0)
    assert(window == TimeWindow(-28800000, 57600000))
    assert(windowOf(CalendarWindows.days(timeZone = "UTC"), -1) == TimeWindow(-86400000, 0))
  }

  test("the specification has all that the windows depend on, and is written like the call") {
    assert(CalendarWindows.days(timeZone = "Europe/Berlin").toString == "CalendarWindows.days(1, Europe/Berlin)")
    assert(
      CalendarWindows.weeks(2, SUNDAY, "UTC", LocalDate.of(2024, 1, 1)).toString ==
        "CalendarWindows.weeks(2, UTC, firstDay = sunday, starting = 2024-01-01)"
    )
    assert(CalendarWindows.months(1, 15, "Z").toString == "CalendarWindows.months(1, Z, firstDay = 15)")
    val different = Seq(
      CalendarWindows.days(timeZone = "UTC"),
      CalendarWindows.days(timeZone = "Europe/Berlin"),
      CalendarWindows.days(2, "UTC"),
      CalendarWindows.days(2, "UTC", LocalDate.of(1970, 1, 2)),
      CalendarWindows.weeks(timeZone = "UTC"),
      CalendarWindows.weeks(firstDay = SATURDAY, timeZone = "UTC"),
      CalendarWindows.months(timeZone = "UTC"),
      CalendarWindows.months(firstDay = 2, timeZone = "UTC"),
      CalendarWindows.quarters(timeZone = "UTC"),
      CalendarWindows.years(timeZone = "UTC")
    )
    assert(different.map(_.spec).distinct.size == different.size)
    assert(different.map(_.defaultTrigger).distinct == Seq(EventTimeTrigger.create()))
  }

  test("the time zone of the session is filled in, a given one is kept") {
    val open = CalendarWindows.months()
    assert(open.slices.isEmpty && open.toString == "CalendarWindows.months(1)")
    assert(open.orTimeZone(ZoneId.of("Asia/Tehran")) == CalendarWindows.months(timeZone = "Asia/Tehran"))
    val named = CalendarWindows.months(timeZone = "UTC")
    assert(named.orTimeZone(ZoneId.of("Asia/Tehran")) == named)
    val e = intercept[IllegalArgumentException](CalendarWindows.check(open))
    assert(e.getMessage.startsWith("CalendarWindows.months(1) has no time zone: name it"))
    val around = new WindowAssigner[Any] {
      def assignWindows(element: Any, timestamp: Long, processingTime: Long, windows: WindowCollector): Unit =
        open.assignWindows(element, timestamp, processingTime, windows)
      def defaultTrigger: Trigger[Any] = open.defaultTrigger
      def isEventTime: Boolean         = true
      override def children: Seq[Part] = Seq(open)
    }
    val inside = intercept[IllegalArgumentException](OperatorRules.check(around, around.defaultTrigger, 0))
    assert(inside.getMessage == e.getMessage)
  }

  test("an unknown time zone is refused with three similar ones") {
    def similar(id: String) = {
      val e    = intercept[IllegalArgumentException](CalendarWindows.days(timeZone = id))
      val text = e.getMessage
      assert(text.startsWith(s"CalendarWindows.days: time_zone '$id' is unknown. Similar ones are '"))
      assert(text.endsWith("; an offset is written '+02:00'"))
      text.drop(text.indexOf("are ") + 4).takeWhile(_ != ';').split(", ").map(_.filterNot(_ == '\'')).toSeq
    }
    assert(similar("Europe/Berln").head == "Europe/Berlin")
    assert(similar("berlin").head == "Europe/Berlin")
    assert(similar("New York").head == "America/New_York")
    assert(similar("PST").head == "America/Los_Angeles")
    assert(similar("Mars/Olympus").size == 3 && similar("").size == 3 && similar("+25:00").size == 3)
  }

  test("windows before the year 1 and behind the year 9999 are refused by name") {
    val first = Instant.parse("0001-01-01T00:00:00Z").toEpochMilli
    val last  = Instant.parse("9999-12-31T23:59:59.999Z").toEpochMilli
    for (zone <- zones) {
      val windows = CalendarWindows.days(timeZone = zone)
      val range   = TimeWindow(windowOf(windows, first).start, windowOf(windows, last).end)
      // A row aggregated before the exchange has the start of its window as its time.
      assert(windowOf(windows, range.start) == windowOf(windows, first))
      assert(windowOf(windows, range.end - 1) == windowOf(windows, last))
      for (time <- Seq(range.start - 1, range.end, Long.MinValue + 1, Long.MaxValue)) {
        val e = intercept[IllegalArgumentException](windowOf(windows, time))
        assert(e.getMessage.startsWith(s"a row has the event time ${Instant.ofEpochMilli(time)}, and calendar windows"))
        assert(e.getMessage.endsWith("df.where(\"year(ts) BETWEEN 2 AND 9998\")"))
        intercept[IllegalArgumentException](windows.slices.get.sliceStart(time))
      }
    }
    assert(windowOf(CalendarWindows.years(9999, "UTC"), last).end > last)
  }

  test("arguments out of their range are refused by name") {
    def refused(make: => CalendarWindows) = intercept[IllegalArgumentException](make).getMessage
    assert(refused(CalendarWindows.days(0)) == "CalendarWindows.days: n must be from 1 to 9999, got 0")
    assert(refused(CalendarWindows.years(10000)) == "CalendarWindows.years: n must be from 1 to 9999, got 10000")
    assert(
      refused(CalendarWindows.quarters(starting = LocalDate.of(2024, 2, 29))) ==
        "CalendarWindows.quarters: starting must be one of the first 28 days of its month, got 2024-02-29"
    )
    assert(
      refused(CalendarWindows.days(starting = LocalDate.of(0, 1, 1))) ==
        "CalendarWindows.days: starting must be in the years 1 to 9999, got 0000-01-01"
    )
    assert(
      refused(CalendarUnit.dayOfWeek("moonday") match { case d => CalendarWindows.weeks(firstDay = d) }) ==
        "CalendarWindows.weeks: first_day must be one of 'monday', 'tuesday', 'wednesday', 'thursday', 'friday', " +
        "'saturday', 'sunday', got 'moonday'"
    )
    assert(CalendarUnit.dayOfWeek("Sunday") == SUNDAY)
  }

  test("an element without a timestamp is refused as by the other assigners") {
    val e = intercept[IllegalStateException](windowOf(CalendarWindows.days(timeZone = "UTC"), Long.MinValue))
    assert(e.getMessage.contains("an element without a timestamp"))
  }
}
