"""Sessions with a greatest length, and sessions that a row ends, as a PySpark user sees them."""

from __future__ import annotations

import json

import pytest
from pyspark.errors import StreamingQueryException
from pyspark.sql import functions as F

import spark_windowing as sw
from shared_list import SharedList
from spark_windowing import sim

pytestmark = pytest.mark.spark

VISITS = sw.EventTimeSessionWindows.with_gap("10 seconds", max_length="25 seconds", ends_at="kind = 'out'")
ROWS = [("a", 0, "in"), ("a", 8, "x"), ("a", 9, "out"), ("a", 10, "x"), ("b", 0, "x"), ("b", 9, None)]
MORE = [("a", 18, "x"), ("a", 26, "x"), ("a", 34, "x"), ("a", 35, "x"), ("b", 20, "out")]
END = [("c", 100, "x")]
ALL = [
    ("a", 0, 9.001, 3),
    ("a", 10, 35, 4),
    ("a", 35, 45, 1),
    ("b", 0, 19, 2),
    ("b", 20, 20.001, 1),
    ("c", 100, 110, 1),
]


def frame(spark, rows):
    return spark.createDataFrame(rows, "user string, second int, kind string").select(
        "user", F.timestamp_seconds("second").alias("ts"), "kind"
    )


def counts(visits, assigner=VISITS, **time):
    return sw.key_by(visits, "user", **time).window(assigner).aggregate(F.count("*").alias("n"))


def bounds(rows):
    return sorted((r.user, r.window.start.timestamp(), r.window.end.timestamp(), r.n) for r in rows)


@pytest.fixture
def run(spark, tmp_path):
    """Run the query over further files, from its checkpoint; return what it has put out."""
    folder = tmp_path / "in"
    folder.mkdir()

    def more(rows, assigner=VISITS, of=counts):
        lines = [
            json.dumps({"user": u, "ts": f"1970-01-01T00:{s // 60:02}:{s % 60:02}Z", "kind": k})
            for u, s, k in rows
        ]
        if lines:
            (folder / f"{len(list(folder.iterdir()))}.json").write_text("\n".join(lines))
        files = spark.readStream.schema("user string, ts timestamp, kind string").json(str(folder))
        got = SharedList(tmp_path)
        writer = of(files.withWatermark("ts", "5 seconds"), assigner).writeStream.trigger(availableNow=True)
        writer = writer.foreachBatch(lambda batch, _: got.extend(batch.collect()))
        query = writer.option("checkpointLocation", str(tmp_path / "checkpoint")).start()
        try:
            query.awaitTermination()
        finally:
            query.stop()
        return got.read()

    return more


def test_a_static_frame_is_cut_into_pieces(spark):
    rows = frame(spark, [*END, *reversed(ROWS), *reversed(MORE)])
    assert bounds(counts(rows, time="ts").collect()) == ALL


def test_a_stream_that_starts_again_gives_the_same_and_refuses_other_limits(run):
    found = run(ROWS)
    longer = sw.EventTimeSessionWindows.with_gap(
        "10 seconds", max_length="30 seconds", ends_at="kind = 'out'"
    )
    with pytest.raises(
        (StreamingQueryException, ValueError), match=r"assigner\.maxLength: was 25 s, is 30 s"
    ):
        run(MORE, longer)
    assert bounds(found + run([*END, ("c", 200, "x")])) == ALL


def test_the_checkpoint_shows_the_last_row_of_a_session_that_may_go_on(spark, run, tmp_path):
    run(ROWS[:5])
    state = sw.read_state(spark, str(tmp_path / "checkpoint"))
    rows = state.selectExpr("key", "window.end AS end", "trigger").orderBy("key", "end").collect()
    assert [(r.key.user, r.end.timestamp(), r.trigger) for r in rows] == [
        ("a", 9.001, None),
        ("a", 20, '{"last_element":"1970-01-01T00:00:10.000Z"}'),
        ("b", 10, '{"last_element":"1970-01-01T00:00:00.000Z"}'),
    ]


def test_explain_says_why_rows_are_not_aggregated_before_the_exchange(spark, capsys):
    sw.explain(counts(frame(spark, ROWS), time="ts"))
    shown = capsys.readouterr().out
    assert (
        "row by row, since EventTimeSessionWindows.withGap(10 s, maxLength = 25 s, endsAt = (kind = 'out')) is cut "
        "in the order of the rows" in " ".join(shown.split())
    )


def test_a_dynamic_gap_and_an_end_as_columns(spark):
    gap = F.when(F.col("kind") == "x", "5 seconds").when(F.col("kind") == "in", "1 hour")
    assigner = sw.EventTimeSessionWindows.with_dynamic_gap(
        gap, max_length="20 seconds", ends_at=F.col("kind") == "out"
    )
    rows = frame(spark, [r for r in ROWS if r[2]])
    assert bounds(counts(rows, assigner, time="ts").collect()) == [
        ("a", 0, 9.001, 3),
        ("a", 10, 15, 1),
        ("b", 0, 5, 1),
    ]


def test_the_same_for_processing_time(spark):
    stream = (
        spark.readStream.format("rate").load().selectExpr("string(value) AS user", "string(value) AS kind")
    )
    assigner = sw.ProcessingTimeSessionWindows.with_gap(
        "10 seconds", max_length="15 seconds", ends_at="kind = 'out'"
    )
    steps = []
    for second, kind in [(0, "x"), (8, "x"), (14, "x"), (15, "x"), (17, "out"), (18, "x")]:
        steps += [sim.processing_time(second * 1000), sim.element(user="a", kind=kind)]
    played = sw.simulate(counts(stream, assigner), [*steps, sim.processing_time(60_000)])
    assert bounds(row for step in played.steps for row in step.main) == [
        ("a", 0, 15, 3),
        ("a", 15, 17.001, 2),
        ("a", 18, 28, 1),
    ]


def test_an_end_that_is_not_boolean_is_refused_where_it_is_written(spark):
    assigner = sw.EventTimeSessionWindows.with_gap("10 seconds", ends_at="kind")
    with pytest.raises(ValueError, match="must be a boolean column, got kind of type STRING"):
        counts(frame(spark, ROWS), assigner, time="ts")


def test_an_end_over_no_column_of_the_input_is_refused(spark):
    assigner = sw.EventTimeSessionWindows.with_gap("10 seconds", ends_at="king = 'out'")
    with pytest.raises(Exception, match=r"the end of sessions.*user, ts, kind"):
        counts(frame(spark, ROWS), assigner, time="ts")


def test_a_run_and_its_picture_show_sessions_that_overlap(spark):
    mpl = pytest.importorskip("matplotlib")
    mpl.use("agg")
    rate = spark.readStream.format("rate").load()
    stream = rate.selectExpr("string(value) AS user", "timestamp AS ts", "string(value) AS kind")
    result = counts(
        stream.withWatermark("ts", "1 minute"),
        sw.EventTimeSessionWindows.with_gap("10 seconds", max_length="20 seconds"),
    )
    seconds = (10, 20, 5)
    rows = [sim.element(user="a", ts=second * 1000, kind="x") for second in seconds]
    played = sw.simulate(result, [*rows, sim.watermark(60_000)])
    assert bounds(played.steps[-1].main) == [("a", 5, 15, 1), ("a", 10, 30, 2)]
    assert [len(step.open) for step in played.steps] == [1, 1, 2, 0]
    fired = [event.window for event in played.steps[-1].events if event.kind == "fired"]
    assert [(w.start.timestamp(), w.end.timestamp()) for w in fired] == [(5, 15), (10, 30)]
    played.plot()
