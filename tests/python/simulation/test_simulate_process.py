"""`simulate` of Python functions of windows: no firing, every type of value, times that datetime cannot hold."""

from __future__ import annotations

from datetime import date, datetime, timedelta
from decimal import Decimal

import pandas as pd
import pytest
from pyspark.sql import functions as F
from pyspark.sql.types import Row

import spark_windowing as sw
from spark_windowing import sim

pytestmark = pytest.mark.spark

MIN, MAX = datetime.min, datetime.max  # noqa: DTZ901  (naive, as rows of Spark have them)
YEAR_9999 = 253_402_300_799_999
YEAR_1 = -62_135_596_800_000
FAR = {
    "behind 9999": YEAR_9999,
    "before 1": YEAR_1,
    "year 12000": YEAR_9999 + 2 * 10**15,
    "year -400": -75 * 10**12,
}


def count(key, context, elements):
    return pd.DataFrame({"n": [len(elements)]})


def nothing(key, context, elements):
    return None


def windows(spark, more=""):
    frame = spark.createDataFrame([], f"user string, ts timestamp{more}")
    return sw.key_by(frame, "user", time="ts").time_window("10 days").side_output_late_data("late")


@pytest.mark.parametrize("sides", [None, {"big": "n long"}])
@pytest.mark.parametrize(
    "steps", [[], [sim.element(user="a", ts=0)], [sim.element(user="a", ts=0), sim.end()]]
)
def test_a_run_without_a_row_is_one_too(spark, steps, sides):
    result = windows(spark).process(nothing, "n long", side_outputs=sides)
    run = sw.simulate(result, steps)
    assert [step.main for step in run.steps] == [[] for _ in steps]
    assert all(rows == [] for step in run.steps for rows in step.side.values())
    assert all(set(step.side) == {"late", *(sides or {})} for step in run.steps)


MOMENT = datetime(2026, 3, 29, 2, 30, 0, 123456)  # noqa: DTZ001
VALUES = {
    "array<struct<x:int,y:string>>": [Row(x=1, y="z"), None],
    "array<timestamp>": [MOMENT, None],
    "array<timestamp_ntz>": [MOMENT, None],
    "array<array<int>>": [[1, None], None],
    "array<date>": [date(2026, 1, 1), None],
    "map<string,int>": {"k": 1},
    "map<string,struct<t:timestamp>>": {"k": Row(t=MOMENT), "l": None},
    "map<string,array<timestamp>>": {"k": [MOMENT, None]},
    "struct<x:int,t:timestamp>": Row(x=1, t=None),
    "struct<s:struct<t:array<timestamp>>>": Row(s=Row(t=[MOMENT])),
    "decimal(20,4)": Decimal("12345.6789"),
    "interval day to second": timedelta(days=1, microseconds=5),
    "binary": bytearray(b"\x00\xff"),
    "timestamp": MOMENT,
    "timestamp_ntz": MOMENT,
    "date": date(1969, 12, 31),
    "boolean": True,
    "tinyint": 7,
    "double": 1e300,
    "string": "ä€",
}


NAMES = {f"v{number}": value for number, value in enumerate(VALUES.values())}
NULLS = dict.fromkeys(NAMES)
COLUMNS = ", ".join(f"{name} {kind}" for name, kind in zip(NAMES, VALUES, strict=True))


def values(row):
    return {name: row[name] for name in NAMES}


def test_late_rows_have_null_and_other_values_of_every_type(spark):
    given = [NULLS, NAMES, NULLS, NAMES]
    steps = [
        sim.watermark(10**11),
        *(sim.element(user="a", ts=i, **row) for i, row in enumerate(given)),
    ]
    plain = windows(spark, f", {COLUMNS}")
    runs = [
        sw.simulate(result, steps)
        for result in (plain.process(count, "n long"), plain.aggregate(F.count("*").alias("n")))
    ]
    of_process, of_aggregate = ([row for step in run.steps for row in step.side["late"]] for run in runs)
    assert of_process == of_aggregate
    assert list(map(values, of_process)) == given


def test_elements_and_results_have_null_and_other_values_of_every_type(spark):
    def same(key, context, elements):
        return elements[list(NAMES)]

    steps = [sim.element(user="a", ts=i, **row) for i, row in enumerate([NULLS, NAMES])]
    run = sw.simulate(windows(spark, f", {COLUMNS}").process(same, COLUMNS), [*steps, sim.end()])
    assert list(map(values, run.steps[-1].main)) == [NULLS, NAMES]


@pytest.mark.parametrize("name", FAR)
def test_a_bound_that_datetime_cannot_hold_is_its_first_or_last(spark, name):
    seen = []

    def record(key, context, elements):
        seen.append(tuple(context.window))
        return count(key, context, elements)

    steps = [sim.element(user="a", ts=FAR[name]), sim.end()]
    late = [sim.watermark(2**63 - 2), steps[0]]
    for result in (
        windows(spark).process(record, "n long"),
        windows(spark).aggregate(F.count("*").alias("n")),
    ):
        run = sw.simulate(result, steps)
        (row,) = run.steps[1].main
        assert row.n == 1
        assert run.steps[1].cleared == [(("a",), row.window)]
        assert run.steps[0].open == [(("a",), row.window)]
        bound = row.window.end if FAR[name] > 0 else row.window.start
        assert bound in (MAX, MIN)
        assert repr(run)
        assert run.plot()
        (missed,) = sw.simulate(result, late).steps[1].side["late"]
        assert missed.missed_window == row.window
    assert [(bound == MAX, bound == MIN) for bound in seen[0]].count((False, False)) < 2


def test_keys_panes_and_states_hold_such_times_too(spark):
    frame = spark.createDataFrame([], "of struct<at: timestamp>, ts timestamp")
    seen = []

    def record(key, context, elements):
        seen.append((key[0]["at"], context.global_state["last"], len(context.pane["replaced"])))
        return count(key, context, elements)

    result = (
        sw.key_by(frame, "of", time="ts")
        .window(sw.EventTimeSessionWindows.with_gap("10 days"))
        .trigger(sw.CountTrigger.of(1))
        .with_pane()
        .process(
            record,
            "n long",
            global_state=sw.ColumnState.of(
                "struct(timestamp_millis(0L) as last)",
                lambda state, result: F.struct(
                    F.expr(f"timestamp_millis({YEAR_9999 + 10**12}L)").alias("last")
                ),
            ),
        )
    )
    day = 86_400_000
    steps = [
        sim.element(of={"at": None}, ts=YEAR_9999),
        sim.element(of={"at": None}, ts=YEAR_9999 - 18 * day),
    ]
    steps.append(sim.element(of={"at": None}, ts=YEAR_9999 - 9 * day))
    run = sw.simulate(result, steps)
    assert [len(step.main) for step in run.steps] == [1, 1, 1]
    assert seen[2] == (None, MAX, 2)
    assert run.steps[2].main[0].pane.replaced[1].end == MAX


def test_rows_show_their_windows_as_before(spark):
    run = sw.simulate(windows(spark).process(count, "n long"), [sim.element(user="a", ts=0), sim.end()])
    assert "user=a window=[1970-01-01 00:00:00, 1970-01-11 00:00:00) n=1" in repr(run)
