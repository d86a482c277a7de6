package dev.sparkwindowing.windows

import java.time.temporal.ChronoUnit
import java.time.{Instant, LocalDate, ZoneId}

/** Periods of whole days or months, from local midnight to local midnight of a time zone: each is a window and a slice.
  *
  * If a midnight does not exist, the day starts at its first instant; if it comes twice, the first counts. Bounds of
  * the periods in use are cached, so that only a time outside of them costs calendar arithmetic.
  *
  * @param unit
  *   days or months
  * @param count
  *   number of units of a period
  * @param first
  *   first day of one of the periods; in months not after the 28th
  */
final case class CalendarSlices private[sparkwindowing] (unit: ChronoUnit, count: Long, first: LocalDate, zone: ZoneId)
    extends SliceGrid {
  import CalendarSlices._

  // The time line in parts of at most half a period, so that a part has the end of at most one; and the periods at the
  // starts of the parts last used.
  private[this] val shift                  = 62 - java.lang.Long.numberOfLeadingZeros(unit.getDuration.toMillis * count)
  @transient private[this] lazy val cached = new Array[TimeWindow](CacheSize)

  @transient private[this] lazy val range = TimeWindow(find(FirstTime).start, find(LastTime).end)

  /** The period that contains `time`.
    *
    * @throws java.lang.IllegalArgumentException
    *   if the period lies before the year 1 or after the year 9999
    */
  def windowOf(time: Long): TimeWindow = {
    if (time < FirstTime || time > LastTime) requireInRange(time)
    val window = windowAt(time >> shift)
    if (time < window.end) window else windowAt((time >> shift) + 1)
  }

  // The period that contains the start of a part.
  private[this] def windowAt(part: Long): TimeWindow = {
    val at     = (part & (CacheSize - 1)).toInt
    val start  = part << shift
    val window = cached(at)
    if (window != null && start >= window.start && start < window.end) window
    else {
      val found = find(start)
      cached(at) = found
      found
    }
  }

  private[this] def requireInRange(time: Long): Unit =
    if (time < range.start || time >= range.end)
      throw new IllegalArgumentException(
        s"a row has the event time ${Instant.ofEpochMilli(time)}, and calendar windows are those of the years 1 to " +
          "9999: remove such rows before, df.where(\"year(ts) BETWEEN 2 AND 9998\")"
      )

  def sliceStart(time: Long): Long  = windowOf(time).start
  def sliceEnd(time: Long): Long    = windowOf(time).end
  def newestEnd(time: Long): Long   = windowOf(time).end
  def oldestEnd(time: Long): Long   = windowOf(time).end
  def lastEndUpTo(time: Long): Long = find(time).start
  def windowStart(end: Long): Long  = windowOf(end - 1).start
  def nextEnd(end: Long): Long      = find(end).end
  def nextStart(end: Long): Long    = end
  def overlaps: Boolean             = false
  def isEven: Boolean               = false
  def isCumulative: Boolean         = false

  private[this] def find(time: Long): TimeWindow = {
    var start = startOf(Instant.ofEpochMilli(time).atZone(zone).toLocalDate)
    var next  = start.plus(count, unit)
    // Between a midnight and its second occurrence the local date is that of the day before.
    while (midnight(next) <= time) {
      start = next
      next = start.plus(count, unit)
    }
    TimeWindow(midnight(start), midnight(next))
  }

  private[this] def startOf(date: LocalDate): LocalDate = {
    val passed =
      if (unit == ChronoUnit.DAYS) date.toEpochDay - first.toEpochDay
      else monthOf(date) - monthOf(first) - (if (date.getDayOfMonth < first.getDayOfMonth) 1 else 0)
    first.plus(Math.floorDiv(passed, count) * count, unit)
  }

  private[this] def monthOf(date: LocalDate): Long = date.getYear * 12L + date.getMonthValue

  private[this] def midnight(date: LocalDate): Long = date.atStartOfDay(zone).toInstant.toEpochMilli
}

object CalendarSlices {
  private final val CacheSize = 1024             // of days, those of a year
  private final val FirstTime = -62135596800000L // 0001-01-01T00:00:00Z
  private final val LastTime  = 253402300799999L // 9999-12-31T23:59:59.999Z
}
