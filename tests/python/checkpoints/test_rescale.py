"""Checkpoints that are written anew with another number of partitions, and runs on the old one after that."""

import json
import os
import shutil
import subprocess
import sys

import pytest
from pyspark.sql import functions as F

import spark_windowing as sw
from shared_list import SharedList

pytestmark = pytest.mark.spark

END = [{"user": "end", "area": area, "second": 9_999} for area in ("north", "south")]


def minute(number):
    """Rows of some users and areas in a minute."""
    return [
        {"user": f"u{n % 23}", "area": "north" if n % 2 else "south", "second": 60 * number + n % 59}
        for n in range(80)
    ]


class Query:
    """Sums of ten seconds over files, whose watermark is that of the slower area."""

    def __init__(self, spark, folder):
        self.spark, self.folder, self.rows = spark, folder, SharedList(folder)
        (folder / "in").mkdir()
        self._files = 0

    def result(self, rows, time):
        keyed = sw.key_by(rows, "user", **time)
        return keyed.time_window("10 seconds").aggregate(
            F.count("*").alias("n"), F.sum("second").alias("sum")
        )

    def _read(self, reader):
        timed = reader.schema("user string, area string, second long").json(str(self.folder / "in"))
        return timed.withColumn("ts", F.timestamp_seconds("second"))

    def add(self, *batches):
        for rows in batches:
            file = self.folder / "in" / f"{self._files:03}.json"
            file.write_text("\n".join(map(json.dumps, rows)))
            os.utime(file, (self._files,) * 2)  # Spark takes files by age
            self._files += 1
        return self

    def run(self, checkpoint, sink=None):
        """Take the files that are new to a checkpoint; return the number of partitions."""
        strategy = sw.WatermarkStrategy.for_monotonous_timestamps()
        rows = self._read(self.spark.readStream.option("maxFilesPerTrigger", 1))
        timed = sw.assign_timestamps_and_watermarks(rows, strategy, time="ts", per_partition="area")
        writer = self.result(timed, {}).writeStream.trigger(availableNow=True)
        if sink is None:
            taken = self.rows
            writer = writer.foreachBatch(lambda rows, _: taken.extend(map(repr, rows.collect())))
        else:
            writer = writer.format("parquet").option("path", str(sink))
        query = writer.option("checkpointLocation", str(checkpoint)).start()
        query.awaitTermination()
        return query.lastProgress["stateOperators"][0]["numShufflePartitions"]

    def expected(self):
        """The results of a batch query over all files, but for those of the last rows."""
        result = self.result(self._read(self.spark.read), {"time": "ts"}).where("user <> 'end'")
        return sorted(map(repr, result.collect()))


@pytest.fixture
def query(spark, tmp_path):
    return Query(spark, tmp_path)


def test_a_stream_of_files_through_two_rescales_gives_what_one_run_gives(spark, query, tmp_path):
    old, wide, narrow = (tmp_path / name for name in ("old", "wide", "narrow"))
    assert query.add(minute(0), minute(1)).run(old) == 2
    [moved] = sw.rescale(spark, old, wide, 5)
    assert (moved.operator_id, moved.before, moved.partitions) == (0, 2, 5)
    assert query.add(minute(2)).run(wide) == 5
    [again] = sw.rescale(spark, str(wide), str(narrow), 1)
    assert (again.before, again.partitions) == (5, 1)
    assert query.add(minute(3), END).run(narrow) == 1
    assert sorted(query.rows) == query.expected()


@pytest.mark.long
def test_back_to_the_old_checkpoint_the_micro_batches_since_then_come_again(spark, query, tmp_path):
    query.add(minute(0), minute(1)).run(tmp_path / "old")
    before = list(query.rows)
    sw.rescale(spark, tmp_path / "old", tmp_path / "new", 5)
    query.add(minute(2)).run(tmp_path / "new")
    since = list(query.rows)[len(before) :]
    assert since != []
    query.add(minute(3), END).run(tmp_path / "old")
    assert sorted(query.rows) == sorted([*query.expected(), *since])


def test_back_to_the_old_checkpoint_with_the_log_of_a_sink_of_files_as_it_was(spark, query, tmp_path):
    """Spark's sink of files leaves out micro-batches by number, whatever is in them."""
    results = tmp_path / "results"
    query.add(minute(0), minute(1)).run(tmp_path / "old", results)
    sw.rescale(spark, tmp_path / "old", tmp_path / "new", 5)
    shutil.copytree(results / "_spark_metadata", tmp_path / "log")
    query.add(minute(2)).run(tmp_path / "new", results)
    shutil.rmtree(results / "_spark_metadata")
    shutil.copytree(tmp_path / "log", results / "_spark_metadata")
    query.add(minute(3), END).run(tmp_path / "old", results)
    assert sorted(map(repr, spark.read.parquet(str(results)).collect())) == query.expected()


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        ((5, "new", 2), "checkpoint must be the path of a checkpoint, got 5"),
        (("old", None, 2), "to must be the path of a checkpoint, got None"),
        (("old", "new", "2"), "partitions must be a whole number, got '2'"),
        (("old", "new", True), "partitions must be a whole number, got True"),
    ],
)
def test_arguments_of_another_type(spark, arguments, said):
    with pytest.raises(TypeError) as error:
        sw.rescale(spark, *arguments)
    assert str(error.value) == said


def test_a_refusal_is_a_value_error(spark, tmp_path):
    with pytest.raises(ValueError, match="partitions must be 1 or more, got 0"):
        sw.rescale(spark, "old", "new", 0)
    with pytest.raises(
        ValueError, match="holds no complete micro-batch: give the checkpointLocation of a query"
    ):
        sw.rescale(spark, tmp_path / "old", tmp_path / "new", 2)


@pytest.mark.classic("starts a classic session of its own")
def test_the_command_line(query, tmp_path):
    query.add(minute(0), minute(1)).run(tmp_path / "old")

    def command(to):
        words = ["rescale", str(tmp_path / "old"), str(tmp_path / to), "--partitions", "4"]
        return subprocess.run(
            [sys.executable, "-m", "spark_windowing", *words], capture_output=True, text=True, check=False
        )

    done = command("new")
    assert done.returncode == 0, done.stderr
    assert done.stdout.startswith("operator 0: 2 partitions, now 4; ")
    assert done.stdout.endswith(" bytes, the same in both\n")
    again = command("new")
    assert (again.returncode, again.stdout) == (1, "")
    assert f"{tmp_path / 'new'} is not empty: give a new folder for the new checkpoint" in again.stderr
