"""Results of a function of windows that do not fit: the last line says which, for which key and window, and why."""

from __future__ import annotations

import sys

import pandas as pd
import pytest
from pyspark import cloudpickle
from pyspark.errors import PySparkException
from pyspark.sql import functions as F

import spark_windowing as sw
from both_sessions import lines_of

pytestmark = pytest.mark.spark

# The workers know nothing of this folder.
cloudpickle.register_pickle_by_value(sys.modules[__name__])


@pytest.fixture
def tens(clicks):
    """Clicks of user string, price int, ts timestamp in windows of ten seconds."""
    return sw.key_by(clicks, "user", time="ts").time_window("10 seconds")


def gives(value):
    """Return a function of windows that gives this."""

    def odd(key, context, elements):
        return value() if callable(value) else value

    return odd


def later(key, context, elements):
    yield pd.DataFrame({"n": [1]})
    raise LookupError("at last")


RUNS = {
    "a missing column": (
        gives(lambda: pd.DataFrame({"m": [1]})),
        "n int",
        "ValueError: process(odd): the result must have the columns n; missing: n, too many: m",
    ),
    "a column twice": (
        gives(lambda: pd.DataFrame([[1, 2]], columns=["n", "n"])),
        "n int",
        "process(odd): the result has two columns named n: rename or drop one",
    ),
    "text for a number": (
        gives(lambda: pd.DataFrame({"n": ["x"]})),
        "n int",
        "process(odd): the result has 'n' as object, and the schema has it as int: cast one of them",
    ),
    "a fraction": (
        gives(lambda: pd.DataFrame({"n": [1.5]})),
        "n int",
        "process(odd): the result has 'n' as float64, and the schema has it as int",
    ),
    "too large": (
        gives(lambda: pd.DataFrame({"n": [2**40]})),
        "n int",
        "process(odd): the result has 'n' as int64, and the schema has it as int",
    ),
    "text for a moment": (
        gives(lambda: pd.DataFrame({"n": ["x"]})),
        "n timestamp",
        "process(odd): the result has 'n' as object, and the schema has it as timestamp",
    ),
    "a number for a moment": (
        gives(lambda: pd.DataFrame({"n": [1]})),
        "n timestamp",
        'as int64, and the schema has it as timestamp: cast one of them. A number is no moment: pd.to_datetime(.., unit="ms")',
    ),
    "a number for a text": (
        gives(lambda: pd.DataFrame({"n": [1]})),
        "n string",
        "process(odd): the result has 'n' as int64, and the schema has it as string",
    ),
    "a number": (
        gives(3),
        "n int",
        "process(odd): the result must be a pandas DataFrame of the columns n, got int: pd.DataFrame({'n': [..]})",
    ),
    "a dict": (
        gives({"n": 1}),
        "n int",
        "must be a pandas DataFrame of the columns n, got dict: pd.DataFrame(",
    ),
    "a list of dicts": (gives([{"n": 1}]), "n int", "must be a pandas DataFrame of the columns n, got dict"),
    "a Series": (
        gives(lambda: pd.Series([1])),
        "n int",
        "must be a pandas DataFrame of the columns n, got Series",
    ),
    "an unknown tag": (
        gives(lambda: sw.Tagged("odd", 1)),
        "n int",
        "process(odd) gave rows for the side output 'odd', which is not one of its own: 'big'. Declare it with side_outputs=",
    ),
    "a tag without rows": (
        gives(lambda: sw.Tagged("big", 3)),
        "n int",
        "process(odd): the side output 'big' must be a pandas DataFrame of the columns user, got int",
    ),
    "a tag with other rows": (
        gives(lambda: sw.Tagged("big", pd.DataFrame({"x": [1]}))),
        "n int",
        "process(odd): the side output 'big' must have the columns user; missing: user, too many: x",
    ),
    "a tag with another type": (
        gives(lambda: sw.Tagged("big", pd.DataFrame({"user": [1]}))),
        "n int",
        "the side output 'big' has 'user' as int64, and the schema has it as string",
    ),
    "a failure": (
        gives(lambda: {}["n"]),
        "n int",
        "RuntimeError: process(odd) failed for the key ('a',) and the window (",
    ),
    "a failure after some rows": (
        later,
        "n int",
        "RuntimeError: process(later) failed for the key ('a',) and the window (",
    ),
}


@pytest.mark.parametrize("case", RUNS)
def test_what_a_function_gives_must_fit_what_was_declared(spark, tens, case):
    function, schema, message = RUNS[case]
    result = tens.process(function, schema, side_outputs={"big": "user string"})
    with pytest.raises(PySparkException) as raised:
        result.collect()
    lines = lines_of(raised.value)
    ours = [line for line in lines if "python_function.py" in line]
    assert message in lines[-1]
    assert "for the key ('a',) and the window ('1970-01-01 00:00:" in lines[-1]
    assert len(ours) <= 2
    assert len(lines) <= 16


def test_the_line_of_the_function_that_failed_is_shown(tens):
    with pytest.raises(PySparkException, match=r"in gone\n +return elements.nothing"):
        tens.process(gone, "n int").collect()
    with pytest.raises(PySparkException, match=r"aggregate\(.., process=gone\) failed for the key"):
        tens.aggregate(F.count("*").alias("n"), process=gone, schema="n int").collect()
    with pytest.raises(PySparkException, match=r"apply\(gone\) failed for the key"):
        tens.apply(gone, "n int").collect()


def gone(key, context, elements):
    return elements.nothing
