package dev.sparkwindowing.sql

import dev.sparkwindowing.assigners.{CalendarUnit, CalendarWindows, WindowAssigner}

import java.time.LocalDate
import java.util.Locale
import scala.util.Try

/** Calendar windows whose size is a text such as "1 month". */
private[sql] object CalendarSize {

  private val Size = """\s*(?:([0-9]{1,9})\s+)?(day|week|month|quarter|year)s?\s*""".r

  /** @param size
    *   a text
    * @param arguments
    *   with time zone, first day and start
    * @throws java.lang.IllegalArgumentException
    *   if the size is no number of units, or another argument is wrong
    */
  def assigner(size: String, arguments: Arguments): WindowAssigner[Any] = {
    val zone     = arguments.optionalText("time_zone").getOrElse(CalendarWindows.SessionTimeZone)
    val starting = arguments.optionalText("starting").fold(LocalDate.ofEpochDay(0))(date)
    val firstDay = arguments.optionalText("first_day")
    size.toLowerCase(Locale.ROOT) match {
      case Size(n, unit) =>
        val count = Option(n).fold(1)(_.toInt)
        unit match {
          case "week" =>
            CalendarWindows.weeks(count, CalendarUnit.dayOfWeek(firstDay.getOrElse("monday")), zone, starting)
          case "month" => CalendarWindows.months(count, firstDay.fold(1)(dayOfMonth), zone, starting)
          case other   =>
            if (firstDay.nonEmpty) refuse(s"first_day is for weeks and months, got it with ${other}s")
            other match {
              case "day"     => CalendarWindows.days(count, zone, starting)
              case "quarter" => CalendarWindows.quarters(count, zone, starting)
              case _         => CalendarWindows.years(count, zone, starting)
            }
        }
      case _ =>
        refuse(
          s"size must be a number of days, weeks, months, quarters or years, such as '1 month', got '$size'"
        )
    }
  }

  private def date(text: String): LocalDate =
    Try(LocalDate.parse(text)).getOrElse(refuse(s"starting must be a date such as '2024-01-31', got '$text'"))

  private def dayOfMonth(text: String): Int =
    Try(text.toInt).getOrElse(refuse(s"first_day must be from 1 to 28 for months, got '$text'"))

  private def refuse(what: String): Nothing = throw new IllegalArgumentException(what)
}
