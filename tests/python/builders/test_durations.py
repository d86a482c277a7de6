from datetime import timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st

from spark_windowing._builders.durations import brief, duration, millis, rough, show

whole = st.integers(-(10**12), 10**12).map(lambda n: timedelta(milliseconds=n))
units = st.sampled_from(["millisecond", "second", "minute", "hour", "day", "week"])


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("5 minutes", timedelta(minutes=5)),
        ("1 minute", timedelta(minutes=1)),
        ("1 hour 30 minutes", timedelta(minutes=90)),
        ("1 day", timedelta(hours=24)),
        ("2 weeks", timedelta(days=14)),
        ("500 milliseconds", timedelta(milliseconds=500)),
        ("1.5 seconds", timedelta(milliseconds=1500)),
        ("-8 hours", timedelta(hours=-8)),
        ("1 hour -30 minutes", timedelta(minutes=30)),
        ("+10 Seconds", timedelta(seconds=10)),
        ("  10   seconds  ", timedelta(seconds=10)),
        ("10 s", timedelta(seconds=10)),
        ("10s", timedelta(seconds=10)),
        ("2 h 5 min 3 s 1 ms", timedelta(hours=2, minutes=5, seconds=3, milliseconds=1)),
        ("3 d", timedelta(days=3)),
        ("0 seconds", timedelta(0)),
    ],
)
def test_reads_text_as_spark_writes_it(text, expected):
    assert duration("size", text) == expected


@pytest.mark.parametrize(
    "text",
    [
        "",
        "5",
        "minutes",
        "5 months",
        "1 year",
        "5 m",
        "5 seconds!",
        "5 seconds, 3 minutes",
        "1.5 minutes",
        "1e3 seconds",
        "٥ seconds",
        "5 ss",
        "5 mss",
    ],
)
def test_refuses_other_text_and_lists_the_units(text):
    with pytest.raises(ValueError) as error:
        duration("gap", text)
    assert str(error.value).startswith("gap must be a duration")
    assert repr(text) in str(error.value)
    assert "milliseconds (ms), seconds (s), minutes (min), hours (h), days (d; of 24 hours), weeks" in str(
        error.value
    )


@pytest.mark.parametrize("value", [5, 5.0, None, True, ["5 minutes"]])
def test_refuses_bare_numbers(value):
    with pytest.raises(TypeError, match="a bare number has no unit"):
        duration("size", value)


@pytest.mark.parametrize("value", ["0.0005 seconds", timedelta(microseconds=1)])
def test_refuses_what_is_finer_than_a_millisecond(value):
    with pytest.raises(ValueError, match="size must be a whole number of milliseconds"):
        duration("size", value)


def test_refuses_what_is_too_long():
    with pytest.raises(ValueError, match="size is too long: '1000000000 days'"):
        duration("size", "1000000000 days")


@given(whole)
def test_what_is_shown_reads_back(value):
    assert duration("size", show(value)) == value
    assert duration("size", brief(value)) == value


@given(whole)
def test_timedeltas_stay_as_they_are(value):
    assert duration("size", value) == value
    assert timedelta(milliseconds=millis(value)) == value


@given(st.lists(st.tuples(st.integers(-1000, 1000), units), min_size=1, max_size=6))
def test_parts_add_up(parts):
    text = " ".join(f"{number} {unit}s" for number, unit in parts)
    alone = [duration("part", f"{number} {unit}") for number, unit in parts]
    assert duration("size", text) == sum(alone, timedelta(0))


@given(st.integers(1, 400).map(lambda n: timedelta(minutes=n)))
def test_shows_the_largest_unit_that_divides(value):
    number, unit = show(value).split()
    assert unit.removesuffix("s") in {"minute", "hour", "day"}
    assert (number == "1") == (not unit.endswith("s"))


@pytest.mark.parametrize(
    ("seconds", "text"),
    [
        (0, "0 s"),
        (0.25, "250 ms"),
        (59.9, "59.9 s"),
        (90, "1.5 min"),
        (7200, "2 h"),
        (-61, "-1.02 min"),
        (86_400 * 4700, "4,700 d"),
    ],
)
def test_how_long_roughly(seconds, text):
    assert rough(seconds) == text
