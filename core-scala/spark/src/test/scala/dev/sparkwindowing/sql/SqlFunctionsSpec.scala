package dev.sparkwindowing.sql

import dev.sparkwindowing.api._
import dev.sparkwindowing.spark.{DrivenQuery, Event, WindowText}
import dev.sparkwindowing.{KeyedStream, SparkWindowingExtensions}
import org.apache.spark.sql.functions._
import org.apache.spark.sql.{AnalysisException, DataFrame, Row, SparkSession, SparkTestBridge}
import org.scalatest.funsuite.AnyFunSuite

import java.sql.Timestamp

/** The table functions of windows: the same rows as from the Scala API, in static and streaming queries. */
class SqlFunctionsSpec extends AnyFunSuite with SqlSession {
  import Event.at
  import spark.implicits._

  private def table(rows: (String, String, Int, Long)*): DataFrame =
    rows.toDF("user", "country", "price", "millis").withColumn("ts", timestamp_millis($"millis")).drop("millis")

  private lazy val clicks: DataFrame = table(
    ("ann", "de", 1, 0L),
    ("bob", "fr", 2, 1000L),
    ("ann", "fr", 4, 2000L),
    ("ann", "de", 8, 7000L),
    ("ann", "de", 16, 61000L)
  )

  private def query(text: String, of: DataFrame = clicks, in: SparkSession = sql): DataFrame = {
    of.createOrReplaceGlobalTempView("clicks")
    in.sql(text.replace("clicks", "global_temp.clicks"))
  }

  private def text(df: DataFrame): Seq[String] = WindowText.of(df.collect().toSeq)

  private def keyed: KeyedStream = clicks.keyBy("user").eventTime("ts")

  private val n     = count("*").as("n")
  private val spent = sum("price").as("spent")

  // The aggregates of each call are 'count(*) AS n' and 'sum(price) AS spent'.
  private val calls: Seq[(String, () => DataFrame)] = Seq(
    "tumble_windows(TABLE(clicks), 'user', 'ts', '5 seconds'" ->
      (() => keyed.window(TumblingEventTimeWindows.of("5 seconds")).aggregate(n, spent)),
    "slide_windows(TABLE(clicks), 'user', 'ts', '10 seconds', '5 seconds'" ->
      (() => keyed.window(SlidingEventTimeWindows.of("10 seconds", slide = "5 seconds")).aggregate(n, spent)),
    "session_windows(TABLE(clicks), 'user', 'ts', '5 seconds'" ->
      (() => keyed.window(EventTimeSessionWindows.withGap("5 seconds")).aggregate(n, spent)),
    "cumulate_windows(TABLE(clicks), 'user', 'ts', '10 seconds', '5 seconds'" ->
      (() => keyed.window(CumulativeEventTimeWindows.of("10 seconds", "5 seconds")).aggregate(n, spent)),
    "calendar_windows(TABLE(clicks), 'user', 'ts', '2 days'" ->
      (() => keyed.window(CalendarWindows.days(2)).aggregate(n, spent))
  )

  for ((call, built) <- calls) test(s"the rows and columns are those of the builders: $call, ..)") {
    val result = query(s"SELECT * FROM $call, 'count(*) AS n', 'sum(price) AS spent')")
    assert(result.schema == built().schema)
    assert(result.columns.toSeq == Seq("user", "window", "n", "spent"))
    assert(text(result).nonEmpty && text(result) == text(built()))
    val one = query(s"SELECT * FROM $call, 'count(*) AS n, sum(price) AS spent')")
    assert(text(one) == text(result))
  }

  private def tumble(rest: String): DataFrame = query(s"SELECT * FROM tumble_windows(TABLE(clicks), $rest)")

  test("rows that take back others") {
    assert(
      text(tumble("'user', 'ts', '1 minute', 'sum(price) AS s', retracts => 'price < 3'")).contains("bob [0, 60000) -2")
    )
  }

  test("keys: none, several, and expressions") {
    assert(text(tumble("'', 'ts', '1 minute', 'sum(price)'")) == Seq("[0, 60000) 15", "[60000, 120000) 16"))
    assert(
      text(tumble("'user, country', 'ts', '1 minute', 'sum(price)'")) ==
        Seq("ann de [0, 60000) 9", "ann de [60000, 120000) 16", "ann fr [0, 60000) 4", "bob fr [0, 60000) 2")
    )
    val upper = tumble("'substr(user, 1, 1) AS initial', 'ts', '1 minute', 'sum(price)'")
    assert(upper.columns.head == "initial" && text(upper).head == "a [0, 60000) 13")
  }

  test("durations are texts or intervals, and may be computed from constants") {
    val expected = text(tumble("'user', 'ts', '5 seconds', 'count(*)'"))
    assert(text(tumble("'user', 'ts', INTERVAL 5 SECONDS, 'count(*)'")) == expected)
    assert(text(tumble("'user', 'ts', concat('5', ' seconds'), 'count(*)'")) == expected)
  }

  test("arguments by name, also options of the windows") {
    val expected = text(keyed.window(TumblingEventTimeWindows.of("5 seconds", "2 seconds")).aggregate(n))
    val result   = query(
      "SELECT * FROM tumble_windows(data => TABLE(clicks), time => 'ts', key => 'user', size => '5 seconds', " +
        "offset => '2 seconds', aggregates => 'count(*) AS n')"
    )
    assert(text(result) == expected)
  }

  test("calendar windows of a time zone, from a first day") {
    def windowOf(rest: String) =
      text(query(s"SELECT window FROM calendar_windows(TABLE(clicks), '', 'ts', $rest)")).head
    def between(start: String, end: String) =
      s"[${Timestamp.valueOf(s"$start").getTime}, ${Timestamp.valueOf(s"$end").getTime})"
    def utc(start: String, end: String) = between(s"$start:00:00", s"$end:00:00")
    assert(windowOf("'month', 'count(*)', time_zone => 'Europe/Berlin'") == utc("1969-12-31 23", "1970-01-31 23"))
    assert(windowOf("'1 week', 'count(*)', first_day => 'sunday'") == utc("1969-12-28 00", "1970-01-04 00"))
    assert(windowOf("'2 months', 'count(*)', first_day => '5'") == utc("1969-11-05 00", "1970-01-05 00"))
    assert(windowOf("'1 year', 'count(*)', starting => '2024-04-01'") == utc("1969-04-01 00", "1970-04-01 00"))
    assert(windowOf("'QUARTER', 'count(*)'") == utc("1970-01-01 00", "1970-04-01 00"))
  }

  test("the table is a subquery, a common table expression, or the windows of another call") {
    val few =
      "SELECT * FROM tumble_windows(TABLE(SELECT * FROM clicks WHERE price < 8), 'user', 'ts', '1 minute', 'sum(price)')"
    assert(text(query(few)) == Seq("ann [0, 60000) 5", "bob [0, 60000) 2"))
    val named = "WITH few AS (SELECT * FROM clicks WHERE price < 8) " +
      "SELECT * FROM tumble_windows(TABLE(few), 'user', 'ts', '1 minute', 'sum(price)')"
    assert(text(query(named)) == text(query(few)))
    val nested = "SELECT * FROM tumble_windows(TABLE(SELECT * FROM tumble_windows(TABLE(clicks), 'user', 'ts', " +
      "'5 seconds', 'sum(price) AS spent')), '', 'window', '1 minute', 'max(spent)')"
    assert(text(query(nested)) == Seq("[0, 60000) 8", "[60000, 120000) 16"))
  }

  test("a function stands twice in a query, and among other operators") {
    val joined =
      "SELECT a.user, a.n, b.n FROM tumble_windows(TABLE(clicks), 'user', 'ts', '1 minute', 'count(*) AS n') a " +
        "JOIN tumble_windows(TABLE(clicks), 'user', 'ts', '2 minutes', 'count(*) AS n') b ON a.user = b.user " +
        "WHERE a.window.start = timestamp_millis(0) ORDER BY a.user"
    assert(text(query(joined)) == Seq("ann 3 4", "bob 1 1"))
    val same = "tumble_windows(TABLE(clicks), 'user', 'ts', '1 minute', 'count(*) AS n')"
    assert(query(s"SELECT * FROM $same UNION ALL SELECT * FROM $same").count() == 6)
    assert(query(s"SELECT a.user FROM $same a JOIN $same b ON a.user = b.user AND a.window = b.window").count() == 3)
    val within = s"SELECT user FROM clicks WHERE user IN (SELECT user FROM $same WHERE n > 2) GROUP BY user"
    assert(text(query(within)) == Seq("ann"))
    val defined = s"WITH w AS (SELECT * FROM $same) SELECT a.n + b.n FROM w a JOIN w b USING (user, window)"
    assert(text(query(defined)) == Seq("2", "2", "6"))
  }

  test("a view of SQL contains a call") {
    query(
      "CREATE OR REPLACE TEMPORARY VIEW per_minute AS SELECT * FROM tumble_windows(TABLE(clicks), 'user', 'ts', " +
        "'1 minute', 'count(*) AS n')"
    )
    assert(text(sql.sql("SELECT user, n FROM per_minute WHERE n > 1")) == Seq("ann 3"))
    assert(sql.table("per_minute").explainWindows.contains("TumblingEventTimeWindows"))
  }

  private def streamed(call: String): DrivenQuery = streamed("*", call)

  test("a stream: a window fires when the watermark passes its end, also after a restart") {
    running(
      streamed("tumble_windows(TABLE(events), 'key', 'ts', '10 seconds', 'count(*) AS n', 'sum(value) AS total')")
    ) { q =>
      assert(WindowText.of(q.batch(at("a", 1, 2000), at("b", 5, 3000))) == Nil)
      q.restart()
      assert(WindowText.of(q.batch(at("a", 2, 9999))) == Nil)
      assert(WindowText.of(q.watermark(10000)) == Seq("a [0, 10000) 2 3", "b [0, 10000) 1 5"))
      assert(q.metric("openWindows") == 0)
    }
  }

  test("a stream: sessions, sliding, cumulative and calendar windows") {
    def fired(call: String) = {
      var rows: Seq[Row] = Nil
      running(streamed(call)) { q =>
        rows = q.batch(at("a", 1, 2000), at("a", 2, 6000)) ++ q.watermark(86400000L * 2)
      }
      WindowText.of(rows)
    }
    assert(fired("session_windows(TABLE(events), 'key', 'ts', '5 seconds', 'sum(value)')") == Seq("a [2000, 11000) 3"))
    assert(
      fired("slide_windows(TABLE(events), 'key', 'ts', '10 seconds', '5 seconds', 'sum(value)')") ==
        Seq("a [-5000, 5000) 1", "a [0, 10000) 3", "a [5000, 15000) 2")
    )
    assert(
      fired("cumulate_windows(TABLE(events), 'key', 'ts', '10 seconds', '5 seconds', 'sum(value)')") ==
        Seq("a [0, 10000) 3", "a [0, 5000) 1")
    )
    assert(fired("calendar_windows(TABLE(events), 'key', 'ts', 'day', 'sum(value)')") == Seq("a [0, 86400000) 3"))
  }

  test("a stream: windows without rows are in the result") {
    val call  = "tumble_windows(TABLE(events), 'key', 'ts', '10 seconds', 'count(*) AS n', fill_empty => '20 seconds')"
    val query = streamed(call)
    running(query) { q =>
      q.batch(at("a", 1, 2000))
      assert(WindowText.of(q.watermark(25000)) == Seq("a [0, 10000) 1", "a [10000, 20000) 0"))
      assert(WindowText.of(q.watermark(90000)) == Seq("a [20000, 30000) 0"))
    }
  }

  test("a stream: late rows fire again within the allowed lateness, told apart by the pane") {
    val call = "tumble_windows(TABLE(events), 'key', 'ts', '10 seconds', 'sum(value) AS total', " +
      "allowed_lateness => '5 seconds', with_pane => true)"
    val query = streamed("key, window, pane.timing, total", call)
    running(query) { q =>
      q.batch(at("a", 1, 2000))
      assert(WindowText.of(q.watermark(10000)) == Seq("a [0, 10000) on_time 1"))
      assert(WindowText.of(q.batch(at("a", 2, 3000))) == Seq("a [0, 10000) late 3"))
      q.watermark(15000)
      assert(WindowText.of(q.batch(at("a", 4, 3000))) == Nil)
    }
  }

  test("a stream: windows of the windows of another call") {
    val inner = "TABLE(SELECT * FROM tumble_windows(TABLE(events), 'key', 'ts', '10 seconds', 'sum(value) AS total'))"
    running(streamed(s"tumble_windows($inner, '', 'window', '20 seconds', 'max(total)')")) { q =>
      q.batch(at("a", 1, 2000), at("a", 2, 3000), at("b", 7, 12000))
      assert(WindowText.of(q.watermark(20000) ++ q.watermark(30000)) == Seq("[0, 20000) 7"))
    }
  }

  test("a stream in a common table expression") {
    val query = new DrivenQuery(sql)(events => {
      events.createOrReplaceTempView("events")
      sql.sql(
        "WITH some AS (SELECT * FROM events WHERE value < 5) " +
          "SELECT * FROM tumble_windows(TABLE(some), 'key', 'ts', '10 seconds', 'sum(value)')"
      )
    })
    running(query) { q =>
      q.batch(at("a", 1, 2000), at("a", 7, 3000))
      assert(WindowText.of(q.watermark(20000)) == Seq("a [0, 10000) 1"))
    }
  }

  test("a session has the functions by the setting, or from the first call on; one of its own stays") {
    def can(session: SparkSession) =
      try
        text(query("SELECT * FROM tumble_windows(TABLE(clicks), '', 'ts', '1 hour', 'count(*)')", in = session)) ==
          Seq("[0, 3600000) 5")
      catch { case _: AnalysisException => false }
    assert(can(SparkTestBridge.sessionBeside(spark, new SparkWindowingExtensions)))
    val before = SparkTestBridge.sessionBeside(spark)
    assert(!can(before))
    SparkWindowing.attach(before)
    assert(can(before) && can(before.newSession()))
    val own = SparkTestBridge.sessionBeside(spark)
    SparkTestBridge.addTableFunction(own, "tumble_windows", own.range(7).toDF())
    SparkWindowing.attach(own)
    assert(query("SELECT * FROM tumble_windows()", in = own).count() == 7)
  }

  test("DESCRIBE FUNCTION shows parameters and an example") {
    val described = sql.sql("DESCRIBE FUNCTION EXTENDED slide_windows").collect().map(_.getString(0)).mkString("\n")
    assert(described.contains("slide_windows(TABLE(t), key, time, size, slide, aggregate, ..)"), described)
    assert(described.contains("> SELECT * FROM slide_windows(TABLE(clicks), "), described)
  }
}
