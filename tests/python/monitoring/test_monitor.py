"""The live view of real queries: figures, how it ends, and what an ended query leaves open."""

import json
import os
import re
import time
from types import SimpleNamespace

import pytest
from pyspark.errors import StreamingQueryException
from pyspark.sql import functions as F
from pyspark.sql.utils import is_remote

import spark_windowing as sw

pytestmark = pytest.mark.spark

STILL_OPEN = "2 windows are still open, kept in the checkpoint until a later run fires them"
LISTED_BY_CONNECT = ": sw.read_state(spark, checkpoint) shows them"
CLICKS = [("a", 1), ("b", 15), ("a", 50), ("b", 59)]  # user, second of the first minute of 2026


@pytest.fixture
def counts(spark, tmp_path):
    """Clicks of a user in 10 seconds, from two files; the one of the second is late."""
    folder = tmp_path / "in"
    folder.mkdir()

    def add(number, clicks):
        rows = [{"user": user, "ts": f"2026-01-01T00:{at // 60:02}:{at % 60:02}Z"} for user, at in clicks]
        (folder / f"{number}.json").write_text("\n".join(map(json.dumps, rows)))
        os.utime(folder / f"{number}.json", (number, number))  # files are taken in the order of these

    add(1, CLICKS)
    add(2, [("a", 2)])
    stream = spark.readStream.option("maxFilesPerTrigger", 1).schema("user string, ts timestamp")
    clicks = stream.json(str(folder)).withWatermark("ts", "5 seconds")
    return sw.key_by(clicks, "user").time_window("10 seconds").aggregate(F.count("*").alias("n"))


def start(result, tmp_path, write=lambda rows, _: rows.collect(), **trigger):
    writer = result.writeStream.foreachBatch(write).option("checkpointLocation", str(tmp_path / "checkpoint"))
    return writer.trigger(**(trigger or {"availableNow": True})).start()


def test_it_ends_with_the_query_and_names_the_windows_that_are_still_open(counts, tmp_path, capsys):
    sw.monitor(start(counts, tmp_path))
    lines = capsys.readouterr().out.splitlines()
    ended = lines.index("the query has ended")
    assert lines[ended - 1].startswith("batch ")
    assert re.search(r"   5 rows   [0-9]+ rows/s   ", lines[ended - 1])
    assert "watermark 2026-01-01 00:00:54Z, " in lines[ended - 1]
    assert lines[ended - 1].endswith(" behind the clock   2 open   2 fired   1 late")
    listed = [
        ":",
        "  a  [2026-01-01 00:00:50, 2026-01-01 00:01:00)",
        "  b  [2026-01-01 00:00:50, 2026-01-01 00:01:00)",
    ]
    end, *windows = [LISTED_BY_CONNECT] if is_remote() else listed
    assert lines[ended + 1 :] == [STILL_OPEN + end, *windows]


def test_with_a_checkpoint_that_is_gone_the_windows_are_counted(counts, capsys):
    sw.monitor(counts.writeStream.format("memory").queryName("gone").trigger(availableNow=True).start())
    last = capsys.readouterr().out.splitlines()[-1]
    assert last == STILL_OPEN + (LISTED_BY_CONNECT if is_remote() else "")


def test_a_query_that_leaves_nothing_open_says_so_by_saying_nothing(spark, tmp_path, capsys):
    numbers = spark.readStream.format("rate-micro-batch").option("rowsPerBatch", 4).load()
    result = sw.key_by(numbers, F.lit("all").alias("k")).count_window(2).aggregate(F.count("*").alias("n"))
    query = start(result, tmp_path)
    sw.monitor(query)
    *_, figures, end = capsys.readouterr().out.splitlines()
    assert re.search(r"   [1-9][0-9]* rows   .*   0 open   [1-9][0-9]* fired   0 late$", figures)
    assert end == "the query has ended"


def test_a_failure_of_the_query_is_raised(counts, tmp_path, capsys):
    def fail(rows, _):
        raise RuntimeError(f"cannot write {rows.count()} rows")

    query = start(counts, tmp_path, fail)
    with pytest.raises(StreamingQueryException, match="cannot write"):
        sw.monitor(query)
    assert capsys.readouterr().out.splitlines()[-1] == "the query has failed"


def test_after_its_timeout_the_query_runs_on(counts, tmp_path, capsys):
    query = start(counts, tmp_path, processingTime="0 seconds")
    try:
        sw.monitor(query, timeout="1 second")
        assert query.isActive
        assert capsys.readouterr().out.splitlines()[-1] == "the query runs on"
    finally:
        query.stop()


def test_an_interrupt_ends_the_view_and_not_the_query(counts, tmp_path, capsys, monkeypatch):
    def interrupt(_):
        raise KeyboardInterrupt

    query = start(counts, tmp_path, processingTime="0 seconds")
    try:
        clock = SimpleNamespace(sleep=interrupt, monotonic=time.monotonic)
        monkeypatch.setattr("spark_windowing._monitoring.monitor.time", clock)  # not that of other threads
        sw.monitor(query)
        assert query.isActive
        assert capsys.readouterr().out.splitlines()[-1] == "the query runs on"
    finally:
        query.stop()


def test_what_is_no_query_is_refused_with_what_came(counts):
    with pytest.raises(TypeError, match=r"query must be a StreamingQuery, as writeStream.start\(\) returns"):
        sw.monitor(counts)


def test_the_timeout_is_a_duration(counts, tmp_path):
    query = start(counts, tmp_path)
    with pytest.raises(TypeError, match="timeout must be a duration"):
        sw.monitor(query, timeout=5)
    query.awaitTermination()
