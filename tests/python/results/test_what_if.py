"""What would have come of a declaration, in Python: arguments, variants, the DataFrame and its picture."""

from datetime import timedelta

import pytest
from pyspark.sql import functions as F

import spark_windowing as sw

pytestmark = pytest.mark.spark

COUNTS = sw.keyed("p", time="ts").time_window("10 seconds").aggregate("count(*) AS n")


@pytest.fixture(scope="module")
def came(spark):
    """Rows of one key: micro-batch and second. The third is late for its window, unless the watermark waits."""
    rows = [("a", 0, 1), ("a", 1, 12), ("a", 2, 4), ("a", 3, 25), ("a", 4, 40), ("a", 5, None)]
    frame = spark.createDataFrame(rows, "p string, batch int, second int")
    return frame.withColumns(
        {"ts": F.timestamp_seconds("second"), "at": F.timestamp_seconds(F.col("batch") * 10)}
    )


def shown(variants, *names):
    return [tuple(row[name] for name in names) for row in variants.collect()]


def test_a_row_for_each_delay_lateness_and_trigger(came):
    variants = sw.what_if(
        COUNTS,
        came,
        arrived="batch",
        delay=["0 s", timedelta(seconds=20)],
        lateness=["0 s", "1 min"],
        trigger=[sw.EventTimeTrigger.create(), sw.PurgingTrigger.of(sw.EventTimeTrigger.create())],
    )
    names = ("delay", "lateness", "lost", "untimed", "windows", "revised", "revisions")
    lines = shown(variants, *names)
    assert lines[:4] == [
        ("0 ms", "0 ms", 1, 1, 3, 0, 0),
        ("20 s", "0 ms", 0, 1, 2, 0, 0),
        ("0 ms", "1 min", 0, 1, 3, 1, 1),
        ("20 s", "1 min", 0, 1, 2, 0, 0),
    ]
    assert lines[4:] == lines[:4]
    assert [row.trigger for row in variants.collect()[::4]] == [
        "EventTimeTrigger.create()",
        "PurgingTrigger.of(EventTimeTrigger.create())",
    ]
    assert {row.rows for row in variants.collect()} == {6}
    assert shown(variants, "first_p50", "last_p99") == [(None, None)] * 8


def test_times_of_arrival_give_the_waits_for_results(came):
    timed = sw.what_if(COUNTS, came, arrived=F.col("at"), every="10 seconds", delay=["0 s", "20 s"])
    # Windows end at 10, 20 and 30 s, and are complete at 20, 40 and 50 s; with the delay two are at 50 s.
    assert shown(timed, "first_p50", "first_p99", "last_p99") == [(20.0, 20.0, 20.0), (30.0, 40.0, 40.0)]
    assert all(row.state_bytes > 0 for row in timed.collect())
    assert shown(timed, "lateness", "trigger")[0] == ("0 ms", "default")


@pytest.mark.parametrize(
    ("wrong", "error", "said"),
    [
        ({"delay": "1 s"}, TypeError, "delay takes a list of one or more, got '1 s'"),
        ({"delay": ["-1 s"]}, ValueError, "delay must not be negative, got -1 s"),
        ({"lateness": []}, TypeError, r"lateness takes a list of one or more, got \[\]"),
        ({"trigger": ["x"]}, TypeError, r"such as \[sw.CountTrigger.of\(100\)\], got \['x'\]"),
        ({"every": "0 s"}, ValueError, "every must be positive, got 0 ms"),
        ({"arrived": 1}, TypeError, "arrived must be a column name or a Column, got 1"),
        (
            {"arrived": "p"},
            ValueError,
            "arrived must be a TIMESTAMP, or the number of a micro-batch, got STRING",
        ),
    ],
)
def test_what_is_refused(came, wrong, error, said):
    with pytest.raises(error, match=said):
        sw.what_if(COUNTS, came, **{"arrived": "batch", **wrong})


def test_a_declaration_is_windows_without_a_dataframe(came):
    for wrong in (
        COUNTS(came),
        sw.keyed("p", time="ts").time_window("1 s"),
        sw.keyed("p").process(sw.jvm("com.acme.Mine"), "n int"),
    ):
        with pytest.raises(
            TypeError, match="what_if takes windows and their function without a DataFrame, such"
        ):
            sw.what_if(wrong, came, arrived="batch")


def test_the_picture(came, spark):
    timed = sw.what_if(
        COUNTS, came, arrived="at", every="10 seconds", delay=["0 s", "20 s"], lateness=["0 s", "1 min"]
    )
    ax = sw.plot_what_if(timed)
    assert [list(map(tuple, line.get_xydata())) for line in ax.lines] == [
        [(20.0, pytest.approx(100 / 6)), (40.0, 0.0)],
        [(20.0, 0.0), (40.0, 0.0)],
    ]
    assert [text.get_text() for text in ax.texts] == ["0 ms", "20 s"] * 2
    assert len(ax.get_legend().get_texts()) == 2
    numbered = sw.plot_what_if(sw.what_if(COUNTS, came, arrived="batch"), ax=ax)
    assert numbered is ax
    with pytest.raises(ValueError, match="there is no column last_p99"):
        sw.plot_what_if(timed.drop("last_p99"))
    with pytest.raises(ValueError, match="there is no variant to draw"):
        sw.plot_what_if(timed.where("false"))
