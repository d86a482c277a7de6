"""TIMESTAMP_NTZ as the event time of a static DataFrame and in Python functions, in several session zones."""

from contextlib import contextmanager

import pandas as pd
import pytest
from pyspark.sql import functions as F

import spark_windowing as sw

pytestmark = pytest.mark.spark

# Around the hours that New York's clocks skip and repeat.
TIMES = [
    ("a", "2024-03-10 01:59:59.999"),
    ("b", "2024-03-10 02:30:00"),
    ("a", "2024-03-10 02:40:00.001"),
    ("a", "2024-03-10 03:05:00"),
    ("a", "2024-06-01 01:30:00"),
    ("a", "2024-06-01 23:30:00"),
    ("a", "2024-06-02 00:10:00"),
    ("b", "2024-11-03 01:30:00"),
    ("b", "2024-11-03 01:40:00"),
    ("b", None),
]
ZONES = ["America/New_York", "Asia/Kolkata"]


@contextmanager
def zone(spark, name):
    before = spark.conf.get("spark.sql.session.timeZone")
    spark.conf.set("spark.sql.session.timeZone", name)
    try:
        yield
    finally:
        spark.conf.set("spark.sql.session.timeZone", before)


def rows(spark):
    texts = spark.createDataFrame(
        [(user, i, at) for i, (user, at) in enumerate(TIMES)], "user string, n int, at string"
    )
    return texts.select("user", "n", F.col("at").cast("timestamp_ntz").alias("ts"))


def shown(frame):
    return sorted(
        tuple(row) for row in frame.select(*(F.col(c).cast("string") for c in frame.columns)).collect()
    )


def numbers():
    return F.sort_array(F.collect_list("n")).alias("n")


@pytest.mark.parametrize("name", ZONES)
def test_a_python_function_gets_windows_and_rows_of_the_wall_clock(spark, name):
    def told(key, context, rows):
        first, last = rows["ts"].iloc[0], rows["ts"].iloc[-1]
        return pd.DataFrame(
            {
                "start": [str(context.window.start)],
                "first": [first],
                "nested": [[first, last]],
                "inside": [context.window.start <= first and last < context.window.end],
            }
        )

    with zone(spark, name):
        hours = sw.key_by(rows(spark), "user", time="ts").window(sw.TumblingEventTimeWindows.of("1 hour"))
        schema = "start string, first timestamp_ntz, nested array<timestamp_ntz>, inside boolean"
        got = hours.with_pane().side_output_late_data("late").process(told, schema)
        wanted = hours.aggregate(
            F.min("ts").alias("first"), F.array(F.min("ts"), F.max("ts")).alias("nested")
        ).withColumn("start", F.col("window.start").cast("string"))
        columns = ["user", "window", "start", "first", "nested"]
        assert shown(got.select(columns)) == shown(wanted.select(columns))
        assert all(row.inside for row in got.collect())
        times = "struct<start:timestamp_ntz,end:timestamp_ntz>"
        assert wanted.schema["window"].dataType.simpleString() == times
        assert got.schema["window"].dataType.simpleString() == times
        assert shown(sw.side_output(got, "late").select("n", "missed_window")) == [("9", None)]
