"""A refusal with what it says to type, and the data and helpers of the cases."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from pyspark.sql import functions as F

import spark_windowing as sw
from spark_windowing import sim

if TYPE_CHECKING:
    from collections.abc import Callable


@dataclass(frozen=True)
class Remedy:
    """A refusal and what it says to type. `wrong` and `right` take the data; `right` gives rows."""

    name: str
    of: dict[str, str]  # calls by file, apart by blanks
    wrong: Callable
    said: str
    right: Callable
    rows: object


class Data:
    """Clicks of the user a at 1 and 4 s for 3 and 4, and of B at 2 s for 7; static, and a stream of that shape."""

    def __init__(self, spark):
        self.spark = spark
        rows = [("a", 3, 1), ("B", 7, 2), ("a", 4, 4)]
        self.plain = spark.createDataFrame(rows, "user string, price int, second int")
        self.clicks = self.plain.select("user", "price", F.timestamp_seconds("second").alias("ts"))
        rate = spark.readStream.format("rate").load()
        self.stream = rate.select(
            F.lit("a").alias("user"),
            F.col("value").cast("int").alias("price"),
            F.col("timestamp").alias("ts"),
        )

    def keyed(self):
        return sw.key_by(self.clicks, "user", time="ts")

    def windows(self, df=None, *keys, time="ts"):
        df = self.clicks if df is None else df
        return sw.key_by(df, *(keys or ("user",)), time=time).time_window("10 seconds")


def values(result, *columns):
    return sorted(tuple(row) for row in result.select(*columns).collect())


def total(windows):
    return values(windows.aggregate(F.sum("price").alias("s")), "s")


def simulated(result, *columns):
    """What a stream would give for the clicks of a."""
    steps = [sim.element(user="a", price=3, ts=1000), sim.element(user="a", price=4, ts=4000), sim.end()]
    return [tuple(row[c] for c in columns) for step in sw.simulate(result, steps).steps for row in step.main]


def count(windows):
    return windows.aggregate(F.count("*").alias("n"))


def with_setting(d, name, value):
    d.spark.conf.set(name, value)
    try:
        return total(d.windows())
    finally:
        d.spark.conf.unset(name)


BOTH = [(7,), (7,)]
MONOTONOUS = sw.WatermarkStrategy.for_monotonous_timestamps()
SUM = sw.AggregateFunction(
    create_accumulator="struct(0 as s)", add="struct(acc.s + row.price as s)", get_result="struct(acc.s as s)"
)


def assigned(d, assigner, **time):
    frame = sw.assign_timestamps_and_watermarks(d.plain, MONOTONOUS.with_timestamp_assigner(assigner), **time)
    return values(count(sw.key_by(frame, "user").time_window("10 seconds")), "n")


def by_gap(d, gap):
    frame = d.clicks.withColumn("gap", gap)
    return sw.key_by(frame, "user", time="ts").window(sw.EventTimeSessionWindows.with_dynamic_gap("gap"))


def ran(result):
    """Run a stream."""
    query = result.writeStream.format("noop").start()
    try:
        query.processAllAvailable()
    finally:
        query.stop()
    return "ran"


def started(d, name, value):
    """Run a stream with a setting."""
    d.spark.conf.set(name, value)
    try:
        return ran(count(d.windows(d.stream.withWatermark("ts", "0 seconds"))))
    finally:
        d.spark.conf.unset(name)


def declared(d, name, value):
    """Declare a stream with a setting."""
    d.spark.conf.set(name, value)
    try:
        return count(d.windows(d.stream.withWatermark("ts", "0 seconds"))).columns
    finally:
        d.spark.conf.unset(name)


def many(d):
    rows = d.spark.range(1001).select(F.col("id").alias("k"), F.timestamp_seconds("id").alias("ts"))
    return count(sw.key_by(rows, "k", time="ts").time_window("10 seconds"))


def written(outputs):
    found = []
    sw.for_each_output(main=lambda rows, batch: found.extend(values(rows, "n")))(outputs, 0)
    return found


def triggered(d, **trigger):
    """Run a stream under a trigger of Spark, without Spark's list of what its real-time mode allows."""
    name = "spark.sql.streaming.realTimeMode.allowlistCheck"
    d.spark.conf.set(name, "false")
    windows = count(d.windows(d.stream.withWatermark("ts", "0 seconds")))
    try:
        query = windows.writeStream.format("noop").outputMode("update").trigger(**trigger).start()
        try:
            return "ended" if query.awaitTermination(60 if "realTime" in trigger else 2) else "runs"
        finally:
            query.stop()
    finally:
        d.spark.conf.unset(name)
