"""Scenarios of tests/scenarios, played through `simulate` on a streaming query, step by step.

The engine plays all of them. Here are those that have something new for Python: a rule, a part, a setting or a step; all
with SCENARIOS=all in the environment. One of each file is played with a Python function of windows too.
"""

from __future__ import annotations

import os
from datetime import timedelta
from itertools import groupby

import pandas as pd
import pytest
from py4j.protocol import Py4JError
from pyspark.errors import PySparkException
from pyspark.sql import functions as F
from pyspark.sql.types import TimestampType

import spark_windowing as sw
from scenarios import FACTORIES, STRATEGIES, declared, make_strategy, moment, scenarios, too_long
from spark_windowing import sim

pytestmark = pytest.mark.spark

# A row without time is refused before it comes to the engine, in words of its own.
WITHOUT_TIME = {"timestamp": "has no event time"}
TIMES = {"watermark": sim.watermark, "processing_time": sim.processing_time, "probe": sim.probe}
ERRORS = (ValueError, PySparkException, Py4JError)


@pytest.fixture(scope="module")
def source(spark):
    stream = spark.readStream.format("rate").load().withWatermark("timestamp", "0 seconds")
    return stream.select(
        F.lit("k").alias("key"),
        F.col("value").cast("int"),
        F.make_dt_interval(secs=F.col("value")).alias("gap"),
        F.col("timestamp").alias("at"),
        F.current_timestamp().alias("proves"),
    )


POSSIBLE = [case for case in scenarios() if not case.get("engine_only") and not too_long(case)]


def in_it(scenario):
    """The rule of a scenario, and what it declares, does and shows, by name."""
    names = {"rule": (scenario["file"], str(scenario["rule"])), "fails": scenario.get("must_fail")}
    steps = {name for step in scenario.get("steps", []) for name in step}
    parts = {name for name in (*FACTORIES, *STRATEGIES) if f"'{name}'" in str(scenario)}
    return {*names.items(), *steps, *parts, *scenario}


def chosen():
    """Scenarios, each with something that those before it have not."""
    found, seen = [], set()
    for case in POSSIBLE:
        if not in_it(case) <= seen:
            found.append(case)
            seen |= in_it(case)
    return POSSIBLE if os.environ.get("SCENARIOS") == "all" else found


def test_every_part_is_in_a_chosen_scenario():
    chosen_parts = {name for case in chosen() for name in in_it(case)}
    assert {name for case in POSSIBLE for name in in_it(case)} == chosen_parts
    assert len(chosen()) > 60


@pytest.mark.parametrize("scenario", chosen(), ids=lambda case: f"{case['file']}: {case['name']}")
def test_scenario(source, scenario):
    differences = play(source, scenario)
    if "must_fail" in scenario:
        assert [kind for kind, _ in differences] == [scenario["must_fail"]]
    else:
        assert not differences, "\n".join(told(scenario, differences))


def one_of_each_file():
    """The first scenario of each file that fires; windows of several names take no such function."""
    fire = [case for case in POSSIBLE if any(step.get("fires") for step in case.get("steps", []))]
    fire = [case for case in fire if "NamedWindows" not in case["window"]]
    return list({case["file"]: case for case in reversed(fire)}.values())


@pytest.mark.parametrize("scenario", one_of_each_file(), ids=lambda case: f"{case['file']}: {case['name']}")
def test_scenario_with_a_python_function(source, scenario):
    differences = play(source, scenario, listed)
    if "must_fail" in scenario:
        assert [kind for kind, _ in differences] == [scenario["must_fail"]]
    else:
        assert not differences, "\n".join(told(scenario, differences))


def listed(key, context, elements):
    """Give one row a firing."""
    return pd.DataFrame({"all": [list(elements.value)]})


@pytest.mark.parametrize(
    "scenario", [case for case in scenarios() if too_long(case)], ids=lambda case: case["name"]
)
def test_a_lateness_beyond_a_timedelta_is_refused(source, scenario):
    with pytest.raises(ValueError, match="allowed lateness is too long"):
        declare(source, scenario)


def play(source, scenario, function=None):
    """Return what differs from the scenario, as pairs of kind and text; nothing after an error is played."""
    try:
        result = declare(source, scenario, function)
    except ERRORS as error:
        return compare_error(scenario.get("error"), error)
    if "error" in scenario:
        return [("error", f"no error that contains {scenario['error']!r}")]
    steps = scenario["steps"]
    failing = next((i for i, step in enumerate(steps) if "error" in step), len(steps))
    try:
        strategy = make_strategy(scenario.get("watermarks"))
        run = sw.simulate(result, [made(step) for step in steps[:failing]], watermarks=strategy)
    except ERRORS as error:
        return compare_error(None, error)
    differences = [
        found for step, result in zip(steps, run.steps, strict=False) for found in compare(step, result)
    ]
    if failing < len(steps):
        try:
            sw.simulate(result, [made(step) for step in steps[: failing + 1]], watermarks=strategy)
        except ERRORS as error:
            expected = steps[failing]["error"]
            if steps[failing].get("at") == "none":
                expected = WITHOUT_TIME[expected]
            differences += compare_error(expected, error)
        else:
            differences.append(("error", f"{steps[failing]}: no error"))
    return differences


def declare(source, scenario, function=None):
    stream = declared(sw.key_by(source, "key", time="at", on_missing_time="fail"), scenario)
    if function is not None:
        return stream.process(function, "all array<int>")
    return stream.aggregate(F.collect_list("value").alias("all"))


def made(step):
    if "row" in step:
        key, value = step["row"].split()
        columns = {name: moment(step[name]) for name in ("at", "proves") if step.get(name, "none") != "none"}
        return sim.element(
            key=key,
            value=int(value),
            gap=timedelta(seconds=int(value)),
            input=step.get("input", 0),
            **columns,
        )
    if "batch" in step:
        return sim.batch([made(event) for event in step["batch"]])
    if "idle" in step:
        return sim.idle(step["idle"])
    for name, make in TIMES.items():
        if name in step:
            return make(moment(step[name]))
    assert "restore" in step
    return sim.snapshot_restore()


def compare(step, result):
    """Return the differences of one step."""
    late = step.get("late", [])
    pairs = {
        "fires": (by_key(step.get("fires", [])), by_key(map(shown_firing, result.main))),
        "late": (
            [late] if isinstance(late, str) else late,
            [" ".join([row.key, *name_of(row), str(row.value)]) for row in result.side["late"]],
        ),
    }
    if "cleared" in step:
        cleared = [f"{key} {shown(window)}" for (key,), window in result.cleared]
        pairs["cleared"] = (by_key(step["cleared"]), by_key(cleared))
    if "timers" in step:
        timers = {"event": result.event_timers, "processing": result.processing_timers}
        pairs["timers"] = (step["timers"], timers)
    if "reaches" in step:
        reached = None if step["reaches"] == "none" else moment(step["reaches"])
        pairs["reaches"] = (reached, result.watermark)
    return [
        (kind, f"{step}: {kind} should be {expected}, is {found}")
        for kind, (expected, found) in pairs.items()
        if expected != found
    ]


def compare_error(expected, error):
    if expected is not None and expected in str(error):
        return []
    return [("error", f"an error that contains {expected!r} was expected, not {error}")]


def by_key(lines):
    """Group lines by key: the order is looked at within a key only."""
    ordered = sorted(lines, key=lambda line: line.split()[0])
    return {key: list(group) for key, group in groupby(ordered, key=lambda line: line.split()[0])}


def shown_firing(row):
    return " ".join([row.key, *name_of(row), shown(row.window), *map(str, row.all), *shown_pane(row)])


def name_of(row):
    """The name of the windows of a row, where there are several."""
    return [row.window_name] if "window_name" in row else []


def shown_pane(row):
    if "pane" not in row:
        return []
    pane = row.pane
    replaced = [shown(window) for window in pane.replaced]
    empty = ["empty"] if "is_empty" in pane and pane.is_empty else []
    last = ["last"] if pane.is_last else []
    return ["@", pane.timing, str(pane.number), *empty, *last, *(["replaces", *replaced] if replaced else [])]


def shown(window):
    if window is None:
        return "[global]"
    start, end = (TimestampType().toInternal(bound) // 1000 for bound in window)
    return f"[{start}, {end})"


def told(scenario, differences):
    """The scenario with what differs."""
    head = {name: value for name, value in scenario.items() if name != "steps"}
    return [
        str(head),
        *(f"  {step}" for step in scenario.get("steps", [])),
        *(text for _, text in differences),
    ]
