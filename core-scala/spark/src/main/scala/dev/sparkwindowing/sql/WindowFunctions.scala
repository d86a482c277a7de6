package dev.sparkwindowing.sql

import dev.sparkwindowing.assigners._
import dev.sparkwindowing.windows.Millis

/** The table functions of windows. */
private[sql] object WindowFunctions {

  val tumble: TableFunction = TableFunction(
    "tumble_windows",
    Seq("size"),
    Seq("offset"),
    "tumble_windows(TABLE(clicks), 'user', 'ts', '10 minutes', 'count(*) AS n')",
    a => TumblingEventTimeWindows.of(a.duration("size"), a.optionalDuration("offset"))
  )

  val slide: TableFunction = TableFunction(
    "slide_windows",
    Seq("size", "slide"),
    Seq("offset"),
    "slide_windows(TABLE(clicks), 'user', 'ts', '10 minutes', '1 minute', 'count(*) AS n')",
    sliding
  )

  // With a longer slide, rows between the windows would be in no result. Other SQL has the slide before the size.
  private def sliding(a: Arguments): SlidingEventTimeWindows = {
    val (size, step) = (a.duration("size"), a.duration("slide"))
    if (step.compareTo(size) > 0)
      slide.refuse(
        s"size comes first, then slide, which must not be longer: got ${Millis.show(size.toMillis)} and ${Millis.show(step.toMillis)}"
      )
    SlidingEventTimeWindows.of(size, step, a.optionalDuration("offset"))
  }

  val cumulate: TableFunction = TableFunction(
    "cumulate_windows",
    Seq("max_size", "step"),
    Seq("offset"),
    "cumulate_windows(TABLE(clicks), 'user', 'ts', '1 day', '1 hour', 'count(*) AS n')",
    a => CumulativeEventTimeWindows.of(a.duration("max_size"), a.duration("step"), a.optionalDuration("offset"))
  )

  val session: TableFunction = TableFunction(
    "session_windows",
    Seq("gap"),
    Nil,
    "session_windows(TABLE(clicks), 'user', 'ts', '30 minutes', 'count(*) AS n')",
    a => EventTimeSessionWindows.withGap(a.duration("gap"))
  )

  val calendar: TableFunction = TableFunction(
    "calendar_windows",
    Seq("size"),
    Seq("time_zone", "first_day", "starting"),
    "calendar_windows(TABLE(clicks), 'user', 'ts', '1 month', 'count(*) AS n', time_zone => 'Europe/Berlin')",
    CalendarSize.assigner
  )

  val all: Seq[TableFunction] = Seq(tumble, slide, cumulate, session, calendar)
}
