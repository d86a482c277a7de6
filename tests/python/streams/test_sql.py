"""The table functions of windows in SQL: the rows of the builders, in classic sessions and by Spark Connect."""

import json
import re

import pyspark
import pytest
from pyspark.errors import IllegalArgumentException
from pyspark.sql import functions as F

import spark_windowing as sw
from shared import append

pytestmark = pytest.mark.spark


@pytest.fixture
def sql(spark, clicks):
    """Run a query over the view `clicks`, in a session that has the functions."""
    sw.attach(spark)
    clicks.createOrReplaceTempView("clicks")
    yield spark.sql
    spark.catalog.dropTempView("clicks")


@pytest.fixture
def stream(spark, tmp_path):
    """A view of a stream with a watermark: a at 2 s and 4 s, b at 3 s, then a at 30 s."""
    sw.attach(spark)
    (tmp_path / "in").mkdir()
    rows = [
        {"user": user, "ts": f"1970-01-01T00:00:{at:02}Z"}
        for user, at in [("a", 2), ("a", 4), ("b", 3), ("a", 30)]
    ]
    (tmp_path / "in" / "0.json").write_text("\n".join(map(json.dumps, rows)))
    events = spark.readStream.schema("user string, ts timestamp").json(str(tmp_path / "in"))
    events.createOrReplaceTempView("unmarked_events")
    events.withWatermark("ts", "0 seconds").createOrReplaceTempView("events")


def written(spark, result, folder):
    """The rows that a stream puts out until it has taken all there is."""
    append(result, folder)
    rows = spark.read.schema(result.schema).parquet(str(folder / "out"))
    return sorted(tuple(row) for row in rows.collect())


def test_the_rows_are_those_of_the_builders(sql, clicks):
    ours = sql(
        "SELECT * FROM tumble_windows(TABLE(clicks), 'user', 'ts', '10 seconds', "
        "'count(*) AS n', 'sum(price) AS spent')"
    )
    windows = sw.key_by(clicks, "user", time="ts").time_window("10 seconds")
    builders = windows.aggregate(F.count("*").alias("n"), F.sum("price").alias("spent"))
    assert ours.schema == builders.schema
    assert sorted(ours.collect()) == sorted(builders.collect())
    assert ours.count() > 0


def test_a_stream(spark, stream, tmp_path):
    result = spark.sql(
        "SELECT user, unix_seconds(window.end) AS end, n "
        "FROM tumble_windows(TABLE(events), 'user', 'ts', '10 seconds', 'count(*) AS n')"
    )
    assert result.isStreaming
    assert written(spark, result, tmp_path) == [("a", 10, 2), ("b", 10, 1)]


def test_wrong_arguments_are_refused_with_a_call(spark, sql, stream):
    with pytest.raises(
        IllegalArgumentException, match=r"tumble_windows: it needs an aggregate.*as in tumble_win"
    ):
        sql("SELECT * FROM tumble_windows(TABLE(clicks), 'user', 'ts', '10 seconds')").collect()
    with pytest.raises(IllegalArgumentException, match="tumble_windows: key knows no column `usr`"):
        sql("SELECT * FROM tumble_windows(TABLE(clicks), 'usr', 'ts', '10 seconds', 'count(*)')").collect()
    with pytest.raises(IllegalArgumentException, match="tumble_windows: the stream has no watermark"):
        _ = spark.sql(
            "SELECT * FROM tumble_windows(TABLE(unmarked_events), 'user', 'ts', '1 hour', 'count(*)')"
        ).schema


def test_late_rows_are_beside_the_results_of_a_stream_that_begins_with_a_table(spark, stream, tmp_path):
    before = "SELECT 'a' AS user, timestamp_seconds(9) AS ts UNION ALL SELECT 'b', timestamp_seconds(1)"
    spark.sql(before).createOrReplaceTempView("before")
    result = spark.sql(
        "SELECT user, n, late.user AS late, late.late_by_ms AS by "
        "FROM tumble_windows(TABLE(events), 'user', 'ts', '4 seconds', 'count(*) AS n', late => true, "
        "starting_with => TABLE(before), emit_history => true)"
    )
    append(result, tmp_path)
    rows = spark.read.schema(result.schema).parquet(str(tmp_path / "out")).collect()
    windows = [(row.user, row.n) for row in rows if row.late is None]
    late = [(row.late, row.by) for row in rows if row.user is None]
    assert sorted(windows) == [("a", 1), ("b", 1)]
    assert sorted(late) == [("a", 4999), ("a", 6999), ("b", 5999)]


def test_a_join(sql, spark):
    spark.sql("SELECT 'b' AS buyer, 90 AS amount, timestamp_seconds(4) AS at").createOrReplaceTempView(
        "orders"
    )
    joined = sql(
        "SELECT user, left.price, right.amount FROM join_windows(TABLE(clicks), TABLE(orders), 'user', 'buyer', "
        "'ts', 'at', '1 hour', kind => 'full')"
    )
    assert sorted(row.amount or 0 for row in joined.collect()) == [0, 0, 0, 90]


# A wrong call, what its error says, the call with that typed in, and the last value for the users a and b.
IN_SQL = {
    "a count of different values": (
        "TABLE(clicks), 'user', 'ts', '1 hour', 'count(DISTINCT price) AS n'",
        r"write (size\(collect_set\([\w.]*price\)\)) for the exact count or approx_count_distinct\([\w.]*price\)",
        "TABLE(clicks), 'user', 'ts', '1 hour', '{0} AS n'",
        (3, 1),
    ),
    "a count of different values of tables that are called as Python's names are": (
        """TABLE(SELECT STAFF.*, httpd.price AS p FROM clicks STAFF JOIN clicks httpd USING (ts)),
            'user', 'ts', '1 hour', 'count(DISTINCT STAFF.price) AS n'""",
        r"write (size\(collect_set\(STAFF\.price\)\)) for",
        """TABLE(SELECT STAFF.*, httpd.price AS p FROM clicks STAFF JOIN clicks httpd USING (ts)),
            'user', 'ts', '1 hour', '{0} AS n'""",
        (3, 1),
    ),
    "a count of different pairs": (
        """TABLE(clicks), 'user', 'ts', '1 hour', "count(DISTINCT user LIKE 'a%', price) AS n" """,
        r"write (size\(collect_set\(IF\(isnull\(.*\) OR isnull\(.*\), NULL, struct\(.*\)\)\)\)) for the exact count",
        """TABLE(clicks), 'user', 'ts', '1 hour', "{0} AS n" """,
        (3, 1),
    ),
    "a sum of different values": (
        "TABLE(clicks), 'user', 'ts', '1 hour', 'sum(DISTINCT price) AS n'",
        r"add up a set, (aggregate\(collect_set\([\w.]*price\), CAST\(0 AS )\.\.(\), \(all, one\) -> all \+ one\)),",
        "TABLE(clicks), 'user', 'ts', '1 hour', '{0}INT{1} AS n'",
        (12, 7),
    ),
    "another function of different values": (
        "TABLE(clicks), 'user', 'ts', '1 hour', 'percentile(DISTINCT price, 1) AS n'",
        r"apply a function of arrays to (collect_set\([\w.]*price\)), such as array_join\(\.\.\)$",
        "TABLE(clicks), 'user', 'ts', '1 hour', 'array_max({0}) AS n'",
        (5, 7),
    ),
    "a time that is a number": (
        "TABLE(SELECT user, unix_seconds(ts) AS at FROM clicks), 'user', 'at', '1 hour', 'count(*) AS n'",
        r"milliseconds, (TABLE\(SELECT \*, timestamp_seconds\(at\) AS event_time FROM )\.\.\) if seconds",
        "{0} (SELECT user, unix_seconds(ts) AS at FROM clicks)), 'user', 'event_time', '1 hour', 'count(*) AS n'",
        (3, 1),
    ),
    "a time whose name has a blank": (
        "TABLE(SELECT user, unix_seconds(ts) AS `the time` FROM clicks), 'user', '`the time`', '1 hour', 'count(*) AS n'",
        r"milliseconds, (TABLE\(SELECT \*, timestamp_seconds\(`the time`\) AS event_time FROM )\.\.\) if seconds",
        "{0} (SELECT user, unix_seconds(ts) AS `the time` FROM clicks)), 'user', 'event_time', '1 hour', 'count(*) AS n'",
        (3, 1),
    ),
    "a time that is a number of calls in calls": (
        """TABLE(clicks), 'user', "unix_seconds(date_trunc(lower(upper('day')), ts))", '1 hour', 'count(*) AS n'""",
        r"milliseconds, (TABLE\(SELECT \*, timestamp_seconds\(.*\) AS event_time FROM )\.\.\) if seconds",
        "{0} clicks), 'user', 'event_time', '1 hour', 'count(*) AS n'",
        (3, 1),
    ),
    "a time that is a date": (
        "TABLE(SELECT user, date(ts) AS day FROM clicks), 'user', 'day', '1 hour', 'count(*) AS n'",
        r"got DATE: (TABLE\(SELECT \*, CAST\(day AS timestamp\) AS event_time FROM )\.\.\)$",
        "{0} (SELECT user, date(ts) AS day FROM clicks)), 'user', 'event_time', '1 hour', 'count(*) AS n'",
        (3, 1),
    ),
    "a key without an order": (
        "TABLE(SELECT *, make_interval(1) AS m FROM clicks), 'm, user', 'ts', '1 hour', 'count(*) AS n'",
        r"use (CAST\(m AS STRING\) AS m) as key$",
        "TABLE(SELECT *, make_interval(1) AS m FROM clicks), '{0}, user', 'ts', '1 hour', 'count(*) AS n'",
        (3, 1),
    ),
    "a key of a call without an order": (
        "TABLE(clicks), 'make_interval(1) AS m, user', 'ts', '1 hour', 'count(*) AS n'",
        r"use (CAST\(m AS STRING\) AS m) as key over (TABLE\(SELECT \*, )\.\.( AS m FROM )\.\.\)$",
        "{1}make_interval(1){2} clicks), '{0}, user', 'ts', '1 hour', 'count(*) AS n'",
        (3, 1),
    ),
    "a result with the name of a key": (
        "TABLE(clicks), 'user', 'ts', '1 hour', 'count(*) AS user'",
        r"two columns 'user'.* Give one of them another name: a key or an aggregate by (AS) \.\.$",
        "TABLE(clicks), 'user', 'ts', '1 hour', 'count(*) {0} n'",
        (3, 1),
    ),
    "a function of the driver on an aggregate": (
        "TABLE(clicks), 'user', 'ts', '1 hour', 'count(*) + year(current_timestamp()) * 0 AS n'",
        r"apply it to the result of the windows, in a (SELECT)$",
        "TABLE({0} * FROM clicks), 'user', 'ts', '1 hour', 'count(*) AS n'",
        (3, 1),
    ),
    "a result with the name of the late rows": (
        "TABLE(clicks), 'user', 'ts', '1 hour', 'count(*) AS late', late => true",
        r"give that another name, (AS) \.\.",
        "TABLE(clicks), 'user', 'ts', '1 hour', 'count(*) {0} n', late => true",
        (3, 1),
    ),
    "late firings without a lateness": (
        "TABLE(clicks), 'user', 'ts', '1 hour', 'count(*) AS n', emit_late => 'micro-batch'",
        r"rows that come within (allowed_lateness), which is not given",
        "TABLE(clicks), 'user', 'ts', '1 hour', 'count(*) AS n', emit_late => 'micro-batch', {0} => '1 hour'",
        (3, 1),
    ),
    "a window function": (
        "TABLE(clicks), 'user', 'ts', '1 hour', 'count(*) OVER () AS n'",
        r"write the plain aggregate: the window is that of this (call)$",
        "TABLE(clicks), 'user', 'ts', '1 hour', 'count(*) AS n'",
        (3, 1),
    ),
    "an aggregate of an aggregate": (
        "TABLE(clicks), 'user', 'ts', '1 hour', 'max(sum(price)) AS n'",
        r"in windows of its own, a call over (TABLE\(SELECT) \.\. FROM this call\)$",
        """{0} * FROM tumble_windows(TABLE(clicks), 'user', 'ts', '1 hour', 'sum(price) AS s')),
            'user', 'window', '2 hours', 'max(s) AS n'""",
        (12, 7),
    ),
}


@pytest.mark.parametrize(("wrong", "says", "right", "values"), IN_SQL.values(), ids=IN_SQL)
def test_what_an_error_advises_is_sql_and_works(sql, wrong, says, right, values):
    with pytest.raises(IllegalArgumentException) as error:
        sql(f"SELECT * FROM tumble_windows({wrong})").collect()
    message = str(error.value).partition("\n")[0]
    assert not re.search(r"\b(F|df)\.|with_?[cC]olumn|key_by|lambda ", message)
    advice = re.search(says, message)
    assert advice, message
    typed = right.format(*advice.groups())
    rows = sql(f"SELECT * FROM tumble_windows({typed})").collect()
    assert sorted((row.user, row.n) for row in rows) == list(zip("ab", values, strict=True))


@pytest.mark.parametrize(
    ("rows", "time", "at"),
    [
        ("(SELECT *, ts + INTERVAL 0 SECOND AS at FROM {0})", "at", "at"),
        ("{0}", "ts + INTERVAL 0 SECOND", "event_time"),
    ],
)
def test_the_watermark_of_another_column_is_set_in_sql(spark, stream, tmp_path, rows, time, at):
    call = "SELECT user, n FROM tumble_windows({0}, 'user', '{1}', '10 seconds', 'count(*) AS n')"
    with pytest.raises(IllegalArgumentException) as error:
        _ = spark.sql(call.format(f"TABLE(SELECT * FROM {rows.format('events')})", time)).schema
    said = re.search(
        rf"take withWatermark on 'ts' away, .* write (TABLE\(.*)\.\.(.* WATERMARK {at} DELAY OF INTERVAL 10 SECONDS\)), "
        "before Spark 4.1 in a view",
        str(error.value),
    )
    if not pyspark.__version__.startswith(("3.5.", "4.0.")):
        table = said[1] + rows.format("unmarked_events") + said[2]
        result = spark.sql(call.format(table.replace("10 SECONDS", "0 SECONDS"), at))
        assert written(spark, result, tmp_path) == [("a", 2), ("b", 1)]
