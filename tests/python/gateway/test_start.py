"""Queries that are refused by start(), before any micro-batch."""

import pandas as pd
import pytest
from pyspark.sql import functions as F

import spark_windowing as sw

pytestmark = pytest.mark.spark


@pytest.fixture
def stream(spark):
    rows = spark.readStream.format("rate").load()
    return rows.select(F.lit("a").alias("user"), "value", F.col("timestamp").alias("ts")).withWatermark(
        "ts", "0 seconds"
    )


def windows(frame):
    return sw.key_by(frame, "user").time_window("1 minute").aggregate(F.count("*").alias("n"))


def start(result, folder, mode="append"):
    """Start the query, and stop it if it runs."""
    query = (
        result.writeStream.format("noop").outputMode(mode).option("checkpointLocation", str(folder)).start()
    )
    query.stop()


def last(key, frames, state):
    state.update((1,))
    for frame in frames:
        yield pd.DataFrame({"user": frame["user"], "ts": frame["ts"]})


@pytest.mark.parametrize("mode", ["update", "complete"])
def test_an_aggregation_in_front_in_a_mode_that_repeats_results(stream, tmp_path, mode):
    counted = stream.groupBy("user", F.window("ts", "10 seconds")).count()
    with pytest.raises(
        Exception, match=r"an aggregation .* in front of a window in output mode update or complete"
    ):
        start(windows(counted), tmp_path, mode)
    start(windows(counted), tmp_path / "append")


@pytest.mark.parametrize(
    ("mode", "timeout", "said"),
    [
        ("append", "EventTimeTimeout", "applyInPandasWithState with event-time timeout in front of a window"),
        ("update", "NoTimeout", "applyInPandasWithState in update mode in front of a window"),
    ],
)
def test_state_of_pandas_in_front(stream, tmp_path, mode, timeout, said):
    state = stream.groupBy("user").applyInPandasWithState(
        last, "user string, ts timestamp", "n int", mode, timeout
    )
    with pytest.raises(Exception, match=said):
        start(windows(state.withWatermark("ts", "0 seconds")), tmp_path, mode)


@pytest.mark.parametrize(
    ("setting", "value", "needed"),
    [
        ("spark.sql.streaming.statefulOperator.allowMultiple", "false", "true"),
        ("spark.sql.streaming.stateStore.encodingFormat", "avro", "unsaferow"),
    ],
)
def test_settings_under_which_no_window_works(spark, stream, tmp_path, setting, value, needed):
    spark.conf.set(setting, value)
    try:
        with pytest.raises(Exception, match=f"need {setting} to be {needed}, got '{value}'"):
            start(windows(stream), tmp_path)
        spark.conf.set(setting, needed)
        start(windows(stream), tmp_path)
    finally:
        spark.conf.unset(setting)


def test_a_changed_query_fails_without_new_rows_too(spark, tmp_path):
    (tmp_path / "in").mkdir()
    (tmp_path / "in" / "1.json").write_text('{"user": "a", "ts": "1970-01-01T00:00:01Z"}')

    def run(size):
        rows = spark.readStream.schema("user string, ts timestamp").json(str(tmp_path / "in"))
        counted = (
            sw.key_by(rows.withWatermark("ts", "0 seconds"), "user")
            .time_window(size)
            .aggregate(F.count("*").alias("n"))
        )
        sink = counted.writeStream.format("noop").option("checkpointLocation", str(tmp_path / "checkpoint"))
        sink.trigger(availableNow=True).start().awaitTermination()

    run("10 seconds")
    run("10 seconds")
    with pytest.raises(Exception, match=r"assigner\.size: was 10 s"):
        run("20 seconds")
