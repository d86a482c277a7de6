"""A result as changes of a table, on a running query: the changes and their messages give the table of the model."""

from __future__ import annotations

import json
import random

import pytest
from pyspark.sql import functions as F

import spark_windowing as sw
from both_sessions import ended
from shared import append

pytestmark = pytest.mark.spark

GAP = 10


def sessions(rows):
    return (
        sw.key_by(rows, "user", time="ts")
        .window(sw.EventTimeSessionWindows.with_gap(f"{GAP} seconds"))
        .trigger(sw.CountTrigger.of(1))
        .allowed_lateness("1 hour")
    )


def model(visits):
    """Sessions of all visits: number of visits by user, start and end."""
    table = {}
    for user, second in sorted(visits):
        last = next((bounds for bounds in table if bounds[0] == user and bounds[2] >= second), None)
        start, n = (last[1], table.pop(last)) if last else (second, 0)
        table[user, start, second + GAP] = n + 1
    return table


def applied(changes):
    """The table of changes by key, window and sequence; each must fit."""
    table = {}
    for row in changes:
        key = (row.user, row.start, row.end)
        assert (row.op == "+I") == (key not in table), row
        if row.op in {"-U", "-D"}:
            assert row.n in {None, table[key]}, row
        if row.op == "-D":
            del table[key]
        else:
            table[key] = row.n
    return table


@pytest.fixture(params=[False, True], ids=["plain", "before"])
def visited(spark, tmp_path, request):
    """Rows of three runs of a query on one checkpoint, in the order of the sequence, and the visits."""
    rnd = random.Random(7)
    visits = [(rnd.choice("ab"), rnd.randrange(300)) for _ in range(90)]
    (tmp_path / "in").mkdir()
    for number in range(3):
        part = visits[number * 30 : (number + 1) * 30]
        lines = [json.dumps({"user": user, "second": second}) for user, second in part]
        (tmp_path / "in" / f"{number}.json").write_text("\n".join(lines), encoding="utf-8")
        read = spark.readStream.schema("user string, second int").json(str(tmp_path / "in"))
        stream = read.select("user", F.timestamp_seconds("second").alias("ts")).withWatermark(
            "ts", "10 minutes"
        )
        changes = sessions(stream).changelog(before=request.param).aggregate(F.count("*").alias("n"))
        append(changes.withColumn("run", F.lit(number)), tmp_path)
    return spark.read.parquet(str(tmp_path / "out")), visits


def test_the_changes_of_restarted_queries_give_the_sessions(visited):
    changes, visits = visited
    flat = changes.withColumns({name: F.unix_seconds(f"window.{name}") for name in ("start", "end")})
    rows = flat.orderBy("run", "sequence", F.col("op").startswith("+")).collect()
    assert applied(rows) == model(visits)
    assert sum(row.op == "-D" for row in rows) > 10
    for own in {(row.user, row.start, row.end) for row in rows}:
        numbers = [row.sequence for row in rows if (row.user, row.start, row.end) == own]
        assert len(numbers) == len(set(numbers)), own


def test_a_key_needs_no_more_than_the_greatest_sequence(visited):
    """What Auto CDC does with `sequence_by` and `apply_as_deletes`, in any order of the changes."""
    changes, visits = visited
    newest = (
        changes.where("op <> '-U'")
        .groupBy("user", *(F.unix_seconds(f"window.{name}").alias(name) for name in ("start", "end")))
        .agg(F.max_by(F.struct("op", "n"), "sequence").alias("last"))
    )
    table = {(row.user, row.start, row.end): row.last.n for row in newest.collect() if row.last.op != "-D"}
    assert table == model(visits)


def test_what_does_not_fit_is_refused(spark):
    clicks = spark.createDataFrame([], "user string, ts timestamp")
    windows = sw.key_by(clicks, "user", time="ts").time_window("10 seconds")
    with pytest.raises(TypeError, match="changelog: before must be True or False, got 1"):
        windows.changelog(before=1)
    with pytest.raises(ValueError, match=r"changelog: a firing of process has any number of rows"):
        windows.changelog().process(print, "n int")
    with pytest.raises(ValueError, match="two columns 'op': a result and the op of the change stream"):
        windows.changelog().aggregate(F.count("*").alias("op"))
    with pytest.raises(ValueError, match=r"take \.collapse_firings\(\) away"):
        ended(windows.changelog().collapse_firings())
