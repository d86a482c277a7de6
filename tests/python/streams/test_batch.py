"""Declarations on static DataFrames: results, columns, and the errors that Scala and Spark raise."""

from datetime import datetime

import pytest
from pyspark.errors import AnalysisException
from pyspark.sql import functions as F

import spark_windowing as sw
from both_sessions import ended, failed_task

pytestmark = pytest.mark.spark

TEN_SECONDS = sw.TumblingEventTimeWindows.of("10 seconds")


def n():
    """The number of rows; a Column needs a session, so it is made when it is used."""
    return F.count("*").alias("n")


def seconds(rows):
    """The rows as sorted tuples, with the bounds of the window in seconds."""
    shown = rows.select(
        *[c for c in rows.columns if c != "window"],
        F.unix_seconds("window.start").alias("start"),
        F.unix_seconds("window.end").alias("end"),
    )
    return sorted(tuple(row) for row in shown.collect())


def test_tumbling_windows_by_key(clicks):
    result = (
        sw.key_by(clicks, "user", time="ts").window(TEN_SECONDS).aggregate(n(), F.sum("price").alias("spent"))
    )
    assert result.columns == ["user", "window", "n", "spent"]
    assert seconds(result) == [("a", 1, 5, 10, 20), ("a", 2, 7, 0, 10), ("b", 1, 7, 0, 10)]


def test_sessions_merge(clicks):
    result = (
        sw.key_by(clicks, "user", time="ts").window(sw.EventTimeSessionWindows.with_gap("3 seconds")).agg(n())
    )
    assert seconds(result) == [("a", 1, 12, 15), ("a", 2, 1, 7), ("b", 1, 3, 6)]


def test_sliding_windows_in_short(clicks):
    result = sw.key_by(clicks, "user", time="ts").time_window("10 seconds", "5 seconds").aggregate(n())
    assert seconds(result.where("user = 'a'")) == [
        ("a", 1, 5, 15),
        ("a", 1, 10, 20),
        ("a", 2, -5, 5),
        ("a", 2, 0, 10),
    ]


def test_count_windows(clicks):
    result = (
        sw.key_by(clicks, "user", time="ts")
        .count_window(2)
        .aggregate(F.collect_list("price").alias("prices"))
    )
    assert [(row.user, row.window, row.prices) for row in result.collect()] == [("a", None, [3, 4])]
    sliding = (
        sw.key_by(clicks, "user", time="ts")
        .count_window(2, 1)
        .aggregate(F.collect_list("price").alias("prices"))
    )
    assert [row.prices for row in sliding.where("user = 'a'").collect()] == [[3], [3, 4], [4, 5]]


def test_triggers_and_evictors(clicks):
    result = (
        sw.key_by(clicks, "user", time="ts")
        .window(sw.GlobalWindows.create())
        .trigger(sw.CountTrigger.of(3))
        .evictor(sw.CountEvictor.of(2))
        .aggregate(F.collect_list("price").alias("prices"))
    )
    assert [(row.user, row.prices) for row in result.collect()] == [("a", [4, 5])]


def test_without_keys_all_rows_share_the_windows(clicks):
    keyed = sw.key_by(clicks, time="ts").window(TEN_SECONDS).aggregate(n())
    assert keyed.columns == ["window", "n"]
    assert seconds(keyed) == [(1, 10, 20), (3, 0, 10)]
    assert seconds(sw.window_all(clicks, TEN_SECONDS, time="ts").aggregate(n())) == seconds(keyed)
    assert seconds(sw.time_window_all(clicks, "10 seconds", time="ts").aggregate(n())) == seconds(keyed)
    assert [row.n for row in sw.count_window_all(clicks, 2).aggregate(n()).collect()] == [2, 2]


@pytest.mark.parametrize(
    "make_keys",
    [
        lambda: ("user", "price"),
        lambda: (["user", "price"],),
        lambda: ([F.col("user"), "price"],),
        lambda: (F.col("user"), F.col("price")),
    ],
    ids=["names", "one list", "a mixed list", "columns"],
)
def test_keys_are_names_or_columns_also_in_one_list(clicks, make_keys):
    result = sw.key_by(clicks, *make_keys(), time=F.col("ts")).window(TEN_SECONDS).aggregate(n())
    assert result.columns == ["user", "price", "window", "n"]
    assert result.count() == 4


def test_an_alias_names_a_key(clicks):
    key = (F.col("price") > 4).alias("dear")
    result = sw.key_by(clicks, key, time="ts").window(TEN_SECONDS).aggregate(n())
    assert seconds(result) == [(False, 2, 0, 10), (True, 1, 0, 10), (True, 1, 10, 20)]


def test_late_rows_are_a_side_output(spark):
    df = spark.createDataFrame([("a", None), ("a", datetime(2026, 1, 1))], "user string, ts timestamp")  # noqa: DTZ001
    result = sw.key_by(df, "user", time="ts").window(TEN_SECONDS).side_output_late_data("late").aggregate(n())
    late = sw.side_output(result, "late")
    assert late.columns == ["user", "ts", "late_by_ms", "missed_window", "late_reason"]
    assert [(row.user, row.ts, row.late_reason) for row in late.collect()] == [("a", None, "no event time")]
    wide = sw.all_outputs(result)
    assert wide.columns == ["output", "main", "late"]
    rows = sorted((row.output, row.main is None, row.late is None) for row in wide.collect())
    assert rows == [("late", True, False), ("main", False, True)]


def test_a_row_without_event_time_stops_a_query_that_was_told_so(spark):
    rows = spark.createDataFrame([("a", None)], "user string, ts timestamp")
    result = sw.key_by(rows, "user", time="ts", on_missing_time="fail").window(TEN_SECONDS).aggregate(n())
    with pytest.raises(failed_task(), match="has no event time"):
        result.collect()


def test_a_result_explains_itself(clicks, capsys):
    result = sw.key_by(clicks, "user", time="ts").window(TEN_SECONDS).aggregate(n())
    assert sw.explain(result) is None
    told = capsys.readouterr().out
    assert "TumblingEventTimeWindows(10 s)" in told
    assert "path: aggregated by windows before the exchange" in told
    assert result.count() == 3
    spark = clicks.sparkSession
    spark.conf.set("spark.windowing.fastPath", "false")
    try:
        sw.explain(result)
        assert "path: row by row, since spark.windowing.fastPath is false" in capsys.readouterr().out
        assert result.count() == 3
    finally:
        spark.conf.unset("spark.windowing.fastPath")


def test_a_declaration_is_immutable_and_can_be_used_twice(clicks):
    windowed = sw.key_by(clicks, "user", time="ts").window(TEN_SECONDS)
    counted = windowed.trigger(sw.CountTrigger.of(2))
    assert windowed.aggregate(n()).count() == 3
    assert counted.aggregate(n()).count() == 1
    assert windowed.aggregate(n()).count() == 3


@pytest.mark.parametrize(
    "trigger", [sw.NeverTrigger.create(), sw.PurgingTrigger.of(sw.NeverTrigger.create())]
)
def test_what_does_not_go_together_is_refused_at_the_line_that_says_so(clicks, trigger):
    sessions = sw.key_by(clicks, "user", time="ts").window(sw.EventTimeSessionWindows.with_gap("1 minute"))
    with pytest.raises(ValueError) as error:
        ended(sessions.trigger(trigger))
    assert "cannot be used with EventTimeSessionWindows.withGap(1 min)" in str(error.value)
    assert "Exception" not in str(error.value)
    assert "\tat " not in str(error.value)
    assert error.value.__cause__ is None
    assert error.value.__suppress_context__


def test_scala_checks_single_values_too(clicks):
    keyed = sw.key_by(clicks, "user", time="ts")
    with pytest.raises(ValueError, match="allowed lateness must not be negative"):
        ended(keyed.window(TEN_SECONDS).allowed_lateness("-1 second"))
    with pytest.raises(ValueError, match="the tag of a side output must not be ''"):
        ended(keyed.window(TEN_SECONDS).side_output_late_data(""))
    with pytest.raises(ValueError, match="size must be positive"):
        ended(keyed.time_window("0 seconds"))
    with pytest.raises(ValueError, match="size and slide must be positive"):
        ended(keyed.time_window("10 seconds", "0 seconds"))


def test_event_time_windows_need_a_time(clicks):
    with pytest.raises(ValueError, match="needs an event time"):
        ended(sw.key_by(clicks, "user").window(TEN_SECONDS))


def test_side_outputs_are_asked_for_by_their_tags(clicks):
    plain = sw.key_by(clicks, "user", time="ts").window(TEN_SECONDS)
    with pytest.raises(ValueError, match=r'side_output_late_data\("late"\) before'):
        sw.side_output(plain.aggregate(n()), "late")
    with pytest.raises(ValueError, match="no side output 'lat': it has 'late'"):
        sw.side_output(plain.side_output_late_data("late").aggregate(n()), "lat")
    with pytest.raises(ValueError, match="not the result of a window"):
        sw.side_output(clicks, "late")


@pytest.mark.parametrize(
    "declare",
    [
        lambda df: sw.key_by(df, "usr", time="ts").window(TEN_SECONDS).aggregate(n()),
        lambda df: sw.key_by(df, "user", time="when").window(TEN_SECONDS).aggregate(n()),
        lambda df: sw.key_by(df, "user", time="ts").window(TEN_SECONDS).aggregate(F.sum("prize")),
    ],
    ids=["key", "time", "aggregate"],
)
def test_unknown_columns_are_left_to_spark(clicks, declare):
    with pytest.raises(AnalysisException, match="UNRESOLVED_COLUMN"):
        declare(clicks)


def test_arguments_of_the_wrong_type(clicks):
    with pytest.raises(
        ValueError, match="on_missing_time must be one of 'late', 'drop', 'fail', got 'ignore'"
    ):
        sw.key_by(clicks, "user", time="ts", on_missing_time="ignore")
    with pytest.raises(TypeError, match="a key must be a column name or a Column, got 5"):
        sw.key_by(clicks, 5)
    with pytest.raises(TypeError, match="time must be a column name or a Column, got 5"):
        sw.key_by(clicks, "user", time=5)
    with pytest.raises(TypeError, match="keys are names or Columns, or one list of them"):
        sw.key_by(clicks, "user", ["price"])
    with pytest.raises(TypeError, match="df must be a DataFrame, got str"):
        sw.key_by("clicks", "user")
    with pytest.raises(TypeError, match="df must be a DataFrame, got Column"):
        sw.key_by(F.col("clicks"), "user")
    with pytest.raises(TypeError, match="spark must be a SparkSession, got str"):
        sw.attach("spark")
