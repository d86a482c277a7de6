package dev.sparkwindowing.sql

import dev.sparkwindowing.assigners._
import dev.sparkwindowing.columns.ColumnSessionEnd
import dev.sparkwindowing.spark.declared.Declaration
import dev.sparkwindowing.spark.plan.WindowRules
import dev.sparkwindowing.windows.Millis
import org.apache.spark.sql.catalyst.InternalRow

/** The table functions of windows over one table. */
private[sql] object WindowFunctions {
  import TableFunction._

  // Windows of event time, with the parameters that describe them.
  private def ofEventTime(name: String, sizes: Seq[String], options: Seq[String], example: String)(
      assigner: Call => WindowAssigner[InternalRow]
  ): TableFunction = {
    def declared(call: Call) =
      Declaration(call.rows, Some(call.rules(assigner(call))), call.aggregates)
    TableFunction(name, Seq(Table), Seq(Key, Time) ++ sizes, options ++ OfEventTime, example, declared)
  }

  val tumble: TableFunction = ofEventTime(
    "tumble_windows",
    Seq("size"),
    "offset" +: OfTriggered,
    "tumble_windows(TABLE(clicks), 'user', 'ts', '10 minutes', 'count(*) AS n')"
  )(c => TumblingEventTimeWindows.of(c.arguments.duration("size"), c.arguments.optionalDuration("offset")))

  val slide: TableFunction = ofEventTime(
    "slide_windows",
    Seq("size", "slide"),
    "offset" +: OfTriggered,
    "slide_windows(TABLE(clicks), 'user', 'ts', '10 minutes', '1 minute', 'count(*) AS n')"
  )(c => sliding(c.arguments, c.arguments.duration("slide")))

  /** With a longer slide, rows between the windows would be in no result. Other SQL has the slide before the size. */
  def sliding(a: Arguments, step: java.time.Duration): SlidingEventTimeWindows = {
    val size = a.duration("size")
    if (step.compareTo(size) > 0)
      a.refuse(
        s"size comes first, then slide, which must not be longer: got ${Millis.show(size.toMillis)} and ${Millis.show(step.toMillis)}"
      )
    SlidingEventTimeWindows.of(size, step, a.optionalDuration("offset"))
  }

  val cumulate: TableFunction = ofEventTime(
    "cumulate_windows",
    Seq("max_size", "step"),
    "offset" +: OfTriggered,
    "cumulate_windows(TABLE(clicks), 'user', 'ts', '1 day', '1 hour', 'count(*) AS n')"
  ) { c =>
    val a = c.arguments
    CumulativeEventTimeWindows.of(a.duration("max_size"), a.duration("step"), a.optionalDuration("offset"))
  }

  val session: TableFunction = ofEventTime(
    "session_windows",
    Seq("gap"),
    Seq("max_length", "ends_at") ++ OfTriggered,
    "session_windows(TABLE(clicks), 'user', 'ts', '30 minutes', 'count(*) AS n')"
  ) { c =>
    val sessions = EventTimeSessionWindows.withGap(c.arguments.duration("gap"))
    (c.arguments.ifGiven("max_length"), c.column("ends_at")) match {
      case (None, None)   => sessions
      case (length, ends) => ColumnSessionEnd.limited(sessions, length.orNull, ends.orNull)
    }
  }

  val calendar: TableFunction = ofEventTime(
    "calendar_windows",
    Seq("size"),
    Seq("time_zone", "first_day", "starting") ++ OfTriggered,
    "calendar_windows(TABLE(clicks), 'user', 'ts', '1 month', 'count(*) AS n', time_zone => 'Europe/Berlin')"
  )(c => CalendarSize.assigner(c.arguments.text("size"), c.arguments))

  val named: TableFunction = ofEventTime(
    "named_windows",
    Seq("windows"),
    "time_zone" +: OfTriggered,
    "named_windows(TABLE(clicks), 'user', 'ts', 'tumble 1 minute AS minute, calendar 1 day AS day', 'count(*) AS n')"
  )(c => NamedSizes.assigner(c.arguments))

  val over: TableFunction = {
    val function = ofEventTime(
      "over_windows",
      Seq("preceding"),
      Seq("with_row"),
      "over_windows(TABLE(clicks), 'user', 'ts', '10 minutes', 'count(*) AS n')"
    ) { c =>
      c.arguments
        .countOrDuration("preceding")
        .fold(OverEventTimeWindows.precedingRows, OverEventTimeWindows.preceding)
    }
    val plain = function.declared
    function.copy(declared = { call =>
      val declared = plain(call)
      declared.copy(windows = declared.windows.map(_.copy(withRow = call.arguments.flag("with_row"))))
    })
  }

  // The order of the rows of a static table is that of a time, which windows of rows do not need.
  val count: TableFunction = TableFunction(
    "count_windows",
    Seq(Table),
    Seq(Key, "size"),
    Seq("slide", "only_full", Time, WithPane),
    "count_windows(TABLE(clicks), 'user', 100, 'count(*) AS n')",
    call => {
      val a    = call.arguments
      val size = a.count("size")
      if (a.flag("only_full") && !a.has("slide"))
        a.refuse("only_full is for windows that slide: without slide each has all of its rows")
      val rules =
        if (a.has("slide")) WindowRules.ofCount(size, a.count("slide"), a.flag("only_full"))
        else WindowRules.ofCount(size)
      val time = if (a.has(Time)) Some(Time) else None
      Declaration(call.keyed(0, Key, time), Some(rules.copy(pane = a.flag(WithPane))), call.aggregates)
    }
  )

  val all: Seq[TableFunction] = Seq(tumble, slide, cumulate, session, calendar, named, over, count)
}
