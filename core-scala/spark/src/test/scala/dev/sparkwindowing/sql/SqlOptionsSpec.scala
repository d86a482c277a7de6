package dev.sparkwindowing.sql

import dev.sparkwindowing.KeyedStream
import dev.sparkwindowing.api._
import dev.sparkwindowing.columns.ColumnSessionEnd
import dev.sparkwindowing.spark.{DrivenQuery, Event, WindowText}
import dev.sparkwindowing.triggers.Trigger
import org.apache.spark.sql.functions._
import org.apache.spark.sql.{DataFrame, Row}
import org.scalatest.funsuite.AnyFunSuite

/** Windows of rows, sessions that end, joins, early and late firings and late rows in SQL: those of the builders. */
class SqlOptionsSpec extends AnyFunSuite with SqlSession {
  import Event.at
  import spark.implicits._

  private def table(name: String, rows: Event*): DataFrame = {
    val df = rows.toDF().drop("tick")
    df.createOrReplaceGlobalTempView(name)
    df
  }

  private lazy val clicks = table(
    "clicks",
    Seq(1 -> 0L, 2 -> 3000L, 0 -> 4000L, 4 -> 5000L, 8 -> 12000L, 16 -> 14000L, 32 -> 61000L)
      .flatMap { case (value, millis) => Seq(at("ann", value, millis), at("bob", value + 1, millis + 500)) }: _*
  )

  private lazy val orders = table("orders", at("ann", 7, 1000), at("ann", 9, 11000), at("cid", 5, 2000))

  private def query(call: String): DataFrame = {
    assert(!clicks.isEmpty && !orders.isEmpty)
    sql.sql(s"SELECT * FROM $call".replaceAll("TABLE\\((\\w+)\\)", "TABLE(global_temp.$1)"))
  }

  private def text(df: DataFrame): Seq[String] = WindowText.of(df.collect().toSeq)

  private def keyed: KeyedStream  = clicks.keyBy("key").eventTime("ts")
  private def bought: KeyedStream = orders.keyBy("key").eventTime("ts")

  private val n      = count("*").as("n")
  private val values = collect_list("value").as("v")
  private val listed = "'count(*) AS n, collect_list(value) AS v'"

  private val calls: Seq[(String, () => DataFrame)] = Seq(
    s"count_windows(TABLE(clicks), 'key', 3, $listed, time => 'ts')" ->
      (() => keyed.countWindow(3).aggregate(n, values)),
    s"count_windows(data => TABLE(clicks), key => 'key', size => 2L + 1, slide => 2, time => 'ts', aggregates => $listed)" ->
      (() => keyed.countWindow(3, 2).aggregate(n, values)),
    s"count_windows(TABLE(clicks), 'key', 3, $listed, slide => 2, only_full => true, with_pane => true, time => 'ts')" ->
      (() => keyed.countWindow(3, 2, onlyFull = true).withPane().aggregate(n, values)),
    s"over_windows(TABLE(clicks), 'key', 'ts', '5 seconds', $listed)" ->
      (() => keyed.window(OverEventTimeWindows.preceding("5 seconds")).aggregate(n, values)),
    s"over_windows(TABLE(clicks), 'key', 'ts', 3, $listed, with_row => true)" ->
      (() => keyed.window(OverEventTimeWindows.precedingRows(3)).withRow().aggregate(n, values)),
    s"session_windows(TABLE(clicks), 'key', 'ts', '9 seconds', $listed, max_length => '15 seconds')" ->
      (() =>
        keyed.window(EventTimeSessionWindows.withGap("9 seconds").withMaxLength("15 seconds")).aggregate(n, values)
      ),
    s"session_windows(TABLE(clicks), 'key', 'ts', '9 seconds', $listed, ends_at => 'value = 0')" ->
      (() =>
        keyed
          .window(EventTimeSessionWindows.withGap("9 seconds").endsAt(ColumnSessionEnd.of($"value" === 0)))
          .aggregate(n, values)
      ),
    "named_windows(TABLE(clicks), 'key', 'ts', 'tumble 10 seconds AS ten, slide 1 minute by 20 seconds as `minute`, " +
      "CUMULATE 1 hour BY 30 min AS hour, calendar 1 week AS week, session 9 s AS visit, count 5 AS five', 'count(*) AS n', emit => 'every 2 rows', time_zone => 'Asia/Tehran', with_pane => true)" ->
      (() =>
        keyed
          .windows(
            "ten"    -> TumblingEventTimeWindows.of("10 seconds"),
            "minute" -> SlidingEventTimeWindows.of("1 minute", "20 seconds"),
            "hour"   -> CumulativeEventTimeWindows.of("1 hour", "30 minutes"),
            "week"   -> CalendarWindows.weeks(timeZone = "Asia/Tehran"),
            "visit"  -> EventTimeSessionWindows.withGap("9 seconds"),
            "five"   -> CountWindows.of(5)
          )
          .trigger(AfterWatermark.of(CountTrigger.of(2)))
          .withPane()
          .aggregate(n)
      ),
    "join_windows(TABLE(clicks), TABLE(orders), 'key', 'key', 'ts', 'ts', '10 seconds')" ->
      (() => SparkWindowing.join(keyed, bought).window(TumblingEventTimeWindows.of("10 seconds")).inner()),
    "join_windows(TABLE(clicks), TABLE(orders), 'key', 'key', 'ts', 'ts', '10 seconds', kind => 'LEFT', offset => '1 second')" ->
      (() => SparkWindowing.join(keyed, bought).window(TumblingEventTimeWindows.of("10 seconds", "1 second")).left()),
    "join_windows(right => TABLE(orders), left => TABLE(clicks), left_key => 'key', right_key => 'key AS k', " +
      "left_time => 'ts', right_time => 'ts', size => '10 seconds', slide => '5 seconds', kind => 'full')" ->
      (() =>
        SparkWindowing.join(keyed, bought).window(SlidingEventTimeWindows.of("10 seconds", slide = "5 seconds")).full()
      ),
    "join_sessions(TABLE(clicks), TABLE(orders), 'key', 'key', 'ts', 'ts', '4 seconds', kind => 'right')" ->
      (() => SparkWindowing.join(keyed, bought).window(EventTimeSessionWindows.withGap("4 seconds")).right())
  )

  for ((call, built) <- calls) test(s"the rows and columns are those of the builders: $call") {
    val result = query(call)
    assert(result.schema == built().schema)
    assert(text(result).nonEmpty && text(result) == text(built()))
  }

  private val tumbled = keyed.window(TumblingEventTimeWindows.of("10 seconds")).allowedLateness("1 minute")

  private val triggers: Seq[(String, Trigger[Any])] = Seq(
    "emit => 'micro-batch'"                              -> AfterWatermark.of(early = "micro-batch"),
    "emit => ' Every 10 seconds'"                        -> AfterWatermark.of(early = "10 seconds"),
    "emit => 'every 100 rows', emit_late => 'every row'" -> AfterWatermark.of(CountTrigger.of(100), CountTrigger.of(1)),
    "emit => 'every 1 minute', emit_late => 'micro-batch'" -> AfterWatermark.of("1 minute", "micro-batch"),
    "emit_late => 'every 5 seconds'"                       -> AfterWatermark.of(late = "5 seconds")
  )

  for ((options, trigger) <- triggers) test(s"early and late firings have the trigger of the builders: $options") {
    val call =
      s"tumble_windows(TABLE(clicks), 'key', 'ts', '10 seconds', 'count(*) AS n', allowed_lateness => '1 minute', $options)"
    assert(query(call).explainWindows == tumbled.trigger(trigger).aggregate(n).explainWindows)
  }

  test("a stream fires early by micro-batch and by rows, on time, and late once a micro-batch") {
    val windows = "tumble_windows(TABLE(events), 'key', 'ts', '10 seconds', 'sum(value) AS s', with_pane => true, " +
      "allowed_lateness => '1 minute', emit_late => 'micro-batch', emit => "
    running(streamed("pane.timing, s", s"$windows'micro-batch')")) { q =>
      assert(WindowText.of(q.batch(at("a", 1, 2000), at("a", 2, 3000))) == Seq("early 3"))
      q.restart()
      assert(WindowText.of(q.batch(at("a", 4, 4000))) == Seq("early 7"))
      assert(WindowText.of(q.watermark(10000)) == Seq("on_time 7"))
      assert(WindowText.of(q.batch(at("a", 8, 5000), at("a", 16, 5000))) == Seq("late 31"))
    }
    running(streamed("pane.timing, s", s"$windows'every 2 rows')")) { q =>
      val rows = Seq(at("a", 1, 2000), at("a", 2, 3000), at("a", 4, 4000))
      assert(WindowText.of(q.batch(rows: _*)) == Seq("early 3"))
      assert(WindowText.of(q.watermark(10000)) == Seq("on_time 7"))
    }
  }

  test("late rows are in a column beside the results, which are null there") {
    val windows = "tumble_windows(TABLE(events), 'key', 'ts', '10 seconds', 'sum(value) AS s', late => true)"
    val columns = "key, s, window, late.key AS late_key, late.value, late.late_by_ms, late.late_reason"
    running(streamed(columns, windows)) { q =>
      q.batch(at("a", 1, 2000))
      assert(WindowText.of(q.watermark(15000)) == Seq("a 1 [0, 10000) null null null null"))
      q.restart()
      assert(WindowText.of(q.batch(at("b", 4, 5000))) == Seq("null null null b 4 9999 late"))
    }
  }

  test("the results with late rows beside them go through windows of their own, which leave the late rows out") {
    val inner =
      "SELECT * FROM tumble_windows(TABLE(events), 'key', 'ts', '10 seconds', 'sum(value) AS s', late => true)"
    running(streamed("*", s"tumble_windows(TABLE($inner), '', 'window', '20 seconds', 'sum(s)', 'count(*)')")) { q =>
      q.batch(at("a", 1, 2000))
      q.watermark(10000)
      q.batch(at("a", 64, 3000), at("b", 2, 12000))
      assert(WindowText.of(q.watermark(20000) ++ q.watermark(30000)) == Seq("[0, 20000) 3 2"))
    }
  }

  test("a static table has no late rows but those without a time") {
    table("untimed", at("a", 1, 0), Event("a", 2, null))
    val result =
      query("tumble_windows(TABLE(untimed), 'key', 'ts', '10 seconds', 'count(*) AS n', late => true)")
    assert(
      text(result.select("key", "n", "late.value", "late.late_reason")) == Seq(
        "a 1 null null",
        "null null 2 no event time"
      )
    )
  }

  test("a stream begins with the rows of a table, and emits the windows of them if it is asked to") {
    table("history", at("a", 1, 2000), at("a", 2, 12000))
    def started(emit: String): Seq[Row] = {
      val windows = "tumble_windows(TABLE(events), 'key', 'ts', '10 seconds', 'sum(value) AS s', " +
        s"starting_with => TABLE(SELECT *, false AS tick FROM global_temp.history)$emit)"
      var rows: Seq[Row] = Nil
      running(streamed("*", windows))(q => rows = q.batch(at("a", 4, 13000)) ++ q.watermark(20000))
      rows
    }
    assert(WindowText.of(started("")) == Seq("a [10000, 20000) 6"))
    assert(WindowText.of(started(", emit_history => true")) == Seq("a [0, 10000) 1", "a [10000, 20000) 6"))
  }

  test("streams are joined, also in common table expressions") {
    val query = new DrivenQuery(sql)(events => {
      events.createOrReplaceTempView("events")
      sql.sql(
        "WITH l AS (SELECT * FROM events WHERE value < 10), r AS (SELECT * FROM events WHERE value > 10) " +
          "SELECT key, window, left.value, right.value AS other " +
          "FROM join_windows(TABLE(l), TABLE(r), 'key', 'key', 'ts', 'ts', '10 seconds', kind => 'left')"
      )
    })
    running(query) { q =>
      q.batch(at("a", 1, 2000), at("b", 2, 3000))
      q.restart()
      q.batch(at("a", 11, 9000))
      assert(WindowText.of(q.watermark(10000)) == Seq("a [0, 10000) 1 11", "b [0, 10000) 2 null"))
    }
  }

  private def refusal(call: String): String = intercept[IllegalArgumentException](query(call)).getMessage

  test("refused: what does not fit a call, by name and with a call that works") {
    val tumble = "tumble_windows(TABLE(clicks), 'key', 'ts', '10 seconds', 'count(*) AS n'"
    for (wrong <- Seq("soon", "every", "every so often", "every -1 rows", "10 seconds")) {
      val said = refusal(s"$tumble, emit => '$wrong')")
      assert(
        said.startsWith(
          s"tumble_windows: emit must be 'micro-batch', 'every 10 seconds' or 'every 100 rows', got '$wrong', as in"
        )
      )
    }
    for (
      wrong <- Seq(
        "",
        "10 seconds",
        "tumble AS a",
        "tumble 1 second",
        "slide 1 minute AS a",
        "tumble 1 h by 1 min AS a",
        "count 5 rows AS a"
      )
    ) {
      val said = refusal(s"named_windows(TABLE(clicks), 'key', 'ts', 'tumble 1 day AS day, $wrong', 'count(*)')")
      assert(
        said.startsWith("named_windows: windows is a list of 'tumble 1 minute AS minute', ") && said.contains(
          s"got '$wrong'"
        )
      )
    }
    assert(
      refusal("named_windows(TABLE(clicks), 'key', 'ts', 'calendar 1 hour AS h', 'count(*)')")
        .contains("such as '1 month', got '1 hour'")
    )
    assert(refusal(s"$tumble, emit_late => 'every row')").contains("within allowed_lateness, which is not given"))
    assert(refusal(s"$tumble, emit_history => true)").contains("the rows of starting_with, which is not given"))
    assert(refusal(s"$tumble, starting_with => TABLE(clicks))").startsWith("tumble_windows: "))
    assert(refusal(s"$tumble, starting_with => 'clicks')").contains("starting_with is a table, TABLE(t) or"))
    assert(
      refusal(s"${tumble.replace("AS n", "AS late")}, late => true)").contains("give that another name, AS ..")
    )
    val over = "over_windows(TABLE(clicks), 'key', 'ts', 3, 'count(*)'"
    assert(refusal(s"$over, emit => 'micro-batch')").contains("it has no parameter emit; there are data, key, time"))
    assert(refusal(over.replace("3,", "true,") + ")").contains("preceding must be a duration, a text such as"))
    assert(refusal(over.replace("3,", "0,") + ")").contains("rows must be positive, got 0"))
    val count = "count_windows(TABLE(clicks), 'key', 3, 'count(*)'"
    assert(refusal(s"$count, only_full => true)").contains("only_full is for windows that slide"))
    assert(refusal(count.replace("3,", "'3',") + ")").contains("size must be a number of rows, such as 100, got '3'"))
    val ends = "session_windows(TABLE(clicks), 'key', 'ts', '9 seconds', 'count(*)', ends_at => "
    assert(refusal(s"$ends'value')").contains("""compare it, e.g. ends_at => "kind = 'logout'""""))
    assert(refusal(s"$ends'price = 0')").contains("ends_at knows no column `price`"))
  }

  test("refused: a join that lacks a table, has aggregates, or no such kind") {
    val join = "join_windows(TABLE(clicks), TABLE(orders), 'key', 'key', 'ts', 'ts', '10 seconds'"
    assert(refusal(s"$join, 'count(*)')").contains("it has no argument behind size, got 'count(*)'"))
    assert(refusal(s"$join, kind => 'outer')").contains("kind must be 'inner', 'left', 'right' or 'full', got 'outer'"))
    assert(
      refusal("join_windows(TABLE(clicks), 'key', 'key', 'ts', 'ts', '10 seconds', '1 second')").contains(
        "right is a table, TABLE(t) or TABLE(SELECT ..), got 'key'"
      )
    )
    assert(
      refusal("join_windows(TABLE(clicks))").contains(
        "the parameter right is missing: it takes join_windows(TABLE(left), TABLE(right), left_key"
      )
    )
    assert(
      refusal(join.replace("'ts', 'ts'", "'ts', 'time'") + ")")
        .contains("right_time knows no column `time`: it is an expression over the columns of the table right")
    )
    assert(refusal(s"$join, slide => '1 minute')").contains("size comes first, then slide"))
  }
}
