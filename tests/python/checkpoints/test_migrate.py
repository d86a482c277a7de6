"""Checkpoints that are written for a changed query, over files."""

import json
import os

import pytest
from pyspark.sql import functions as F

import spark_windowing as sw
from shared_list import SharedList

pytestmark = pytest.mark.spark

AGGREGATES = {"n": lambda: F.count("*"), "total": lambda: F.sum("price"), "most": lambda: F.max("price")}


class Streams:
    """Folders of files, of which each is a micro-batch of a stream without delay."""

    def __init__(self, spark, folder):
        self._spark, self._folder, self._files = spark, folder, 0

    def add(self, name, *rows):
        """Add rows: user, price, and second."""
        (self._folder / name).mkdir(exist_ok=True)
        file = self._folder / name / f"{self._files}.json"
        file.write_text(
            "\n".join(json.dumps(dict(zip(("user", "price", "at"), row, strict=True))) for row in rows)
        )
        os.utime(file, (self._files,) * 2)  # Spark takes files by age
        self._files += 1

    def read(self, name):
        rows = self._spark.readStream.schema("user string, price int, at int").json(str(self._folder / name))
        return rows.withColumn("ts", F.timestamp_seconds("at")).withWatermark("ts", "0 seconds")

    def place(self, name):
        return self._folder / "checkpoints" / name

    def run(self, result, checkpoint):
        """Take what is new to a checkpoint; return what is put out, but for the window."""
        taken = SharedList(self._folder)
        writer = result.drop("window").writeStream.foreachBatch(
            lambda batch, _: taken.extend(tuple(row) for row in batch.collect())
        )
        writer = writer.option("checkpointLocation", str(self.place(checkpoint)))
        writer.trigger(availableNow=True).start().awaitTermination()
        return sorted(taken)


@pytest.fixture
def streams(spark, tmp_path):
    streams = Streams(spark, tmp_path)
    streams.add("shop", ("a", 1, 1), ("b", 2, 2))
    return streams


def totals(rows, *names, size="10 seconds"):
    aggregates = [AGGREGATES[name]().alias(name) for name in names]
    return sw.key_by(rows, "user").time_window(size).aggregate(*aggregates)


def test_another_aggregate_begins_empty_and_the_old_checkpoint_stays(streams):
    assert streams.run(totals(streams.read("shop"), "n", "total"), "old") == []
    changed = totals(streams.read("shop"), "most", "total")
    [operator] = sw.migrate(streams.place("old"), changed, streams.place("new"))
    assert (operator.operator_id, operator.rows) == (0, 2)
    assert operator.added == ("max(`price#0`)",)
    assert operator.dropped == ("count(1)",)
    streams.add("shop", ("a", 4, 3), ("end", 0, 10))
    assert streams.run(changed, "new") == [("a", 4, 5), ("b", None, 2)]
    assert streams.run(totals(streams.read("shop"), "n", "total"), "old") == [("a", 2, 5), ("b", 1, 2)]


def test_a_clock_is_found_out(streams):
    streams.run(totals(streams.read("shop"), "n"), "old")
    clocked = totals(sw.with_clock(streams.read("shop"), "1 minute"), "n")
    sw.migrate(streams.place("old"), clocked, streams.place("new"))
    streams.add("shop", ("a", 4, 3), ("end", 0, 10))
    assert streams.run(clocked, "new") == [("a", 2), ("b", 1)]


def test_a_stream_more_by_the_line_that_the_error_says(streams):
    streams.run(totals(streams.read("shop"), "n"), "old")
    streams.add("web", ("a", 4, 3), ("c", 4, 4), ("end", 0, 10))
    both = totals(streams.read("shop").unionByName(streams.read("web")), "n")
    arguments = (streams.place("old"), both, streams.place("new"))
    with pytest.raises(ValueError, match=r"which one of the checkpoint cannot be told.*sources=\[0, None\]"):
        sw.migrate(*arguments)
    sw.migrate(*arguments, sources=[0, None])
    streams.add("shop", ("end", 0, 10))
    assert streams.run(both, "new") == [("a", 2), ("b", 1), ("c", 1)]


def test_a_refused_query_says_to_migrate(streams):
    streams.run(totals(streams.read("shop"), "n"), "old")
    with pytest.raises(Exception, match="write a checkpoint for it with migrate"):
        streams.run(totals(streams.read("shop"), "n", "total"), "old")
    by_minute = totals(streams.read("shop"), "n", size="1 minute")
    with pytest.raises(
        ValueError, match=r"no state of the old query is right .* assigner.size: was 10 s, is 1 min"
    ):
        sw.migrate(streams.place("old"), by_minute, streams.place("new"))
    assert not streams.place("new").exists()


def test_bad_arguments(streams, clicks):
    result = totals(streams.read("shop"), "n")
    with pytest.raises(TypeError, match="checkpoint must be the path of a checkpoint, got 3"):
        sw.migrate(3, result, "new")
    with pytest.raises(TypeError, match="to must be the path of a checkpoint, got None"):
        sw.migrate("old", result, None)
    for sources in ("0", [True], [-1], [0.0], 3):
        with pytest.raises(TypeError, match="sources must be a list of numbers from 0 on and None, got"):
            sw.migrate("old", result, "new", sources=sources)
    with pytest.raises(ValueError, match="takes the result of windows on a stream"):
        sw.migrate("old", clicks, "new")
