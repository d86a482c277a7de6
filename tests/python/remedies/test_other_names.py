"""The lines in place of names of other systems, and of Spark's window columns, typed: each gives a result."""

import re

import pandas as pd
import pyspark
import pytest
from pyspark.sql import functions as F

import spark_windowing as sw
from remedies import Data
from remedies.case import count, values
from spark_windowing._gateway.guidance import OTHER_NAMES
from spark_windowing._streams.joined import JoinedStreams

pytestmark = pytest.mark.spark


@pytest.fixture(scope="module")
def names(spark):
    def function(key, window, rows):
        return pd.DataFrame({"n": [len(rows)]})

    df = Data(spark).clicks
    keyed = sw.key_by(df, "user", time="ts")
    windows = keyed.time_window("5 minutes").side_output_late_data("late")
    result = windows.aggregate(F.count("*").alias("n"))
    return {"sw": sw, "df": df, "keyed": keyed, "windows": windows, "result": result, "function": function}


def typed(line, names):
    """The rows of a line, with an aggregate at the end of windows, and windows at the end of keys."""
    if line.startswith("."):
        line = ("keyed" if line.startswith(".window(") else "windows") + line
    made = eval(line, dict(names))
    if isinstance(made, sw.KeyedStream):
        made = made.count_window(1)
    if isinstance(made, sw.WindowedStream):
        made = count(made)
    return made.collect()


@pytest.mark.parametrize(
    "line", sorted({line for names in OTHER_NAMES.values() for _, line in names.values()})
)
def test_the_line_in_place_of_a_name_gives_rows(names, line):
    found = typed(line, names)
    assert found or "side_output(" in line or "CountTrigger.of(100)" in line


WINDOWS = {
    "tumbling": (
        lambda: F.window("ts", "5 seconds"),
        '.window(sw.TumblingEventTimeWindows.of("5 seconds"))',
    ),
    "sliding": (
        lambda: F.window("ts", "10 seconds", "5 seconds"),
        '.window(sw.SlidingEventTimeWindows.of("10 seconds", "5 seconds"))',
    ),
    "with a start": (
        lambda: F.window(F.col("ts"), "5 seconds", startTime="2 seconds").alias("w"),
        '.window(sw.TumblingEventTimeWindows.of("5 seconds", offset="2 seconds"))',
    ),
    "session": (
        lambda: F.session_window("ts", "2 seconds"),
        '.window(sw.EventTimeSessionWindows.with_gap("2 seconds"))',
    ),
    "session with a column": (
        lambda: F.session_window("ts", F.col("pause")),
        ".window(sw.EventTimeSessionWindows.with_dynamic_gap('pause'))",
    ),
}


@pytest.mark.parametrize("kind", WINDOWS)
def test_a_window_column_leads_to_the_assigner_with_the_same_windows(names, kind):
    column, line = WINDOWS[kind]
    clicks = names["df"].withColumn("pause", F.lit("2 seconds"))
    keyed = sw.key_by(clicks, "user", time="ts")
    with pytest.raises(TypeError) as error:
        keyed.window(column())
    said = re.search(
        r"write (\.window\(.*\))\. The event time belongs to key_by\(df, \.\., time=\"(.*)\"\)",
        str(error.value),
    )
    if pyspark.__version__.startswith("3.5.") and kind in ("tumbling", "sliding", "with a start"):
        pytest.skip("Spark 3.5 does not show the durations of F.window")
    assert said.groups() == (line, "ts")
    ours = count(eval(f"keyed{said[1]}", {"sw": sw, "keyed": keyed}))
    theirs = clicks.groupBy("user", column().alias("window")).agg(F.count("*").alias("n"))
    assert values(ours, "user", "window.start", "n") == values(theirs, "user", "window.start", "n")


@pytest.mark.parametrize(
    ("column", "said"),
    [
        (
            lambda: F.session_window("ts", F.when(F.col("price") > 3, "2 seconds").otherwise("3 seconds")),
            'session_window(..): write, with its durations, .window(sw.EventTimeSessionWindows.with_gap("5 minutes"))',
        ),
        (
            lambda: F.window_time("window"),
            "window_time(..), the event time of a result, which key_by finds itself",
        ),
        (lambda: F.col("price"), "got Column<'price'>"),
    ],
)
def test_a_column_whose_windows_cannot_be_read_leads_to_an_example(names, column, said):
    for window in (names["keyed"].window, lambda c: sw.window_all(names["df"], c, time="ts")):
        with pytest.raises(TypeError, match="window takes a window assigner") as error:
            window(column())
        assert said in str(error.value)


def test_a_join_takes_no_window_column_either(names):
    joined = sw.join(names["keyed"], names["keyed"])
    assert isinstance(joined, JoinedStreams)
    with pytest.raises(
        TypeError, match=r'write \.window\(sw\.EventTimeSessionWindows\.with_gap\("5 minutes"\)\)'
    ):
        joined.window(F.session_window("ts", "5 minutes"))
