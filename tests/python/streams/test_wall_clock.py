"""TIMESTAMP_NTZ as the event time of a static DataFrame, against Spark's own windows in several session zones."""

from contextlib import contextmanager

import pandas as pd
import pytest
from pyspark.sql import Window
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
ZONES = ["America/New_York", "Asia/Kolkata", "UTC"]


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
def test_windows_are_those_of_spark(spark, name):
    with zone(spark, name):
        df = rows(spark)
        keyed = sw.key_by(df, "user", time="ts")
        for ours, theirs in [
            (sw.TumblingEventTimeWindows.of("1 hour"), F.window("ts", "1 hour")),
            (sw.SlidingEventTimeWindows.of("1 hour", "30 minutes"), F.window("ts", "1 hour", "30 minutes")),
            (sw.EventTimeSessionWindows.with_gap("15 minutes"), F.session_window("ts", "15 minutes")),
        ]:
            got = keyed.window(ours).aggregate(numbers())
            wanted = df.where("ts IS NOT NULL").groupBy("user", theirs.alias("window")).agg(numbers())
            assert (
                got.schema["window"].dataType.simpleString()
                == "struct<start:timestamp_ntz,end:timestamp_ntz>"
            )
            assert shown(got) == shown(wanted)


@pytest.mark.parametrize("name", ZONES)
def test_days_over_rows_and_sql_are_those_of_the_wall_clock(spark, name):
    with zone(spark, name):
        df = rows(spark)
        by_day = df.where("ts IS NOT NULL").groupBy("user", F.col("ts").cast("date").alias("day"))
        days = sw.key_by(df, "user", time="ts").window(sw.CalendarWindows.days()).aggregate(numbers())
        starts = days.select("user", F.col("window.start").cast("date").alias("day"), "n")
        assert shown(starts) == shown(by_day.agg(numbers()))

        last = Window.partitionBy("user").orderBy("ts").rowsBetween(-2, 0)
        over = (
            sw.key_by(df, "user", time="ts")
            .window(sw.OverEventTimeWindows.preceding_rows(3))
            .with_row()
            .aggregate(numbers())
        )
        wanted = df.where("ts IS NOT NULL").select(
            "user", "ts", F.sort_array(F.collect_list("n").over(last)).alias("n")
        )
        assert shown(over.select("user", "row.ts", "n")) == shown(wanted)

        df.createOrReplaceTempView("wall_times")
        try:
            by_sql = spark.sql(
                "SELECT * FROM calendar_windows(TABLE(wall_times), 'user', 'ts', '1 day', 'sort_array(collect_list(n)) AS n')"
            )
            assert shown(by_sql) == shown(days)
        finally:
            spark.catalog.dropTempView("wall_times")


def test_a_join_with_a_timestamp_is_cast_as_a_union_of_spark(spark):
    with zone(spark, "Asia/Kolkata"):
        walls = rows(spark)
        moments = walls.withColumn("ts", F.col("ts").cast("timestamp"))
        hour = sw.TumblingEventTimeWindows.of("1 hour")

        def joined(left, right):
            return (
                sw.join(sw.key_by(left, "user", time="ts"), sw.key_by(right, "user", time="ts"))
                .window(hour)
                .inner()
                .select("user", "window", "left.n", F.col("right.n").alias("other"))
            )

        assert shown(joined(walls, moments)) == shown(joined(moments, moments))
        assert joined(walls, walls).schema["window"].dataType["start"].dataType.typeName() == "timestamp_ntz"


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
        assert shown(sw.side_output(got, "late").select("n", "missed_window")) == [("9", None)]
