"""Declarations on streams: one query, all outputs, each computed once."""

import json
import os

import pytest
from pyspark.sql import functions as F

import spark_windowing as sw

pytestmark = pytest.mark.spark


@pytest.fixture
def stream(spark, tmp_path):
    """Three micro-batches: a at 2 s and 4 s; b at 30 s; then a at 5 s, which is late, and b at 41 s."""
    batches = [[("a", 2), ("a", 4)], [("b", 30)], [("a", 5), ("b", 41)]]
    folder = tmp_path / "in"
    folder.mkdir()
    for i, rows in enumerate(batches):
        lines = [json.dumps({"user": user, "ts": f"1970-01-01T00:00:{second:02}Z"}) for user, second in rows]
        file = folder / f"{i}.json"
        file.write_text("\n".join(lines))
        os.utime(file, (i, i))  # Spark takes files by age, and these are written within one tick
    reader = spark.readStream.schema("user string, ts timestamp").option("maxFilesPerTrigger", 1)
    return reader.json(str(folder)).withWatermark("ts", "0 seconds")


def run(frame, function, checkpoint):
    query = (
        frame.writeStream.foreachBatch(function)
        .option("checkpointLocation", str(checkpoint))
        .trigger(availableNow=True)
        .start()
    )
    try:
        query.awaitTermination()
    finally:
        query.stop()


def test_every_output_of_a_stream_goes_to_its_own_function(stream, tmp_path):
    result = (
        sw.key_by(stream, "user")
        .window(sw.TumblingEventTimeWindows.of("10 seconds"))
        .side_output_late_data("late")
        .aggregate(F.count("*").alias("n"))
    )
    fired, late = [], []
    function = sw.for_each_output(
        main=lambda rows, batch: fired.extend((r.user, r.n) for r in rows.select("user", "n").collect()),
        late=lambda rows, batch: late.extend((r.user, r.late_reason) for r in rows.collect()),
    )
    run(sw.all_outputs(result), function, tmp_path / "checkpoint")
    assert fired == [("a", 2), ("b", 1)]
    assert late == [("a", "late")]


def test_a_function_that_reads_nothing_does_not_break_the_state(stream, tmp_path):
    result = sw.key_by(stream, "user").time_window("10 seconds").aggregate(F.count("*").alias("n"))
    batches = []
    function = sw.for_each_output(main=lambda rows, batch: batches.append(batch))
    run(sw.all_outputs(result), function, tmp_path / "checkpoint")
    assert batches == sorted(set(batches))
    assert len(batches) >= 3


def test_a_stream_without_watermark_is_refused_with_the_line_to_write(spark):
    rate = spark.readStream.format("rate").load()
    with pytest.raises(ValueError, match=r'withWatermark\("ts", "10 seconds"\)'):
        sw.key_by(rate, "value", time="timestamp").time_window("10 seconds")
