"""Types of time into and out of Python functions: as Spark's `applyInPandas` gives and takes them, at every depth."""

from __future__ import annotations

import json
import os
import re
import sys
import time
from datetime import datetime, timedelta

import numpy as np
import pandas as pd
import pyspark
import pytest
from pyspark import cloudpickle
from pyspark.sql import functions as F

import spark_windowing as sw
from spark_windowing import sim

pytestmark = pytest.mark.spark

# The workers know nothing of this folder.
cloudpickle.register_pickle_by_value(sys.modules[__name__])

VERSION = tuple(map(int, pyspark.__version__.split(".")[:2]))

NEW_TYPES = ("spark.sql.timeType.enabled", "spark.sql.timestampNanosTypes.enabled")

# A value of each type as SQL: seconds with microseconds, and on a day on which clocks change in two of the zones.
ATOMS = {
    "t": "TIMESTAMP '2026-10-25 12:34:56.123456'",
    "n": "TIMESTAMP_NTZ '2026-10-25 02:30:00.000001'",
    "d": "DATE '2026-10-25'",
    "i": "INTERVAL '1 02:03:04.000005' DAY TO SECOND",
    "whole": "1",
}
if VERSION >= (4, 0):
    ATOMS["v"] = "parse_json('[1]')"
if VERSION >= (4, 1):
    ATOMS["c"] = "TIME '01:30:00.123456'"
DEPTHS = {
    "top": "{0}",
    "array": "array({0}, {0})",
    "struct": "named_struct('x', {0}, 'y', 'text')",
    "map": "map('k', {0})",
    "structs": "array(named_struct('x', {0}))",
    "deep": "named_struct('x', map(1, array({0})))",
}
COLUMNS = {
    f"{atom}_{depth}": form.format(value) for atom, value in ATOMS.items() for depth, form in DEPTHS.items()
}
# What PySpark does not hand to Python functions, and the type to cast it to.
REFUSED = {
    "make_ym_interval(1, 2)": "int",
    "array(make_ym_interval(1, 2))": "array<int>",
    "named_struct('x', map('k', make_ym_interval(1, 2)))": "struct<x:map<string,int>>",
    "make_interval(1, 2)": "string",
}
if VERSION >= (4, 3):
    REFUSED["CAST('2026-10-25 02:30:00.123456789' AS TIMESTAMP_NTZ(9))"] = "timestamp_ntz"
    REFUSED["array(CAST('2026-10-25 02:30:00.123456789' AS TIMESTAMP_LTZ(9)))"] = "array<timestamp>"
KEYS = [f"{atom}_{depth}" for atom in "tndi" for depth in ("top", "array", "struct")]
ZONES = ("America/New_York", "Asia/Kolkata")


@pytest.fixture
def in_zone(spark):
    """Set the session's time zone, and let Spark take TIME and nanoseconds, which it does not do by default."""
    before = spark.conf.get("spark.sql.session.timeZone")
    for name in NEW_TYPES:
        spark.conf.set(name, "true")
    yield lambda zone: spark.conf.set("spark.sql.session.timeZone", zone)
    spark.conf.set("spark.sql.session.timeZone", before)
    for name in NEW_TYPES:
        spark.conf.unset(name)


@pytest.fixture
def in_tokyo():
    """Give this process a time zone that no session here has."""
    before = os.environ.get("TZ")
    os.environ["TZ"] = "Asia/Tokyo"
    time.tzset()
    yield
    os.environ.pop("TZ")
    if before is not None:
        os.environ["TZ"] = before
    time.tzset()


def exactly(value):
    """A value with its types, as JSON can hold it."""
    if isinstance(value, np.ndarray):
        return [f"array of {value.dtype}", *map(exactly, value)]
    if isinstance(value, dict):
        return {str(name): exactly(item) for name, item in value.items()}
    return f"{type(value).__name__} {value}"


def plainly(value):
    """A value without the difference between the types of Python and those of pandas and NumPy."""
    if isinstance(value, dict):
        return {str(name): plainly(item) for name, item in value.items()}
    if isinstance(value, (list, np.ndarray)):
        return list(map(plainly, value))
    if isinstance(value, (timedelta, np.timedelta64)):
        return str(pd.Timedelta(value))
    return str(pd.Timestamp(value)) if isinstance(value, datetime) else str(value)


def plain(values):
    return json.dumps({name: plainly(value) for name, value in values.items()}, sort_keys=True)


def seen(rows):
    """The frame with what is seen in its first row in front."""
    row = {name: [rows[name].dtype.kind, exactly(rows[name].iloc[0])] for name in COLUMNS}
    return rows[list(COLUMNS)].assign(
        seen=json.dumps(row, sort_keys=True), values=plain(rows[list(COLUMNS)].iloc[0].to_dict())
    )


def every_type(spark):
    """A row of all columns, and one without event time."""
    frame = spark.sql("SELECT 'a' AS user, timestamp_seconds(1) AS ts UNION ALL SELECT 'b', NULL")
    return frame.select("*", *(F.expr(text).alias(name) for name, text in COLUMNS.items()))


def ddl(frame, names=COLUMNS):
    types = {name: frame.schema[name].dataType.simpleString() for name in names}
    return ", ".join(f"{name} {kind}" for name, kind in types.items())


def texts(row, names, prefix=""):
    """Values of a row as texts: variants have no equality."""
    return {name: repr(row[prefix + name]) for name in names}


@pytest.mark.parametrize("zone", ZONES)
def test_times_come_and_go_as_with_apply_in_pandas(spark, in_zone, zone):
    in_zone(zone)
    frame = every_type(spark)
    schema = f"{ddl(frame)}, seen string, values string"
    names = [*COLUMNS, "seen", "values"]
    by_user = frame.where("user = 'a'").groupBy("user")
    expected = texts(by_user.applyInPandas(seen, schema).first(), names)
    unchanged = {name: expected[name] for name in COLUMNS}

    def both(key, context, rows):
        keys = [rows[name].iloc[0] for name in KEYS]
        assert list(map(plainly, key[1:])) == list(map(plainly, keys))
        assert plain(context.window_state) == plain(context.global_state) == seen(rows)["values"].iloc[0]
        of_key = {f"own_{name}": [value] for name, value in zip(KEYS, key[1:], strict=True)}
        yield pd.concat([seen(rows), pd.DataFrame(of_key)], axis=1)
        yield sw.Tagged("side", seen(rows))

    copy = sw.ColumnState.of(F.struct(*(F.expr(text).alias(n) for n, text in COLUMNS.items())), "state")
    own = ddl(frame.select(*(F.col(name).alias(f"own_{name}") for name in KEYS)), [f"own_{n}" for n in KEYS])
    result = (
        sw.key_by(frame, "user", *(F.col(name).alias(f"key_{name}") for name in KEYS), time="ts")
        .time_window("10 seconds")
        .side_output_late_data("late")
        .process(
            both, f"{schema}, {own}", side_outputs={"side": schema}, window_state=copy, global_state=copy
        )
    )
    outputs = {row.output: row[row.output] for row in sw.all_outputs(result).collect()}
    assert texts(outputs["main"], names) == expected
    assert texts(outputs["side"], names) == expected
    assert texts(outputs["late"], COLUMNS) == unchanged
    for prefix in ("key_", "own_"):
        assert texts(outputs["main"], KEYS, prefix) == {name: expected[name] for name in KEYS}

    over = sw.key_by(frame.where("user = 'a'"), "user", time="ts").window(
        sw.OverEventTimeWindows.preceding("10 seconds")
    )
    firsts = [F.first(name).alias(name) for name in COLUMNS]
    row = (
        over.with_row()
        .aggregate(*firsts, process=lambda key, context, rows: seen(rows), schema=schema)
        .first()
    )
    assert texts(row, names) == expected
    assert texts(row.row, COLUMNS) == unchanged


@pytest.mark.classic("the time zone of this process would be that of the client alone")
def test_a_simulation_in_a_process_of_another_zone(spark, in_zone, in_tokyo):
    in_zone("America/New_York")
    names = [name for name in COLUMNS if not name.startswith("v_")]  # a client cannot make variants
    frame = every_type(spark).where("ts IS NOT NULL").select("user", "ts", *names)
    (given,) = frame.collect()

    def same(key, context, rows):
        return rows[names].assign(values=plain(rows[names].iloc[0].to_dict()))

    schema = f"{ddl(frame, names)}, values string"
    (expected,) = frame.groupBy("user").applyInPandas(lambda rows: same(None, None, rows), schema).collect()
    result = sw.key_by(frame, "user", time="ts").time_window("10 seconds").process(same, schema)
    run = sw.simulate(result, [sim.element(**given.asDict()), sim.end()])
    (row,) = run.steps[1].main
    assert {name: row[name] for name in expected.asDict()} == expected.asDict()
    assert {name: row[name] for name in names} == {name: given[name] for name in names}


def test_windows_and_rows_keep_their_instant_in_the_hour_that_clocks_repeat(spark, in_zone):
    in_zone("Europe/Berlin")  # where it is 02:30 an hour after 02:30
    frame = spark.sql(
        "SELECT 'a' AS user, timestamp_seconds(s) AS ts, s "
        "FROM VALUES (unix_seconds(TIMESTAMP '2026-10-25 00:30:00Z')), (unix_seconds(TIMESTAMP '2026-10-25 01:30:00Z')) AS t(s)"
    )

    def back(rows):
        return rows[["ts", "s"]].rename(columns={"ts": "came"})

    schema = "came timestamp, s long"
    hour = 3600
    over = sw.OverEventTimeWindows.preceding("1 second")
    result = (
        sw.key_by(frame, "user", F.col("ts").alias("key"), time="ts")
        .window(over)
        .with_row()
        .process(lambda key, context, rows: back(rows), schema)
    )
    names = ("key", "row.ts", "window.end", "came", "s")
    found = sorted(
        tuple(row)
        for row in result.select(*(F.col(n).cast("timestamp").cast("long") for n in names)).collect()
    )
    first = found[0][-1]
    later = first + hour
    # A time in the result has no zone: as with applyInPandas it is the later of the two.
    assert found == [(first, first, first, later, first), (later, later, later, later, later)]
    by_pandas = frame.groupBy("user").applyInPandas(back, schema)
    assert sorted(row[0] for row in by_pandas.select(F.col("came").cast("long")).collect()) == [later, later]


def test_types_that_pyspark_does_not_hand_over_are_refused_with_the_cast(spark, in_zone):
    in_zone("UTC")
    frame = spark.sql("SELECT 'a' AS user, timestamp_seconds(1) AS ts")

    def declared(rows, *keys):
        windows = sw.key_by(rows, "user", *keys, time="ts").time_window("10 seconds")
        return windows.process(lambda key, context, given: given[["x"]].astype(str), "x string")

    for value, cast in REFUSED.items():
        rows = frame.withColumn("x", F.expr(value))
        told = f'cast it, df.withColumn("x", F.col("x").cast("{cast}"))'
        with pytest.raises(ValueError, match=re.escape(told)):
            declared(rows)
        assert declared(rows.withColumn("x", F.col("x").cast(cast))).count() == 1
    windows = sw.key_by(frame, "user", time="ts").time_window("10 seconds")
    state = sw.ColumnState.of("struct(make_ym_interval(1) AS y)", "state")
    with pytest.raises(ValueError, match=r"cast it, window_state: CAST\(y AS INT\) AS y"):
        windows.process(lambda key, context, rows: rows, "x string", window_state=state)
    months = "x interval year to month"
    for schema, sides in ((months, {}), ("n int", {"side": months})):
        with pytest.raises(ValueError, match=r'return another type, "x int", and cast the column after it'):
            windows.process(lambda key, context, rows: None, schema, side_outputs=sides)
