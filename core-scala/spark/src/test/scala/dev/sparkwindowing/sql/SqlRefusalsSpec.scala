package dev.sparkwindowing.sql

import dev.sparkwindowing.spark.advice.Face
import org.apache.spark.sql.DataFrame
import org.apache.spark.sql.functions._
import org.scalatest.funsuite.AnyFunSuite

/** Wrong arguments of the table functions: each is refused by name, with a call that works. */
class SqlRefusalsSpec extends AnyFunSuite with SqlSession {
  import spark.implicits._

  private def query(text: String): DataFrame = {
    Seq(("ann", "de", 1))
      .toDF("user", "country", "price")
      .withColumn("ts", timestamp_millis(lit(0)))
      .createOrReplaceGlobalTempView("clicks")
    sql.sql(text.replace("clicks", "global_temp.clicks"))
  }

  private def refusal(call: String): String =
    intercept[IllegalArgumentException](query(s"SELECT * FROM $call")).getMessage

  private val example = "as in tumble_windows(TABLE(clicks), 'user', 'ts', '10 minutes', 'count(*) AS n')"

  test("refused: arguments that are missing, unknown or given twice") {
    assert(
      refusal("tumble_windows(TABLE(clicks), 'user')") ==
        "tumble_windows: the parameter time is missing: it takes " +
        s"tumble_windows(TABLE(t), key, time, size, aggregate, ..), $example"
    )
    assert(
      refusal("tumble_windows()").startsWith("tumble_windows: a table is missing: it takes tumble_windows(TABLE(t), ")
    )
    assert(
      refusal("tumble_windows(TABLE(clicks), 'user', 'ts', '1 hour')") ==
        s"tumble_windows: it needs an aggregate, a text such as 'count(*) AS n', $example"
    )
    assert(
      refusal("tumble_windows(TABLE(clicks), 'user', 'ts', '1 hour', 'count(*)', slide => '1 minute')") ==
        "tumble_windows: it has no parameter slide; there are data, key, time, size, aggregates, offset, " +
        s"emit, emit_late, retracts, fill_empty, allowed_lateness, late, with_pane, starting_with, emit_history, $example"
    )
    assert(
      refusal("tumble_windows(TABLE(clicks), 'user', 'ts', '1 hour', 'count(*)', key => 'user')").contains(
        "the parameter key is given twice"
      )
    )
  }

  test("refused: arguments of another kind") {
    assert(
      refusal("tumble_windows('clicks', 'user', 'ts', '1 hour', 'count(*)')").contains(
        "the first argument is a table, TABLE(t) or TABLE(SELECT ..), got 'global_temp.clicks'"
      )
    )
    assert(
      refusal("tumble_windows(TABLE(clicks), 7, 'ts', '1 hour', 'count(*)')").startsWith(
        "tumble_windows: key must be a text in quotes, got 7"
      )
    )
    assert(
      refusal("tumble_windows(TABLE(clicks), 'user', NULL, '1 hour', 'count(*)')").startsWith(
        "tumble_windows: time must be a text in quotes, got NULL"
      )
    )
    assert(
      refusal("tumble_windows(TABLE(clicks), 'user', 'ts', 10, 'count(*)')").startsWith(
        "tumble_windows: size must be a duration, a text such as '10 minutes' or an INTERVAL, got 10"
      )
    )
    assert(
      refusal("tumble_windows(TABLE(clicks), 'user', 'ts', INTERVAL 1 MONTH, 'count(*)')").contains(
        "size must be a duration"
      )
    )
    assert(
      refusal("tumble_windows(TABLE(clicks), 'user', 'ts', '10', 'count(*)')").startsWith(
        "tumble_windows: size: a duration is text such as"
      )
    )
    assert(
      refusal("slide_windows(TABLE(clicks), 'user', 'ts', '10 minutes', '1 hour', 'count(*)')").startsWith(
        "slide_windows: size comes first, then slide, which must not be longer: got 10 min and 1 h, as in slide_windows("
      )
    )
    assert(refusal("tumble_windows(TABLE(clicks), 'user', 'ts', '-1 hour', 'count(*)')").startsWith("tumble_windows: "))
    assert(
      refusal("tumble_windows(TABLE(clicks), 'user', 'ts', '1 hour', 'count(*)', with_pane => 'yes')").contains(
        "with_pane must be true or false, got 'yes'"
      )
    )
    assert(
      refusal("calendar_windows(TABLE(clicks), 'user', 'ts', '1 hour', 'count(*)')").contains(
        "size must be a number of days, weeks, months, quarters or years, such as '1 month', got '1 hour'"
      )
    )
    assert(
      refusal("calendar_windows(TABLE(clicks), 'user', 'ts', '1 day', 'count(*)', first_day => 'monday')").contains(
        "first_day is for weeks and months, got it with days"
      )
    )
    assert(
      refusal("calendar_windows(TABLE(clicks), 'user', 'ts', '1 month', 'count(*)', first_day => 'monday')").contains(
        "first_day must be from 1 to 28 for months, got 'monday'"
      )
    )
    assert(
      refusal("calendar_windows(TABLE(clicks), 'user', 'ts', '1 day', 'count(*)', starting => 'May')").contains(
        "starting must be a date such as '2024-01-31', got 'May'"
      )
    )
    assert(
      refusal("calendar_windows(TABLE(clicks), 'user', 'ts', '1 day', 'count(*)', time_zone => 'Berlin')").contains(
        "Berlin"
      )
    )
  }

  test("refused: rows that take back others where they cannot, and a change feed of which that is not said") {
    def sessions(rest: String) = refusal(s"session_windows(TABLE(clicks), 'user', 'ts', '1 hour', $rest)")
    assert(sessions("'count(*)', retracts => 'price < 0'").startsWith("session_windows: retracts cannot be used with "))
    def tumbling(rest: String) = refusal(s"tumble_windows(TABLE(clicks), 'user', 'ts', '1 hour', $rest)")
    assert(tumbling("'count(*)', retracts => 'price'").startsWith("tumble_windows: retracts takes a boolean column"))
    assert(tumbling("'count(*)', retracts => 'price, ts'").contains("retracts must be one column, got 'price, ts'"))
    assert(
      tumbling("'max(price)', retracts => 'price < 0'").contains(
        "max(`price#0`) cannot take a row back, as retracts says of some: its buffer does not have the rows that are " +
          "left: use count, sum, avg or count_if, or leave such rows out before this call, " +
          "TABLE(SELECT * FROM t WHERE NOT coalesce((price < 0), false))"
      )
    )
    val feed = "TABLE(SELECT *, 'delete' AS _change_type, 1L AS _commit_version FROM clicks)"
    val said = refusal(s"tumble_windows($feed, 'user', 'ts', '1 hour', 'count(*) AS n')")
    val line = "retracts => '.*?[^\\\\]'".r.findFirstIn(said).getOrElse(fail(said))
    assert(line == raw"retracts => '_change_type IN (\'delete\', \'update_preimage\')'")
    val taken = query(s"SELECT n FROM tumble_windows($feed, 'user', 'ts', '1 hour', 'count(*) AS n', $line)")
    assert(taken.collect().map(_.getLong(0)).toSeq == Seq(-1L), "the feed has only a delete")
  }

  test("refused: a table that SQL partitions, where Spark can") {
    val e = intercept[Exception](
      query("SELECT * FROM tumble_windows(TABLE(clicks) PARTITION BY (user), 'user', 'ts', '1 hour', 'count(*)')")
    )
    val ours =
      "tumble_windows: the table takes no PARTITION BY, ORDER BY or WITH SINGLE PARTITION: the text 'key' names the keys"
    assert(e.getMessage.startsWith(ours) || spark.version.startsWith("3.5."), e)
  }

  test("refused: columns that the table has not, and texts that are no lists of columns") {
    val columns = "the columns of the table (user, country, price, ts)"
    assert(
      refusal("tumble_windows(TABLE(clicks), 'usr', 'ts', '1 hour', 'count(*)')") ==
        s"tumble_windows: key knows no column `usr`: it is an expression over $columns"
    )
    assert(
      refusal("tumble_windows(TABLE(clicks), 'user', 'time', '1 hour', 'count(*)')") ==
        s"tumble_windows: time knows no column `time`: it is an expression over $columns"
    )
    assert(
      refusal("tumble_windows(TABLE(clicks), 'user', 'ts', '1 hour', 'sum(cost)')") ==
        s"tumble_windows: aggregates knows no column `cost`: it is an expression over $columns"
    )
    assert(
      refusal("tumble_windows(TABLE(clicks), 'user', 'ts, ts', '1 hour', 'count(*)')").contains(
        "time must be one column, got 'ts, ts'"
      )
    )
    assert(
      refusal("tumble_windows(TABLE(clicks), 'user', 'price', '1 hour', 'count(*)')").startsWith(
        "tumble_windows: the event time 'price' must be a TIMESTAMP, got INT"
      )
    )
    assert(
      refusal("tumble_windows(TABLE(clicks), 'user', 'ts', '1 hour', 'price')").startsWith(
        "tumble_windows: aggregate: column 'price' is no aggregate"
      )
    )
    assert(
      refusal("tumble_windows(TABLE(clicks), 'user,', 'ts', '1 hour', 'count(*)')").startsWith(
        "tumble_windows: key: Spark cannot read 'SELECT user,'"
      )
    )
    assert(
      refusal("tumble_windows(TABLE(clicks), 'user FROM clicks', 'ts', '1 hour', 'count(*)')").contains(
        "key must be a list of columns, got 'user FROM "
      )
    )
    assert(
      refusal("tumble_windows(TABLE(clicks), 'user', 'ts', '1 hour', 'DISTINCT count(*)')").contains(
        "aggregates must be a list of columns, got 'DISTINCT count(*)'"
      )
    )
  }

  test("errors of the builders advise SQL, and have the name of the function once") {
    assert(
      refusal("tumble_windows(TABLE(clicks), 'user', 'price', '1 hour', 'count(*)')") ==
        "tumble_windows: the event time 'price' must be a TIMESTAMP, got INT: " +
        "TABLE(SELECT *, timestamp_millis(price) AS event_time FROM ..) if it counts milliseconds, " +
        "TABLE(SELECT *, timestamp_seconds(price) AS event_time FROM ..) if seconds"
    )
    val inner = "tumble_windows(TABLE(clicks), 'user', 'ts', '1 hour', 'count(*)')"
    assert(
      refusal(
        s"session_windows(TABLE(SELECT * FROM ${inner.replace("'1 hour'", "'soon'")}), '', 'window', '1 hour', 'x')"
      )
        .startsWith("tumble_windows: size: a duration is text such as")
    )
    val again = refusal("tumble_windows(TABLE(clicks), 'user', 'ts', '1 hour', 'max(sum(price))')")
    assert(again.endsWith("in windows of its own, a call over TABLE(SELECT .. FROM this call)"), again)
    assert(Face.inUse == Face.Scala)
  }

  test("refused: a stream without watermark, with what to write") {
    spark.readStream.format("rate").load().createOrReplaceGlobalTempView("clicks")
    val e = intercept[IllegalArgumentException](
      sql.sql("SELECT * FROM tumble_windows(TABLE(global_temp.clicks), '', 'timestamp', '1 hour', 'count(*)')")
    )
    assert(
      e.getMessage.startsWith(
        "tumble_windows: the stream has no watermark, by which windows end: name a view of df.withWatermark(\"timestamp\", \"10 seconds\"), or from Spark 4.1 on TABLE(SELECT * FROM t WATERMARK timestamp"
      )
    )
  }
}
