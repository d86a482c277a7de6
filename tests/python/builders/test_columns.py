"""Assigners, triggers and evictors that are written as columns, over a static DataFrame."""

import pytest
from pyspark.sql import functions as F

import spark_windowing as sw
from shared import second

pytestmark = pytest.mark.spark


@pytest.fixture
def readings(spark):
    """Readings of one car at 1, 3, 10, 11 and 12 seconds, with a gap for each."""
    rows = [
        (1.0, "3 seconds", 1),
        (2.0, "1 second", 3),
        (9.0, "5 seconds", 10),
        (9.5, "5 seconds", 11),
        (20.0, "2 seconds", 12),
    ]
    return spark.createDataFrame(
        [("a", v, gap, second(at)) for v, gap, at in rows], "car string, v double, gap string, ts timestamp"
    )


@pytest.fixture
def car(readings):
    return sw.key_by(readings, "car", time="ts")


def values():
    return F.collect_list("v").alias("l")


def lists(result):
    return [row.l for row in result.collect()]


def test_a_gap_of_each_row_as_text(car):
    # [1, 4) and [3, 4) are one session, [10, 15), [11, 16) and [12, 14) another.
    sessions = car.window(sw.EventTimeSessionWindows.with_dynamic_gap("gap")).aggregate(values())
    assert lists(sessions) == [[1.0, 2.0], [9.0, 9.5, 20.0]]
    assert [int(row.window.end.timestamp()) for row in sessions.collect()] == [4, 16]


@pytest.mark.parametrize(
    "gap",
    [
        "interval 1 second",
        "interval '1' second",
        "make_dt_interval(0, 0, 0, v * 0 + 1)",
        "make_interval(0, 0, 0, 0, 0, 0, 1)",
    ],
)
def test_a_gap_of_each_row_as_interval(car, gap):
    sessions = car.window(sw.EventTimeSessionWindows.with_dynamic_gap(F.expr(gap))).aggregate(values())
    assert lists(sessions) == [[1.0], [2.0], [9.0, 9.5, 20.0]]


def test_a_gap_that_is_no_interval_is_refused_where_it_is_written(car):
    with pytest.raises(
        ValueError, match="must be an interval or text such as '5 seconds', got v of type DOUBLE"
    ):
        car.window(sw.EventTimeSessionWindows.with_dynamic_gap("v")).aggregate(values())


@pytest.mark.parametrize(
    ("gap", "says"),
    [
        ("car", "null, or text that is no interval"),
        ("'0 seconds'", "must be positive"),
        ("'1 month'", "no fixed length"),
    ],
)
def test_a_row_with_a_bad_gap_stops_the_query_and_says_why(car, gap, says):
    with pytest.raises(Exception, match=says):
        car.window(sw.EventTimeSessionWindows.with_dynamic_gap(F.expr(gap))).aggregate(values()).collect()


def test_a_delta_trigger_fires_for_what_is_further_than_the_threshold(car):
    trigger = sw.DeltaTrigger.of(5, lambda old, new: F.abs(new["v"] - old.v))
    fired = car.window(sw.GlobalWindows.create()).trigger(trigger).aggregate(values())
    assert lists(fired) == [[1.0, 2.0, 9.0], [1.0, 2.0, 9.0, 9.5, 20.0]]
    purged = car.window(sw.GlobalWindows.create()).trigger(sw.PurgingTrigger.of(trigger)).aggregate(values())
    assert lists(purged) == [[1.0, 2.0, 9.0], [9.5, 20.0]]


def test_a_delta_as_text(car):
    trigger = sw.DeltaTrigger.of(5, "abs(new.v - old.v)")
    assert lists(car.window(sw.GlobalWindows.create()).trigger(trigger).aggregate(values()))[0] == [
        1.0,
        2.0,
        9.0,
    ]
    at_end = car.window(sw.GlobalWindows.create_with_end_of_stream_trigger())
    assert lists(at_end.evictor(sw.DeltaEvictor.of(11, "last.v - element.v")).aggregate(values())) == [
        [9.5, 20.0]
    ]
    assert lists(at_end.evictor(sw.ColumnEvictor.keep("position = 1")).aggregate(values())) == [[2.0]]


def test_text_compares_by_value_and_functions_by_identity():
    def delta(old, new):
        return new["v"] - old["v"]

    def other(old, new):
        return old["v"] - new["v"]

    assert sw.DeltaTrigger.of(5, "new.v - old.v") == sw.DeltaTrigger.of(5, "new.v - old.v")
    assert sw.DeltaTrigger.of(5, "new.v - old.v") != sw.DeltaTrigger.of(5, "old.v - new.v")
    assert sw.DeltaTrigger.of(5, delta) == sw.DeltaTrigger.of(5, delta)
    assert sw.DeltaTrigger.of(5, delta) != sw.DeltaTrigger.of(5, other)
    assert len({sw.ColumnTrigger.when("v > 1"), sw.ColumnTrigger.when("v > 1")}) == 1
    assert sw.EventTimeSessionWindows.with_dynamic_gap("gap") == sw.EventTimeSessionWindows.with_dynamic_gap(
        "gap"
    )


def test_a_delta_may_use_whole_rows_and_any_function_of_sql(car):
    def differs(old, new):
        return F.nullif(F.when(F.to_json(old) == F.to_json(new), 0).otherwise(10), F.lit(0))

    fired = car.window(sw.GlobalWindows.create()).trigger(sw.DeltaTrigger.of(5, differs)).aggregate(values())
    assert len(lists(fired)) == 4


@pytest.mark.parametrize(
    ("delta", "error", "says"),
    [
        (lambda old, new: new["speed"], Exception, "speed"),
        (lambda old, new: 3, TypeError, "DeltaTrigger: delta must return a Column, .* got 3"),
        (lambda old, new: F.rand(), ValueError, "deterministic expression of Spark SQL over old, new"),
        (lambda old, new: F.sum(new["v"]), ValueError, "must be an expression over old, new"),
    ],
    ids=["no such column", "no column", "random", "aggregate"],
)
def test_a_delta_that_cannot_be_computed_is_refused_where_it_is_written(car, delta, error, says):
    with pytest.raises(error, match=says):
        car.window(sw.GlobalWindows.create()).trigger(sw.DeltaTrigger.of(5, delta)).aggregate(values())


def test_evictors_of_columns(car):
    at_end = car.window(sw.GlobalWindows.create_with_end_of_stream_trigger())
    near = sw.DeltaEvictor.of(11, lambda element, last: F.abs(last["v"] - element["v"]))
    assert lists(at_end.evictor(near).aggregate(values())) == [[9.5, 20.0]]
    even_and_new = sw.ColumnEvictor.keep(
        lambda element, position, count, newest: (
            (position % 2 == 0) & (count == 5) & (newest - element["ts"] < F.expr("interval 10 seconds"))
        )
    )
    assert lists(at_end.evictor(even_and_new).aggregate(values())) == [[9.0, 20.0]]
    assert lists(at_end.evictor(sw.TimeEvictor.of("2 seconds")).aggregate(values())) == [[9.5, 20.0]]


def test_a_column_trigger_fires_where_it_is_true(car):
    fired = (
        car.window(sw.GlobalWindows.create())
        .trigger(sw.ColumnTrigger.when(F.col("v") > 9))
        .aggregate(values())
    )
    assert lists(fired) == [[1.0, 2.0, 9.0, 9.5], [1.0, 2.0, 9.0, 9.5, 20.0]]
    with pytest.raises(ValueError, match="takes a boolean column, got v of type DOUBLE"):
        car.window(sw.GlobalWindows.create()).trigger(sw.ColumnTrigger.when("v")).aggregate(values())


def test_windows_of_a_column(car):
    minute = F.date_trunc("minute", "ts")
    eleven = F.struct(minute.alias("start"), (minute + F.expr("interval 11 seconds")).alias("end"))
    rows = car.window(sw.ColumnAssigner.of(F.when(F.col("v") != 2, F.array(eleven)))).aggregate(values())
    assert lists(rows) == [[1.0, 9.0, 9.5, 20.0]]
    with pytest.raises(ValueError, match="an array of structs of two timestamps"):
        car.window(sw.ColumnAssigner.of("v")).aggregate(values())


@pytest.mark.parametrize("part", ["gap", "windows", "trigger", "answers", "delta", "evictor"])
def test_a_query_declared_twice_is_the_same_query(readings, capsys, part):
    # The variables of a lambda have other names at every call, and a restart compares what is written down.
    def twice(column):
        return F.element_at(F.transform(F.array(column), lambda x: x * 2), 1)

    def declare(keyed):
        if part == "gap":
            gap = F.make_dt_interval(secs=twice(F.col("v")))
            return keyed.window(sw.EventTimeSessionWindows.with_dynamic_gap(gap))
        if part == "windows":
            bounds = F.transform(F.array("ts"), lambda t: F.struct(t, t + F.expr("interval 1 second")))
            return keyed.window(sw.ColumnAssigner.of(bounds))
        windows = keyed.window(sw.GlobalWindows.create())
        if part == "trigger":
            return windows.trigger(sw.ColumnTrigger.when(twice(F.col("v")) > 3))
        if part == "answers":
            trigger = sw.ColumnTrigger.of(on_element=lambda element: sw.Answer(fire=twice(element["v"]) > 3))
            return windows.trigger(trigger)
        if part == "delta":
            return windows.trigger(sw.DeltaTrigger.of(5, lambda old, new: twice(new["v"]) - old["v"]))
        return windows.evictor(sw.ColumnEvictor.keep(lambda element, p, c, n: twice(element["v"]) > 3))

    said = []
    for _ in range(2):
        sw.explain(declare(sw.key_by(readings, "car", time="ts")).aggregate(values()))
        said.append(capsys.readouterr().out)
    assert "transform" in said[0]
    assert said[0] == said[1]
