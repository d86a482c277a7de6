"""Which firing of its window a row is, as a PySpark user sees it."""

from __future__ import annotations

import pytest
from pyspark.sql import functions as F

import spark_windowing as sw

pytestmark = pytest.mark.spark


def visits(spark, rows):
    frame = spark.createDataFrame(rows, "user string, second int")
    return frame.withColumn("ts", F.timestamp_seconds("second"))


def test_a_static_dataframe_has_panes_without_a_clock(spark):
    rows = visits(spark, [("a", 1), ("a", 2), ("a", 15)])
    result = (
        sw.key_by(rows, "user", time="ts")
        .time_window("10 seconds")
        .trigger(sw.AnyTrigger.of(sw.CountTrigger.of(2), sw.EventTimeTrigger.create()))
        .with_pane()
        .aggregate(F.count("*").alias("n"))
    )
    assert result.columns == ["user", "window", "pane", "n"]
    found = result.select("pane.timing", "pane.number", "pane.is_last", "pane.fired_at", "n").collect()
    assert [tuple(row) for row in found] == [
        ("early", 0, False, None, 2),
        ("on_time", 1, True, None, 2),
        ("on_time", 0, True, None, 1),
    ]


def test_a_sink_keeps_one_row_a_session_by_index_and_replaced(spark):
    rows = visits(spark, [("a", 0), ("a", 20), ("a", 10), ("b", 0)])
    result = (
        sw.key_by(rows, "user", time="ts")
        .window(sw.EventTimeSessionWindows.with_gap("10 seconds"))
        .trigger(sw.CountTrigger.of(1))
        .with_pane()
        .aggregate(F.count("*").alias("n"))
    )
    table = {}
    for row in sorted(result.collect(), key=lambda row: (row.user, row.pane.number)):
        for window in row.pane.replaced:
            table.pop((row.user, window.start, window.end), None)
        table[row.user, row.window.start, row.window.end] = row.n
    assert {(user, n) for (user, _, _), n in table.items()} == {("a", 3), ("b", 1)}


def test_a_pane_does_not_hide_a_column_of_that_name(spark):
    windows = sw.key_by(visits(spark, []), "user", time="ts").time_window("10 seconds").with_pane()
    with pytest.raises(ValueError, match="two columns 'pane': the pane and a result"):
        windows.aggregate(F.count("*").alias("pane"))


def test_equal_firings_are_one_row(spark):
    rows = visits(spark, [("a", 0)])
    windows = (
        sw.key_by(rows, "user", time="ts")
        .time_window("1 minute")
        .trigger(sw.ContinuousEventTimeTrigger.of("1 second"))
    )
    assert windows.aggregate(F.count("*")).count() == 60
    assert windows.collapse_firings().aggregate(F.count("*")).count() == 1
    assert repr(windows.with_pane().collapse_firings()).endswith(".with_pane().collapse_firings()")
