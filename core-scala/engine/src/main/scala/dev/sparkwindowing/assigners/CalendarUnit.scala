package dev.sparkwindowing.assigners

import dev.sparkwindowing.declaration.{PartSpec, Spec}

import java.time.temporal.{ChronoUnit, TemporalAdjusters}
import java.time.{DayOfWeek, LocalDate}
import java.util.Locale

/** Unit of calendar windows.
  *
  * @param name
  *   factory method of [[CalendarWindows]]
  * @param unit
  *   days or months
  * @param length
  *   how many of these it has
  */
sealed abstract class CalendarUnit private[assigners] (
    val name: String,
    private[assigners] val unit: ChronoUnit,
    private[assigners] val length: Int
) extends Product
    with Serializable {

  /** The first day on or after `date` on which a window may start. */
  private[assigners] def firstStart(date: LocalDate): LocalDate = date

  /** Adds the day on which windows start, unless it is the default. */
  private[assigners] def describe(spec: PartSpec): PartSpec = spec
}

object CalendarUnit {
  case object Days extends CalendarUnit("days", ChronoUnit.DAYS, 1)

  final case class Weeks(firstDay: DayOfWeek) extends CalendarUnit("weeks", ChronoUnit.DAYS, 7) {
    private[assigners] override def firstStart(date: LocalDate): LocalDate =
      date.`with`(TemporalAdjusters.nextOrSame(firstDay))

    private[assigners] override def describe(spec: PartSpec): PartSpec =
      spec.option("firstDay", Spec.Text(nameOf(firstDay)), Spec.Text("monday"))
  }

  /** @param firstDay day of the month, 1 to 28 */
  final case class Months(firstDay: Int) extends CalendarUnit("months", ChronoUnit.MONTHS, 1) {
    private[assigners] override def firstStart(date: LocalDate): LocalDate = {
      val inMonth = date.withDayOfMonth(firstDay)
      if (inMonth.isBefore(date)) inMonth.plusMonths(1) else inMonth
    }

    private[assigners] override def describe(spec: PartSpec): PartSpec =
      spec.option("firstDay", Spec.Count(firstDay.toLong), Spec.Count(1))
  }

  case object Quarters extends CalendarUnit("quarters", ChronoUnit.MONTHS, 3)
  case object Years    extends CalendarUnit("years", ChronoUnit.MONTHS, 12)

  /** The day of the week with this English name, in any case.
    *
    * @throws java.lang.IllegalArgumentException
    *   if there is none
    */
  def dayOfWeek(name: String): DayOfWeek = DayOfWeek.values.find(nameOf(_).equalsIgnoreCase(name)).getOrElse {
    val names = DayOfWeek.values.map(d => s"'${nameOf(d)}'").mkString(", ")
    throw new IllegalArgumentException(s"CalendarWindows.weeks: first_day must be one of $names, got '$name'")
  }

  private def nameOf(day: DayOfWeek): String = day.name.toLowerCase(Locale.ROOT)
}
