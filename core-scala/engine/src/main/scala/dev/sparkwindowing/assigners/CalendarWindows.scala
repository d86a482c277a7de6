package dev.sparkwindowing.assigners

import dev.sparkwindowing.declaration.{PartSpec, Spec}
import dev.sparkwindowing.windows.{CalendarSlices, SliceGrid, WindowCollector}

import java.time.{DayOfWeek, LocalDate, ZoneId}

/** Consecutive event-time windows of whole days, weeks, months, quarters or years of a time zone: one window per
  * element, from local midnight to local midnight.
  *
  * A day has 23 or 25 hours when the clocks change. Where a midnight does not exist, a window starts at the first
  * instant of its day; where it comes twice, at the first. Build it with the factory that is named after the unit.
  *
  * @param starting
  *   windows are counted from the first possible start on or after this day
  * @param timeZone
  *   None for that of the Spark session, which is set when the windows are declared on a DataFrame
  */
final case class CalendarWindows private (unit: CalendarUnit, n: Int, starting: LocalDate, timeZone: Option[ZoneId])
    extends EventTimeAssigner[Any] {

  private[this] val periods: CalendarSlices =
    timeZone.fold[CalendarSlices](null)(
      CalendarSlices(unit.unit, n.toLong * unit.length, unit.firstStart(starting), _)
    )

  /** This assigner with the time zone `session`, unless it has one. */
  private[sparkwindowing] def orTimeZone(session: ZoneId): CalendarWindows =
    if (timeZone.isEmpty) copy(timeZone = Some(session)) else this

  def assignWindows(element: Any, timestamp: Long, processingTime: Long, windows: WindowCollector): Unit = {
    EventTime.require(timestamp)
    val window = periods.windowOf(timestamp)
    windows.add(window.start, window.end)
  }

  override private[sparkwindowing] def slices: Option[SliceGrid] = Option(periods)

  override def spec: Spec = unit
    .describe(
      PartSpec(
        s"CalendarWindows.${unit.name}",
        Seq("n" -> Spec.Count(n.toLong)) ++ timeZone.map(zone => "timeZone" -> Spec.Text(zone.getId))
      )
    )
    .option("starting", Spec.Text(starting.toString), Spec.Text(CalendarWindows.Epoch.toString))
}

object CalendarWindows {

  private val Epoch = LocalDate.ofEpochDay(0)

  /** Stands for the time zone of the Spark session in which the windows are declared (`spark.sql.session.timeZone`). */
  val SessionTimeZone: String = "session"

  /** Windows of `n` days.
    *
    * @param n
    *   1 to 9999
    * @param timeZone
    *   a region such as `Europe/Berlin`, or an offset such as `+02:00`
    * @param starting
    *   day from which windows are counted, in the years 1 to 9999
    * @throws java.lang.IllegalArgumentException
    *   if the time zone does not exist or another argument is out of its range
    */
  def days(n: Int = 1, timeZone: String = SessionTimeZone, starting: LocalDate = Epoch): CalendarWindows =
    of(CalendarUnit.Days, n, timeZone, starting)

  /** Windows of `n` weeks, counted from the first `firstDay` on or after `starting`; otherwise as [[days]]. */
  def weeks(
      n: Int = 1,
      firstDay: DayOfWeek = DayOfWeek.MONDAY,
      timeZone: String = SessionTimeZone,
      starting: LocalDate = Epoch
  ): CalendarWindows = {
    if (firstDay == null) throw new NullPointerException("first_day must not be null")
    of(CalendarUnit.Weeks(firstDay), n, timeZone, starting)
  }

  /** Windows of `n` months, counted from the first `firstDay` on or after `starting`; otherwise as [[days]].
    *
    * @param firstDay
    *   day of the month on which a window starts, 1 to 28
    */
  def months(
      n: Int = 1,
      firstDay: Int = 1,
      timeZone: String = SessionTimeZone,
      starting: LocalDate = Epoch
  ): CalendarWindows = {
    if (firstDay < 1 || firstDay > 28)
      throw new IllegalArgumentException(s"CalendarWindows.months: first_day must be from 1 to 28, got $firstDay")
    of(CalendarUnit.Months(firstDay), n, timeZone, starting)
  }

  /** Windows of `n` times three months, counted from `starting`; otherwise as [[days]].
    *
    * @param starting
    *   the first day of a quarter, on one of the first 28 days of its month
    */
  def quarters(
      n: Int = 1,
      timeZone: String = SessionTimeZone,
      starting: LocalDate = Epoch
  ): CalendarWindows = of(CalendarUnit.Quarters, n, timeZone, starting)

  /** Windows of `n` years, counted from `starting`; otherwise as [[days]].
    *
    * @param starting
    *   the first day of a year, on one of the first 28 days of its month
    */
  def years(n: Int = 1, timeZone: String = SessionTimeZone, starting: LocalDate = Epoch): CalendarWindows =
    of(CalendarUnit.Years, n, timeZone, starting)

  /** Refuses an assigner without a time zone.
    *
    * @throws java.lang.IllegalArgumentException
    *   if it, or a part inside it, has none
    */
  private[sparkwindowing] def check(assigner: WindowAssigner[_]): Unit = assigner.tree.foreach {
    case c: CalendarWindows if c.timeZone.isEmpty =>
      throw new IllegalArgumentException(
        s"""$c has no time zone: name it where it is made, e.g. time_zone="Europe/Berlin""""
      )
    case _ => ()
  }

  private def of(unit: CalendarUnit, n: Int, timeZone: String, starting: LocalDate): CalendarWindows = {
    val owner                                               = s"CalendarWindows.${unit.name}"
    def check(condition: Boolean, message: => String): Unit =
      if (!condition) throw new IllegalArgumentException(s"$owner: $message")
    if (timeZone == null) throw new NullPointerException(s"$owner: time_zone must not be null")
    if (starting == null) throw new NullPointerException(s"$owner: starting must not be null")
    check(n >= 1 && n <= 9999, s"n must be from 1 to 9999, got $n")
    check(starting.getYear >= 1 && starting.getYear <= 9999, s"starting must be in the years 1 to 9999, got $starting")
    unit match {
      case CalendarUnit.Quarters | CalendarUnit.Years =>
        check(starting.getDayOfMonth <= 28, s"starting must be one of the first 28 days of its month, got $starting")
      case _ => ()
    }
    val zone = if (timeZone == SessionTimeZone) None else Some(TimeZones.of(owner, timeZone))
    new CalendarWindows(unit, n, starting, zone)
  }
}
