"""The portable operator, inside Spark's public `flatMapGroupsWithState`: the same results, and what it refuses."""

import json
import os

import pytest
from pyspark.sql import functions as F

import spark_windowing as sw
from shared_list import SharedList

pytestmark = pytest.mark.spark

OPERATOR = "spark.windowing.operator"
CLICKS = [("a", 1), ("b", 15), ("a", 50), ("b", 59)]  # user, second of the first minute of 2026


@pytest.fixture
def clicks(spark, tmp_path):
    """Clicks from two files, a micro-batch each; the one of the second is late."""
    folder = tmp_path / "in"
    folder.mkdir()
    for number, rows in enumerate([CLICKS, [("a", 2)]], start=1):
        told = [json.dumps({"user": user, "ts": f"2026-01-01T00:00:{at:02}Z"}) for user, at in rows]
        (folder / f"{number}.json").write_text("\n".join(told))
        os.utime(folder / f"{number}.json", (number, number))  # files are taken in the order of these
    stream = spark.readStream.option("maxFilesPerTrigger", 1).schema("user string, ts timestamp")
    return stream.json(str(folder)).withWatermark("ts", "5 seconds")


@pytest.fixture
def portable(spark):
    spark.conf.set(OPERATOR, "portable")
    yield
    spark.conf.unset(OPERATOR)


def windows(clicks):
    return sw.key_by(clicks, "user").time_window("10 seconds")


def started(result, tmp_path, rows):
    def keep(batch, _):
        rows.extend((row.user, row.n) for row in batch.collect())

    writer = result.writeStream.foreachBatch(keep).option("checkpointLocation", str(tmp_path / "checkpoint"))
    return writer.trigger(availableNow=True).start()


@pytest.mark.usefixtures("portable")
def test_aggregates_late_rows_and_the_figures_of_monitor(clicks, tmp_path, capsys):
    result = windows(clicks).aggregate(F.count("*").alias("n"))
    sw.explain(result)
    assert f"operator: portable ({OPERATOR} is portable)" in capsys.readouterr().out
    rows = SharedList(tmp_path)
    sw.monitor(started(result, tmp_path, rows))
    assert sorted(rows) == [("a", 1), ("b", 1)]
    lines = capsys.readouterr().out.splitlines()
    assert "   - open   2 fired   1 late" in lines[lines.index("the query has ended") - 1]


@pytest.mark.usefixtures("portable")
def test_a_python_function(clicks, tmp_path):
    def count(_key, _context, elements):
        return elements.groupby([0] * len(elements)).size().to_frame("n")

    rows = SharedList(tmp_path)
    started(windows(clicks).process(count, "n long"), tmp_path, rows).awaitTermination()
    assert sorted(rows) == [("a", 1), ("b", 1)]


@pytest.mark.usefixtures("portable")
def test_what_it_cannot_do_is_refused_where_it_is_declared(clicks):
    early = windows(clicks).trigger(sw.AfterWatermark.of(early="1 minute"))
    with pytest.raises(ValueError, match="timers of event time and of processing time in one query"):
        early.aggregate(F.count("*").alias("n"))


def test_another_setting_is_refused(spark, clicks):
    spark.conf.set(OPERATOR, "fast")
    try:
        with pytest.raises(ValueError, match="must be native or portable, got 'fast'"):
            windows(clicks).aggregate(F.count("*").alias("n"))
    finally:
        spark.conf.unset(OPERATOR)
