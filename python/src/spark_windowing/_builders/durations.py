"""Durations: text as in Spark, or a timedelta, in whole milliseconds."""

from __future__ import annotations

import re
from datetime import timedelta
from fractions import Fraction

Duration = str | timedelta

ZERO = timedelta(0)

_MILLISECOND = timedelta(milliseconds=1)
_MILLIS = {
    "millisecond": 1,
    "second": 1_000,
    "minute": 60_000,
    "hour": 3_600_000,
    "day": 86_400_000,
    "week": 604_800_000,
}
_SHORT = {"d": "day", "h": "hour", "min": "minute", "s": "second", "ms": "millisecond"}
_PART = r"([+-]?[0-9]{1,100}(?:\.[0-9]{1,100})?)\s*([a-z]+)"
_PARTS = re.compile(_PART)
_WHOLE = re.compile(rf"\s*{_PART}(?:\s+{_PART})*\s*")


def duration(name: str, value: object) -> timedelta:
    """Read a duration.

    Parameters
    ----------
    name
        Name of the argument, for errors.
    value
        Text such as ``"5 minutes"`` or ``"1 hour 30 minutes"``, or a timedelta. Days have 24 hours.
        Only seconds may have a fraction, as in Spark. It may be negative.

    Returns
    -------
    timedelta
        A whole number of milliseconds.

    Raises
    ------
    TypeError
        If the value is neither text nor a timedelta.
    ValueError
        If the text is no duration, is finer than a millisecond, or is too long for a timedelta.

    Examples
    --------
    >>> duration("size", "1 hour 30 minutes")
    datetime.timedelta(seconds=5400)
    """
    if isinstance(value, timedelta):
        if value % _MILLISECOND:
            raise ValueError(_finer(name, value))
        return value
    if not isinstance(value, str):
        raise TypeError(_refusal(name, value))
    millis = _parse(name, value)
    if millis.denominator != 1:
        raise ValueError(_finer(name, value))
    try:
        return timedelta(milliseconds=int(millis))
    except OverflowError:
        raise ValueError(f"{name} is too long: {value!r}") from None


def millis(value: timedelta) -> int:
    """Count the milliseconds of a duration."""
    return value // _MILLISECOND


def show(value: timedelta) -> str:
    """Write a duration in the largest unit that divides it, so that `duration` reads it back.

    Examples
    --------
    >>> show(timedelta(minutes=90))
    '90 minutes'
    """
    if value == ZERO:
        return "0 seconds"
    number, short = _largest_unit(value)
    return f"{number} {_SHORT[short]}" if abs(number) == 1 else f"{number} {_SHORT[short]}s"


def brief(value: timedelta) -> str:
    """Write a duration as error texts do, in Python and Scala.

    Examples
    --------
    >>> brief(timedelta(minutes=90))
    '90 min'
    """
    number, short = _largest_unit(value)
    return f"{number} {short}"


def rough(seconds: float) -> str:
    """Write a number of seconds in the largest unit that it reaches, to three digits.

    Examples
    --------
    >>> rough(90), rough(0.25), rough(86_400 * 4700)
    ('1.5 min', '250 ms', '4,700 d')
    """
    for short, unit in _SHORT.items():
        size = _MILLIS[unit] / 1000
        if abs(seconds) >= size:
            number = seconds / size
            return f"{number:,.0f} {short}" if abs(number) >= 100 else f"{number:.3g} {short}"  # noqa: PLR2004
    return "0 s"


def _largest_unit(value: timedelta) -> tuple[int, str]:
    count = millis(value)
    sizes = ((short, _MILLIS[unit]) for short, unit in _SHORT.items() if count)
    short, size = next(((short, size) for short, size in sizes if count % size == 0), ("ms", 1))
    return count // size, short


def _parse(name: str, text: str) -> Fraction:
    lower = text.lower()
    if not _WHOLE.fullmatch(lower):
        raise ValueError(_refusal(name, text))
    total = Fraction(0)
    for number, word in _PARTS.findall(lower):
        unit = _SHORT.get(word, word.removesuffix("s"))
        if unit not in _MILLIS or ("." in number and unit != "second"):
            raise ValueError(_refusal(name, text))
        total += Fraction(number) * _MILLIS[unit]
    return total


def _refusal(name: str, value: object) -> str:
    return (
        f'{name} must be a duration such as "5 minutes", "1 hour 30 minutes" or timedelta(minutes=5), '
        f"got {value!r}. Units: milliseconds (ms), seconds (s), minutes (min), hours (h), days (d; of "
        "24 hours), weeks. Months and years have no fixed length; a bare number has no unit; only "
        "seconds may have a fraction"
    )


def _finer(name: str, value: object) -> str:
    return f"{name} must be a whole number of milliseconds, got {value!r}"
