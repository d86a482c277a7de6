"""Firings as Arrow batches, cut anywhere, without Spark: each call of a function gets the rows of its own firing."""

from __future__ import annotations

import contextlib
import functools
import random
from collections.abc import Iterable, Iterator  # noqa: TC003  (hints are read)
from datetime import datetime
from typing import Optional

import pandas as pd
import pyarrow as pa
import pytest

from spark_windowing import Tagged
from spark_windowing._streams.function_hints import takes_iterator
from spark_windowing._streams.process import Process
from spark_windowing._streams.python_function import Layout, PythonFunction

FIRST, LAST = 1, 2
TIME = pa.timestamp("us")
WINDOW = pa.struct([("start", TIME), ("end", TIME)])
ELEMENT = pa.struct([("n", pa.int64())])
ROWS = pa.schema(
    [
        ("key", pa.string()),
        ("window", WINDOW),
        ("#element", ELEMENT),
        ("#part", pa.int32()),
        ("#watermark", pa.int64()),
        ("#processing_time", pa.int64()),
        ("#window_state", pa.struct([("seen", pa.int64())])),
        ("output", pa.string()),
        ("late", ELEMENT),
    ]
)
OUTPUT = pa.schema(
    [
        ("key", pa.string()),
        ("window", WINDOW),
        ("n", pa.int64()),
        ("output", pa.string()),
        ("late", ELEMENT),
        ("odd", ELEMENT),
    ]
)


def firing(key, elements, seen):
    """Rows of the operator for one firing, which has no rows left if there are no elements."""
    window = {"start": 0, "end": 10_000_000}
    count = max(1, len(elements))
    for i in range(count):
        part = FIRST * (i == 0) + LAST * (i == count - 1)
        element = {"n": elements[i]} if elements else None
        known = (7_000, None, {"seen": seen}) if i == 0 else (None, None, None)
        yield (key, window, element, part, *known, None, None)


def late(key, n):
    return (key, None, None, None, None, None, None, "late", {"n": n})


def batches(rows, chance, most):
    """Batches of the rows, of random sizes, some of them empty."""
    first = 0
    while first < len(rows):
        count = chance.randrange(most + 1)
        part = rows[first : first + count]
        first += count
        columns = list(zip(*part, strict=True)) or [()] * len(ROWS)
        yield pa.RecordBatch.from_arrays(
            [pa.array(column, field.type) for column, field in zip(columns, ROWS, strict=True)], schema=ROWS
        )


def python_function(function, *, as_iterator):
    layout = Layout(
        keys=1,
        pane=False,
        row=False,
        window_state=True,
        global_state=False,
        late="late",
        tags=("odd",),
        inputs=(),
        as_iterator=as_iterator,
        output=OUTPUT,
        time_zone="UTC",
    )
    return PythonFunction("process(function)", function, layout)


def whole(calls, key, context, elements):
    calls.append((key, context.watermark, context.window_state["seen"], list(elements.n)))
    yield elements
    yield Tagged("odd", elements[elements.n % 2 == 1])


def in_parts(calls, key, context, parts):
    calls.append((key, context.watermark, context.window_state["seen"], []))
    for part in parts:
        calls[-1][-1].extend(part.n)
        yield part
        yield Tagged("odd", part[part.n % 2 == 1])


def half(calls, key, context, parts):
    """Read the first part alone, and nothing of every third firing."""
    read = [] if context.window_state["seen"] % 3 == 0 else list(next(parts).n)
    calls.append((key, context.watermark, context.window_state["seen"], read))
    return pd.DataFrame({"n": read})


@pytest.mark.parametrize("most", [1, 2, 5, 40])
@pytest.mark.parametrize("function", [whole, in_parts, half])
def test_each_call_gets_the_rows_of_its_firing_however_batches_are_cut(function, most):
    moment = datetime(1970, 1, 1, 0, 0, 7)  # noqa: DTZ001
    for seed in range(40):
        chance = random.Random(seed)
        rows, fired, missed, number = [], [], [], 0
        for seen in range(chance.randrange(8)):
            elements = [number := number + 1 for _ in range(chance.choice([0, 1, 3, 12]))]
            fired.append((("k",), moment, seen, elements))
            rows += firing("k", elements, seen)
            for _ in range(chance.choice([0, 0, 2])):
                missed.append(number := number + 1)
                rows.append(late("k", number))
        calls = []
        called = python_function(functools.partial(function, calls), as_iterator=function is not whole)
        made = pa.Table.from_batches(called(batches(rows, chance, most)), OUTPUT)
        main = [row["n"] for row in made.to_pylist() if row["output"] is None]
        side = [row["late"]["n"] for row in made.to_pylist() if row["output"] == "late"]
        odd = [row["odd"]["n"] for row in made.to_pylist() if row["output"] == "odd"]
        assert side == missed, seed
        assert [call[:3] for call in calls] == [call[:3] for call in fired], seed
        assert main == [n for call in calls for n in call[3]], seed
        if function is half:
            assert all(
                read == elements[: len(read)] for (*_, read), (*_, elements) in zip(calls, fired, strict=True)
            )
        else:
            assert calls == fired, seed
            assert odd == [n for n in main if n % 2], seed


@pytest.mark.parametrize("function", [whole, in_parts, half])
def test_an_input_that_ends_within_a_firing_is_an_error_whatever_the_function_does(function):
    def swallow(key, context, parts):
        with contextlib.suppress(Exception):
            list(function([], key, context, parts))

    rows = list(firing("k", [1, 2, 3, 4], 1))
    for called in (functools.partial(function, []), swallow):
        made = python_function(called, as_iterator=function is not whole)(
            batches(rows[:3], random.Random(1), 2)
        )
        with pytest.raises(EOFError, match="the rows of a window end before the last of them"):
            list(made)


def test_a_function_whose_result_does_not_fit_is_closed():
    ended = []

    def misfit(key, context, parts):
        try:
            yield pd.DataFrame({"n": ["no number"]})
        finally:
            ended.append(key)

    made = python_function(misfit, as_iterator=True)(batches(list(firing("k", [1], 1)), random.Random(1), 2))
    with pytest.raises(ValueError, match="the result"):
        list(made)
    assert ended == [("k",)]


def test_results_leave_before_the_function_ends():
    taken = []

    def endless(key, context, parts):
        while True:
            taken.append(len(taken))
            yield pd.DataFrame({"n": range(1_000)})

    rows = list(firing("k", [1], 1))
    made = python_function(endless, as_iterator=True)(batches(rows, random.Random(1), 4))
    assert sum(next(made).num_rows for _ in range(3)) == 30_000
    assert len(taken) == 30


class Decorated:
    def __call__(self, *given):
        return None


class Called:
    def __call__(self, key, context, rows: Iterator[pd.DataFrame]):
        return None


def hinted(key, context, rows: Iterator[pd.DataFrame]):
    return None


def half_known(key, context: pd.Nothing, rows: Iterator[pd.DataFrame]):
    return None


def with_more(key, context, rows: Iterator[pd.DataFrame], least=5, *, most=7):
    return None


def with_any(key, context, rows: "Iterator['pd.DataFrame']", **others):  # noqa: UP037  (a hint in a hint)
    return None


def with_another(key, context, rows, more: Iterator[pd.DataFrame] = ()):
    return None


def plain(key: Iterator[pd.DataFrame], context, rows: pd.DataFrame):
    return None


def unknown(key, context: Nobody, rows: pd.DataFrame):  # noqa: F821  (of a name that is not there)
    return None


@pytest.mark.parametrize(
    ("function", "expected"),
    [
        (hinted, True),
        (half_known, True),
        (with_more, True),
        (functools.partial(with_more, most=8), True),
        (with_any, True),
        (with_another, False),
        (Called().__call__, True),
        (functools.update_wrapper(Decorated(), hinted), True),
        (Called(), True),
        (functools.partial(hinted), True),
        (functools.wraps(hinted)(lambda *given: None), True),
        (plain, False),
        (unknown, False),
        (lambda key, context, rows: None, False),
        (lambda: None, False),
        (max, False),
    ],
)
def test_the_hint_of_the_third_parameter_asks_for_an_iterator(function, expected):
    assert takes_iterator(function, "process") is expected


def of_numbers(key, window, rows: Iterator[int]):
    return None


def of_any(key, window, rows: Iterable[pd.DataFrame]):
    return None


def of_maybe(key, window, rows: Optional[Iterator[pd.DataFrame]]):  # noqa: UP045  (also on 3.9)
    return None


def of_frames(key, window, rows: Iterator[polars.DataFrame]):  # noqa: F821  (nobody knows polars)
    return None


@pytest.mark.parametrize(
    ("function", "message"),
    [
        (
            of_numbers,
            r"must be pd\.DataFrame or Iterator\[pd\.DataFrame\], got collections\.abc\.Iterator\[int\]",
        ),
        (of_any, r"must be pd\.DataFrame or Iterator\[pd\.DataFrame\], got collections\.abc\.Iterable"),
        (of_maybe, r"must be pd\.DataFrame or Iterator\[pd\.DataFrame\], got "),
        (
            of_frames,
            r"'Iterator\[polars\.DataFrame\]' of its rows cannot be looked up: import its names where",
        ),
    ],
)
def test_a_hint_that_is_nearly_right_is_refused_when_it_is_declared(function, message):
    with pytest.raises(ValueError, match=rf"^apply\({function.__name__}\): the hint .*{message}"):
        Process("apply", function, "n int")
