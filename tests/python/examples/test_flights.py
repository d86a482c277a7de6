"""A year of real flights: equal to Spark's own windows where no row is late, on static and streaming DataFrames."""

import numpy as np
import pandas as pd
import pytest
from pyspark.sql import functions as F

import spark_windowing as sw
from flights import SCHEMA, all_flights, closing_row, replay, write_files

pytestmark = pytest.mark.spark

BATCHES = 12
DELAY_HOURS = 6

# By name: the key, our window, Spark's own.
WINDOWS = {
    "tumbling": (
        "origin",
        sw.TumblingEventTimeWindows.of("1 hour"),
        lambda: F.window("departed", "1 hour"),
    ),
    "sliding": (
        "origin",
        sw.SlidingEventTimeWindows.of("6 hours", "2 hours"),
        lambda: F.window("departed", "6 hours", "2 hours"),
    ),
    "session": (
        "tailnum",
        sw.EventTimeSessionWindows.with_gap("12 hours"),
        lambda: F.session_window("departed", "12 hours"),
    ),
}


@pytest.fixture(scope="module")
def departed():
    """The flights that departed, in order of schedule."""
    flights = all_flights()
    return flights[flights["departed"].notna()]


@pytest.fixture(scope="module")
def static(spark, departed, tmp_path_factory):
    folder = tmp_path_factory.mktemp("static")
    write_files([departed], folder)
    return spark.read.schema(SCHEMA).parquet(str(folder))


@pytest.fixture(scope="module")
def expected(static):
    """What Spark's own windows give, by name."""
    frames = {
        name: flat(static.groupBy(key, spark_window().alias("window")).agg(*aggregates()), key).persist()
        for name, (key, _, spark_window) in WINDOWS.items()
    }
    yield frames
    for frame in frames.values():
        frame.unpersist()


@pytest.fixture(scope="module")
def streamed(spark, departed, tmp_path_factory):
    """What the streams give, by name: out of order by less than the delay, stopped after half of the files."""
    folder = tmp_path_factory.mktemp("streamed")
    jitter = np.random.default_rng(2013).uniform(0, DELAY_HOURS * 3600, len(departed))
    shuffled = departed.iloc[(departed["departed"] + pd.to_timedelta(jitter, unit="s")).argsort()]
    size = -(-len(shuffled) // BATCHES)
    pieces = [shuffled.iloc[i : i + size] for i in range(0, len(shuffled), size)]
    pieces.append(closing_row(departed))
    half = BATCHES // 2
    write_files(pieces[:half], folder / "in")
    run_to_the_last_file(spark, folder)
    write_files(pieces[half:], folder / "in", first=half)
    run_to_the_last_file(spark, folder)
    return {name: spark.read.parquet(str(folder / name)) for name in WINDOWS}


def run_to_the_last_file(spark, folder):
    """Run the three queries side by side until they have taken all files, then stop them."""
    stream = replay(spark, folder / "in", f"{DELAY_HOURS} hours")
    queries = []
    try:
        for name, (key, window, _) in WINDOWS.items():
            result = flat(sw.key_by(stream, key).window(window).aggregate(*aggregates()), key)
            writer = result.writeStream.option("checkpointLocation", str(folder / "checkpoints" / name))
            files = writer.format("parquet").option("path", str(folder / name))
            queries.append(files.trigger(availableNow=True).start())
        for query in queries:
            query.awaitTermination()
    finally:
        for query in queries:
            query.stop()


def aggregates():
    return F.count("*").alias("flights"), F.sum("delay").alias("delay")


def flat(result, key):
    return result.select(F.col(key).alias("key"), "window.start", "window.end", "flights", "delay")


def assert_same_rows(ours, theirs):
    """Compare with repetitions: a window that fired twice is found."""
    assert ours.exceptAll(theirs).take(5) == []
    assert theirs.exceptAll(ours).take(5) == []
    assert ours.count() > 10_000


@pytest.mark.parametrize("name", WINDOWS)
def test_batch_gives_what_the_windows_of_spark_give(static, expected, name):
    key, window, _ = WINDOWS[name]
    ours = sw.key_by(static, key, time="departed").window(window).aggregate(*aggregates())
    assert_same_rows(flat(ours, key), expected[name])


@pytest.mark.parametrize("name", WINDOWS)
def test_a_stopped_and_restarted_stream_gives_what_the_windows_of_spark_give(streamed, expected, name):
    assert_same_rows(streamed[name], expected[name])
