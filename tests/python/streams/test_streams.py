"""Declarations on streams: one query, all outputs, each computed once."""

import json
import os

import pytest
from pyspark.errors import StreamingQueryException
from pyspark.sql import functions as F

import spark_windowing as sw
from both_sessions import ended
from shared_list import SharedList

pytestmark = pytest.mark.spark
TEN_SECONDS = sw.TumblingEventTimeWindows.of("10 seconds")


class Source:
    """A folder of JSON files, each a micro-batch of rows (user, second)."""

    def __init__(self, spark, folder):
        folder.mkdir()
        self._spark, self._folder, self._count = spark, folder, 0

    def add(self, *batches):
        for rows in batches:
            lines = [
                json.dumps({"user": user, "ts": f"1970-01-01T00:{second // 60:02}:{second % 60:02}Z"})
                for user, second in rows
            ]
            file = self._folder / f"{self._count}.json"
            file.write_text("\n".join(lines))
            os.utime(file, (self._count, self._count))  # Spark takes files by age; these are of one tick
            self._count += 1
        return self

    def stream(self):
        reader = self._spark.readStream.schema("user string, ts timestamp").option("maxFilesPerTrigger", 1)
        return reader.json(str(self._folder)).withWatermark("ts", "0 seconds")


@pytest.fixture
def source(spark, tmp_path):
    return Source(spark, tmp_path / "in")


@pytest.fixture
def stream(source):
    """Three micro-batches: a at 2 s and 4 s; b at 30 s; then a at 5 s, which is late, and b at 41 s."""
    return source.add([("a", 2), ("a", 4)], [("b", 30)], [("a", 5), ("b", 41)]).stream()


def run(frame, function, checkpoint):
    """Take all there is; return the query, which has ended."""
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
    return query


def fired(result, checkpoint):
    """The rows that the stream puts out now, in order, with the window as its bounds in seconds."""
    rows = SharedList(checkpoint.parent)

    def collect(batch, batch_id):
        start, end = F.unix_seconds("window.start"), F.unix_seconds("window.end")
        shown = batch.withColumn("window", F.array(start, end)) if "window" in batch.columns else batch
        rows.extend(tuple(row) for row in shown.collect())

    run(result, collect, checkpoint)
    return rows.read()


def n():
    """The number of rows; a Column needs a session, so it is made when it is used."""
    return F.count("*").alias("n")


def test_every_output_of_a_stream_goes_to_its_own_function(stream, tmp_path):
    result = sw.key_by(stream, "user").window(TEN_SECONDS).side_output_late_data("late").aggregate(n())
    main, late = SharedList(tmp_path), SharedList(tmp_path)
    function = sw.for_each_output(
        main=lambda rows, batch: main.extend((r.user, r.n) for r in rows.select("user", "n").collect()),
        late=lambda rows, batch: late.extend((r.user, r.late_by_ms, r.late_reason) for r in rows.collect()),
    )
    run(sw.all_outputs(result), function, tmp_path / "checkpoint")
    assert main == [("a", 2), ("b", 1)]
    assert late == [("a", 24_999, "late")]  # Flink's watermark is Spark's less a millisecond


def test_a_longer_lateness_on_an_old_checkpoint_must_be_allowed(source, tmp_path):
    checkpoint = tmp_path / "checkpoint"

    def windows():
        return sw.key_by(source.stream(), "user").time_window("10 seconds")

    source.add([("a", 2)])
    assert fired(windows().aggregate(n()), checkpoint) == []
    longer = windows().allowed_lateness("5 seconds")
    source.add([("b", 12)])
    with pytest.raises(
        StreamingQueryException, match=r"allow that for one start with \.allow_state_change\(\)"
    ):
        fired(longer.aggregate(n()), checkpoint)
    allowed = longer.allow_state_change()
    assert repr(allowed).endswith(".allowed_lateness('5 seconds').allow_state_change()")
    assert fired(allowed.aggregate(n()), checkpoint) == [("a", [0, 10], 1)]


def test_a_function_that_reads_nothing_does_not_break_the_state(stream, tmp_path):
    result = sw.key_by(stream, "user").time_window("10 seconds").aggregate(n())
    batches = SharedList(tmp_path)
    function = sw.for_each_output(main=lambda rows, batch: batches.append(batch))
    run(sw.all_outputs(result), function, tmp_path / "checkpoint")
    assert batches == sorted(set(batches))
    assert len(batches) >= 3


def test_a_stream_without_watermark_is_refused_with_the_line_to_write(spark):
    rate = spark.readStream.format("rate").load()
    with pytest.raises(ValueError, match=r'withWatermark\("timestamp", "10 seconds"\)'):
        ended(sw.key_by(rate, "value", time="timestamp").time_window("10 seconds"))
