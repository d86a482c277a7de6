"""What the pictures of results show, and what cannot be drawn."""

import re

import pytest
from drawn import at, count, legend, shown, texts, until, window
from pyspark.sql import functions as F

import spark_windowing as sw

pytestmark = pytest.mark.spark


@pytest.fixture
def panes(spark, by_user):
    windows = by_user.time_window("10 seconds").allowed_lateness("60 seconds").with_pane()
    result = windows.aggregate(count())
    run = sw.simulate(result, [at(1), at(12, "b"), until(10), at(2), until(30)])
    return spark.createDataFrame([row for step in run.steps for row in step.main], result.schema)


def test_windows_of_results_are_drawn_by_key(clicks, panes):
    spent = (
        sw.key_by(clicks, "user", time="ts").time_window("10 seconds").aggregate(F.sum("price").alias("p"))
    )
    ax = sw.plot_windows(spent, value="p")
    assert shown(ax) == {"window": 3}
    assert texts(ax) == ["7", "5", "7"]
    assert ax.get_legend() is None
    bars = [(p.get_x(), p.get_x() + p.get_width()) for p in ax.patches]
    assert bars == [window(0, 10), window(10, 20), window(0, 10)]
    ax = sw.plot_windows(panes, value="n")
    assert shown(ax) == {"window-on_time": 2, "window-late": 1}
    assert texts(ax) == ["1", "late: 2", "1"]
    assert legend(ax) == ["fired on time", "fired late"]
    assert sw.plot_windows(panes, key=["n"], ax=ax) is ax
    assert [label.get_text() for label in ax.get_yticklabels()] == ["1", "2"]


def test_the_global_window_is_as_wide_as_the_picture(clicks):
    counted = sw.key_by(clicks, "user").window(sw.GlobalWindows.create_with_end_of_stream_trigger())
    ax = sw.plot_windows(counted.aggregate(count()), value="n")
    assert texts(ax) == ["3", "1"]
    assert len({(p.get_x(), p.get_width()) for p in ax.patches}) == 1


def test_days_are_named_where_they_begin(clicks):
    daily = sw.key_by(clicks, "user", time=F.expr("ts + make_interval(0, 0, 0, price)"))
    ax = sw.plot_windows(daily.time_window("6 hours").aggregate(count()))
    labels = [label.get_text() for label in ax.get_xticklabels()]
    assert labels[0] == "00:00\n1970-01-04"
    assert [label for label in labels if "\n" in label][-1].endswith("1970-01-08")


def test_windows_without_a_time_zone_are_at_the_time_of_their_clock(spark, clicks):
    # New York skips from 02:00 to 03:00 on this day.
    walls = clicks.withColumn("ts", F.lit("2024-03-10 02:30:00").cast("timestamp_ntz"))
    hours = sw.key_by(walls, "user", time="ts").time_window("1 hour").aggregate(count())
    zone = spark.conf.get("spark.sql.session.timeZone")
    spark.conf.set("spark.sql.session.timeZone", "America/New_York")
    try:
        ax = sw.plot_windows(hours, value="n")
    finally:
        spark.conf.set("spark.sql.session.timeZone", zone)
    labels = [label.get_text() for label in ax.get_xticklabels()]
    assert {"02:00", "03:00"} <= set(labels)
    assert ax.get_xlabel() == "time on 2024-03-10 (no time zone)"


def test_what_cannot_be_drawn_is_refused(spark, clicks, panes):
    with pytest.raises(ValueError, match=re.escape('plot_windows(spark.table("results"))')):
        sw.plot_windows(spark.readStream.format("rate").load())
    with pytest.raises(ValueError, match="a column window of start and end; it has user, price, ts"):
        sw.plot_windows(clicks)
    with pytest.raises(ValueError, match="its column window is int"):
        sw.plot_windows(clicks.select(F.lit(1).alias("window")))
    with pytest.raises(ValueError, match="value: there is no column 'sum'; the columns are user, window"):
        sw.plot_windows(panes, value="sum")
    with pytest.raises(ValueError, match="key: there is no column 'id'"):
        sw.plot_windows(panes, key="id")
    with pytest.raises(ValueError, match="no rows to draw"):
        sw.plot_windows(panes.where("false"))
    with pytest.raises(ValueError, match="at most 300 rows"):
        sw.plot_windows(panes.crossJoin(spark.range(101)).drop("id"))
