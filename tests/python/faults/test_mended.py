"""A Python function that fails stops the query; when it is mended the query goes on, with every row once."""

from __future__ import annotations

import os
import sys

import pandas as pd
import pytest
from pyspark import cloudpickle
from pyspark.errors import StreamingQueryException
from pyspark.sql import functions as F

import spark_windowing as sw
from shared import append

pytestmark = pytest.mark.spark

# The workers know nothing of this folder.
cloudpickle.register_pickle_by_value(sys.modules[__name__])

# Rows (user, price, second), a micro-batch each; the last closes every window.
BATCHES = [
    [("a", 1, 1), ("b", 2, 2)],
    [("a", 13, 3), ("b", 4, 14), ("a", 5, 16)],
    [("b", 6, 31)],
    [("c", 0, 60)],
]


def spent(mended):
    """Return a function of windows; both have one name."""

    def function(key, context, elements):
        if not mended and (elements.price == 13).any():
            raise ArithmeticError("13 is unlucky")
        return pd.DataFrame({"total": [elements.price.sum()], "n": [len(elements)]})

    return function


@pytest.fixture
def stream(spark, tmp_path):
    for i, rows in enumerate(BATCHES):
        folder = tmp_path / "in" / f"{i}"
        frame = spark.createDataFrame(rows, "user string, price long, second int").coalesce(1)
        frame.withColumn("ts", F.timestamp_seconds("second")).write.parquet(str(folder))
        for file in folder.glob("*.parquet"):
            os.utime(file, (i, i))  # Spark takes files by age
    reader = spark.readStream.schema("user string, price long, ts timestamp").option("maxFilesPerTrigger", 1)
    return lambda: reader.parquet(str(tmp_path / "in" / "*")).withWatermark("ts", "0 seconds")


def rows_of(spark, folder):
    out = spark.read.parquet(str(folder / "out"))
    return sorted((row.user, row.window.start.second, row.total, row.n) for row in out.collect())


def test_after_the_fix_nothing_is_lost_and_nothing_comes_twice(spark, stream, tmp_path):
    def query(mended):
        windows = sw.key_by(stream(), "user").time_window("10 seconds")
        return windows.process(spent(mended), "total long, n long")

    with pytest.raises(StreamingQueryException) as raised:
        append(query(mended=False), tmp_path)
    text = str(raised.value)
    assert "ArithmeticError: 13 is unlucky" in text
    assert "(function) failed for the key ('a',) and the window ('1970-01-01 00:00:00" in text
    append(query(mended=True), tmp_path)
    assert rows_of(spark, tmp_path) == [
        ("a", 0, 14, 2),
        ("a", 10, 5, 1),
        ("b", 0, 2, 1),
        ("b", 10, 4, 1),
        ("b", 30, 6, 1),
    ]


def test_times_that_python_cannot_hold_reach_a_python_function(spark):
    # A window that ends in the year 10000, and one that begins in the year 0.
    micros = [-62135596800000000, 253402300799999999, 0]
    frame = spark.createDataFrame([(t,) for t in micros], "micros long")
    frame = frame.withColumn("ts", F.timestamp_micros("micros")).drop("micros")
    windows = sw.window_all(frame, sw.TumblingEventTimeWindows.of("7 days"), time="ts")
    counted = windows.process(counts, "n long").select(F.unix_millis("window.start"), "n")
    week = 7 * 24 * 60 * 60 * 1000
    assert sorted(tuple(row) for row in counted.collect()) == [
        (t // 1000 // week * week, 1) for t in sorted(micros)
    ]


def counts(key, context, elements):
    return pd.DataFrame({"n": [len(elements)]})
