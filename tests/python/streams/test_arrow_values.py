"""Values between Arrow and functions, without Spark: what comes in can go out again, for random types and values."""

from __future__ import annotations

import random
from datetime import date, datetime

import numpy as np
import pandas as pd
import pyarrow as pa
import pytest

from spark_windowing._streams.arrow_results import ArrowResults, MisfitError
from spark_windowing._streams.arrow_values import ArrowValues
from spark_windowing._streams.python_function import Layout, PythonFunction

ZONES = ("America/New_York", "Asia/Kolkata", "UTC", "Europe/Berlin", "+05:30")
YEAR = 366 * 24 * 60 * 60 * 1_000_000
# Micros near now without an hour that clocks repeat, in a summer after 2037, where tables of time zones end, in the
# years 1740 and 2200, and in the years 6 and 9986, which do not fit into nanoseconds.
NEAR = [
    1_780_000_000_123_456,
    2_225_000_000_000_000,
    0,
    -1,
    1_767_225_600_000_000,
    *(year * YEAR for year in (-230, 230)),
]
FAR = [year * YEAR for year in (-1960, 8000)]


def atoms(zone):
    """Types with the values of each."""
    return {
        pa.timestamp("us", zone): NEAR + FAR,
        pa.timestamp("us"): NEAR + FAR,
        pa.date32(): [0, -700_000, 2_900_000],
        pa.time64("ns"): [0, 5_400_123_456_000],
        pa.duration("us"): [0, -1, 93_784_000_005],
        pa.int32(): [0, 1, -5],
        pa.float64(): [0.5, -1e300],
        pa.string(): ["", "text"],
    }


def random_type(chance, zone, depth=3):
    kind = chance.choice(["atom", "atom", "list", "struct", "map"]) if depth else "atom"
    if kind == "atom":
        return chance.choice(list(atoms(zone)))
    if kind == "list":
        return pa.list_(random_type(chance, zone, depth - 1))
    if kind == "struct":
        return pa.struct([(name, random_type(chance, zone, depth - 1)) for name in "xy"])
    return pa.map_(
        chance.choice([pa.string(), pa.timestamp("us", zone)]), random_type(chance, zone, depth - 1)
    )


def random_array(chance, kind, zone, length, nulls):
    """Values of a type, built from parts of integers, so that times need no conversion."""
    if pa.types.is_struct(kind):
        parts = [random_array(chance, field.type, zone, length, nulls) for field in kind]
        return pa.StructArray.from_arrays(parts, fields=list(kind), mask=mask(chance, length, nulls))
    if pa.types.is_list(kind) or pa.types.is_map(kind):
        sizes = [chance.randrange(3) for _ in range(length)]
        offsets = pa.array(np.concatenate([[0], np.cumsum(sizes)]), pa.int32())
        total = sum(sizes)
        if pa.types.is_map(kind):
            of = atoms(zone)[kind.key_type]
            keys = pa.array([of[i % len(of)] for i in range(total)], storage(kind.key_type)).cast(
                kind.key_type
            )
            items = random_array(chance, kind.item_type, zone, total, nulls)
            return pa.MapArray.from_arrays(offsets, keys, items, type=kind)
        return pa.ListArray.from_arrays(
            offsets, random_array(chance, kind.value_type, zone, total, nulls), type=kind
        )
    of = atoms(zone)[kind]
    values = [None if chance.random() < nulls else chance.choice(of) for _ in range(length)]
    return pa.array(values, storage(kind)).cast(kind)


def mask(chance, length, nulls):
    return pa.array([chance.random() < nulls for _ in range(length)], pa.bool_())


def storage(kind):
    whole = pa.types.is_temporal(kind)
    return (pa.int32() if pa.types.is_date32(kind) else pa.int64()) if whole else kind


@pytest.mark.parametrize("zone", ZONES)
def test_what_comes_in_goes_out_unchanged(zone):
    values, results = ArrowValues(zone), ArrowResults(zone)
    for seed in range(150):
        chance = random.Random(seed)
        kind = random_type(chance, zone)
        column = random_array(chance, kind, zone, chance.randrange(4), chance.choice([0, 0.3]))
        if pa.types.is_integer(kind):
            column = column.drop_null()  # pandas has none in a column of integers
        rows = pa.StructArray.from_arrays([column], ["x"])
        frame = values.frame(rows)
        (back,) = results.columns(f"seed {seed}", frame, [pa.field("x", kind)])
        assert back.equals(column), (seed, kind, frame.x.tolist(), column, back)
        single = pd.DataFrame({"x": pd.Series([values.value(item) for item in column], dtype=object)})
        (back,) = results.columns(f"seed {seed}", single, [pa.field("x", kind)])
        assert back.equals(column), (seed, kind, single.x.tolist())


NAIVE = pd.Timestamp("2026-06-01 01:30:00.123456")
AWARE = NAIVE.tz_localize("Asia/Kolkata")
NEW_YORK = "America/New_York"


def arrow_series(value, kind):
    return pd.Series([value]).astype(pd.ArrowDtype(kind))


# A time in each form in which a result may have it, and the zone in which it is read.
FORMS = {
    "nanoseconds": (pd.Series([NAIVE]), None),
    "microseconds": (pd.Series([NAIVE]).astype("datetime64[us]"), None),
    "pandas in objects": (pd.Series([NAIVE, pd.NaT, None], dtype=object), None),
    "Python": (pd.Series([NAIVE.to_pydatetime()], dtype=object), None),
    "a text": (pd.Series([str(NAIVE)]), None),
    "a text of pandas": (pd.Series([str(NAIVE)], dtype="string"), None),
    "Arrow": (arrow_series(NAIVE, pa.timestamp("ns")), None),
    "Arrow in microseconds": (arrow_series(NAIVE, pa.timestamp("us")), None),
    "backed by Arrow": (pd.DataFrame({"x": [NAIVE]}).convert_dtypes(dtype_backend="pyarrow").x, None),
    "a zone": (pd.Series([AWARE]), "Asia/Kolkata"),
    "a zone in objects": (pd.Series([AWARE.to_pydatetime()], dtype=object), "Asia/Kolkata"),
    "Arrow with a zone": (arrow_series(AWARE, pa.timestamp("ns", "UTC")), "Asia/Kolkata"),
}


def instant(zone):
    return NAIVE.tz_localize(zone).tz_convert("UTC").tz_localize(None).to_pydatetime()


def written(series, kind):
    (column,) = ArrowResults(NEW_YORK).columns("it", pd.DataFrame({"x": series}), [pa.field("x", kind)])
    return column


@pytest.mark.parametrize("form", FORMS)
def test_a_time_without_a_zone_is_one_of_the_session_in_every_form_and_at_every_depth(form):
    series, zone = FORMS[form]
    of_session, alone = pa.timestamp("us", NEW_YORK), pa.timestamp("us")
    # A time with a zone for a column without one is taken in UTC, as by applyInPandas.
    for kind, expected in ((of_session, instant(zone or NEW_YORK)), (alone, instant(zone or "UTC"))):
        assert written(series, kind).cast(alone)[0].as_py() == expected
        if "text" in form:
            continue
        (value, *_) = list(series)
        nested = {
            pa.list_(kind): ([value, None, pd.NaT], [expected, None, None]),
            pa.struct([("a", kind), ("b", pa.int32())]): ({"a": value, "b": 1}, {"a": expected, "b": 1}),
            pa.map_(pa.string(), kind): ({"k": value}, [("k", expected)]),
            pa.map_(kind, kind): ([(value, value)], [(expected, expected)]),
            pa.list_(pa.struct([("a", kind)])): ([(value,), None], [{"a": expected}, None]),
        }
        for inner, (given, told) in nested.items():
            back = written(pd.Series([given, None]), inner)
            assert back.cast(without_zone(inner)).to_pylist() == [told, None], inner


def without_zone(kind):
    if pa.types.is_timestamp(kind):
        return pa.timestamp("us")
    if pa.types.is_struct(kind):
        return pa.struct([field.with_type(without_zone(field.type)) for field in kind])
    if pa.types.is_map(kind):
        return pa.map_(without_zone(kind.key_type), without_zone(kind.item_type))
    return pa.list_(without_zone(kind.value_type)) if pa.types.is_list(kind) else kind


@pytest.mark.parametrize("depth", ["top", "list"])
def test_the_hour_that_clocks_repeat_is_the_later_one_and_that_which_they_skip_is_refused(depth):
    of_session = pa.timestamp("us", NEW_YORK)
    kind = of_session if depth == "top" else pa.list_(of_session)

    def given(text):
        moment = pd.Timestamp(text)
        return pd.Series([moment if depth == "top" else [moment]])

    repeated = written(given("2026-11-01 01:30:00"), kind)[0]
    later = datetime(2026, 11, 1, 6, 30)  # noqa: DTZ001  (01:30 EST in UTC)
    assert (repeated if depth == "top" else repeated[0]).cast(pa.timestamp("us")).as_py() == later
    told = r'clocks of America/New_York skip 2026-03-08 02:30:00: .*dt\.tz_localize\("America/New_York", ambiguous=False\)'
    with pytest.raises(MisfitError, match=told):
        written(given("2026-03-08 02:30:00"), kind)
    with pytest.raises(MisfitError, match="A number is no moment"):
        written(pd.Series([1 if depth == "top" else [1]]), kind)


def test_other_types_of_time_backed_by_arrow():
    values = {
        pa.date32(): date(2026, 6, 1),
        pa.duration("us"): pd.Timedelta("1s"),
        pa.time64("ns"): NAIVE.time(),
    }
    for kind, value in values.items():
        assert written(arrow_series(value, kind), kind)[0].as_py() == value


def test_windows_watermark_and_rows_without_a_zone_stay_on_the_wall_clock():
    alone = pa.timestamp("us")
    window = pa.struct([("start", alone), ("end", alone)])
    keys = [("key", alone), ("window", window)]
    element = pa.struct([("n", alone)])
    numbers = [("#part", pa.int32()), ("#watermark", pa.int64()), ("#time", pa.int64())]
    schema = pa.schema([*keys, ("#element", element), *numbers])
    hour = 3_600_000_000
    one = [(hour, {"start": hour, "end": 2 * hour}, {"n": hour + 1}, 3, 7_200_000, 7_200_000)]
    batch = pa.RecordBatch.from_arrays(
        [pa.array(values, kind) for values, kind in zip(zip(*one, strict=True), schema.types, strict=True)],
        schema=schema,
    )
    output = pa.schema([*keys, ("start", alone), ("n", alone)])
    layout = Layout(
        keys=1,
        pane=False,
        row=False,
        window_state=False,
        global_state=False,
        late=None,
        tags=(),
        inputs=(),
        as_iterator=False,
        output=output,
        time_zone=NEW_YORK,
    )
    wall = [datetime(1970, 1, 1, hour) for hour in range(3)]  # noqa: DTZ001

    def function(key, context, rows):
        assert (key, tuple(context.window), context.watermark) == ((wall[1],), (wall[1], wall[2]), wall[2])
        assert context.processing_time == datetime(1969, 12, 31, 21)  # noqa: DTZ001
        return pd.DataFrame({"start": [context.window.start], "n": rows.n})

    (made,) = PythonFunction("process(function)", function, layout)([batch])
    (row,) = made.to_pylist()
    assert row == {
        "key": wall[1],
        "window": {"start": wall[1], "end": wall[2]},
        "start": wall[1],
        "n": wall[1].replace(microsecond=1),
    }
