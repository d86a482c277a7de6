package dev.sparkwindowing.sql

import dev.sparkwindowing.assigners._
import dev.sparkwindowing.windows.Durations

import java.time.Duration
import scala.util.Try

/** Windows of several names, written as one text such as "tumble 1 minute AS minute, calendar 1 day AS day". */
private[sql] object NamedSizes {

  private val Named =
    """(?is)\s*(tumble|slide|cumulate|calendar|session|count)\s+(.+?)(?:\s+by\s+(.+?))?\s+as\s+`?(\w+)`?\s*""".r

  /** @throws java.lang.IllegalArgumentException
    *   if the text is no such list, or a size is none
    */
  def assigner(arguments: Arguments): NamedWindows =
    NamedWindows.of(arguments.text("windows").split(",", -1).toSeq.map(of(arguments, _)): _*)

  private def of(arguments: Arguments, text: String): (String, WindowAssigner[Any]) = {
    def unknown = arguments.refuse(
      "windows is a list of 'tumble 1 minute AS minute', 'slide 1 hour by 5 minutes AS hour', 'cumulate 1 day by 1 hour " +
        "AS so_far', 'calendar 1 month AS month', 'session 30 minutes AS visit' and 'count 100 AS hundred', " +
        s"got '${text.trim}'"
    )
    def duration(text: String): Duration = Try(Durations.of(text)).getOrElse(unknown)
    text match {
      case Named(kind, size, by, name) =>
        name -> ((kind.toLowerCase(java.util.Locale.ROOT), Option(by)) match {
          case ("tumble", None)         => TumblingEventTimeWindows.of(duration(size))
          case ("slide", Some(slide))   => SlidingEventTimeWindows.of(duration(size), duration(slide))
          case ("cumulate", Some(step)) => CumulativeEventTimeWindows.of(duration(size), duration(step))
          case ("calendar", None)       => CalendarSize.assigner(size, arguments)
          case ("session", None)        => EventTimeSessionWindows.withGap(duration(size))
          case ("count", None)          => CountWindows.of(Try(size.toLong).getOrElse(unknown))
          case _                        => unknown
        })
      case _ => unknown
    }
  }
}
