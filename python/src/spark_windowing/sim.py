"""Steps for `spark_windowing.simulate`: rows, watermarks, the clock, a restart, one after the other."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from typing import TYPE_CHECKING

from spark_windowing._run import Run, StepResult

if TYPE_CHECKING:
    from collections.abc import Mapping

__all__ = [
    "Element",
    "ProcessingTime",
    "Run",
    "SnapshotRestore",
    "Step",
    "StepResult",
    "Time",
    "Watermark",
    "element",
    "processing_time",
    "snapshot_restore",
    "watermark",
]

Time = str | datetime | int


@dataclass(frozen=True, repr=False)
class Element:
    """A row comes. Made by `element`.

    Attributes
    ----------
    columns
        Pairs of name and value, in the order they were given.
    """

    columns: tuple[tuple[str, object], ...]

    def __post_init__(self) -> None:
        """Check the argument, however the value was made."""
        for pair in self.columns:
            if not isinstance(pair, tuple) or len(pair) != 2 or not isinstance(pair[0], str):  # noqa: PLR2004
                raise TypeError(f"element: columns are pairs of a name and a value, got {pair!r}")
        names = [name for name, _ in self.columns]
        if twice := sorted({name for name in names if names.count(name) > 1}):
            raise ValueError(f"element: two values for {', '.join(twice)}")

    def __repr__(self) -> str:
        """Return the call that makes an equal value."""
        if all(name.isidentifier() for name, _ in self.columns):
            return f"element({', '.join(f'{name}={value!r}' for name, value in self.columns)})"
        return f"element({dict(self.columns)!r})"


@dataclass(frozen=True, repr=False)
class Watermark:
    """The watermark moves. Made by `watermark`.

    Attributes
    ----------
    time
        The new watermark, as it was given.
    """

    time: Time

    def __post_init__(self) -> None:
        """Check the argument, however the value was made."""
        as_time("watermark", self.time)

    def __repr__(self) -> str:
        """Return the call that makes an equal value."""
        return f"watermark({self.time!r})"


@dataclass(frozen=True, repr=False)
class ProcessingTime:
    """The clock moves. Made by `processing_time`.

    Attributes
    ----------
    time
        What the clock shows, as it was given.
    """

    time: Time

    def __post_init__(self) -> None:
        """Check the argument, however the value was made."""
        as_time("processing_time", self.time)

    def __repr__(self) -> str:
        """Return the call that makes an equal value."""
        return f"processing_time({self.time!r})"


@dataclass(frozen=True, repr=False)
class SnapshotRestore:
    """The state is written out and read back, as at a restart. Made by `snapshot_restore`."""

    def __repr__(self) -> str:
        """Return the call that makes an equal value."""
        return "snapshot_restore()"


Step = Element | Watermark | ProcessingTime | SnapshotRestore


def element(row: Mapping[str, object] | None = None, /, **columns: object) -> Element:
    """Let a row come.

    Parameters
    ----------
    row
        Values by column name, for names that are no Python names.
    **columns
        The same, as keyword arguments. Columns not named are null. A timestamp is ISO text, a datetime or
        an int of epoch milliseconds.

    Returns
    -------
    Element
        The step.

    Raises
    ------
    ValueError
        If a column has two values.

    Examples
    --------
    >>> element(user="a", price=3, ts="2026-01-01T00:00:01Z")
    element(user='a', price=3, ts='2026-01-01T00:00:01Z')
    """
    return Element((*(row or {}).items(), *columns.items()))


def watermark(time: Time) -> Watermark:
    """Move the watermark. A timer at t fires when the watermark is t or later, as in Flink.

    Parameters
    ----------
    time
        ISO text, a datetime or an int of epoch milliseconds. Text without a zone and naive datetimes are
        read as Spark reads them.

    Returns
    -------
    Watermark
        The step.

    Raises
    ------
    TypeError
        If it is no time.

    Examples
    --------
    >>> watermark("2026-01-01T01:00:00Z")
    watermark('2026-01-01T01:00:00Z')
    """
    return Watermark(time)


def processing_time(time: Time) -> ProcessingTime:
    """Move the clock.

    Parameters
    ----------
    time
        As in `watermark`.

    Returns
    -------
    ProcessingTime
        The step.

    Raises
    ------
    TypeError
        If it is no time.

    Examples
    --------
    >>> processing_time(5000)
    processing_time(5000)
    """
    return ProcessingTime(time)


def snapshot_restore() -> SnapshotRestore:
    """Write the state out and read it back, as at a restart. Watermark and clock stay.

    Returns
    -------
    SnapshotRestore
        The step.

    Examples
    --------
    >>> snapshot_restore()
    snapshot_restore()
    """
    return SnapshotRestore()


def as_time(name: str, value: object) -> Time:
    """Return the value if it is a time; whether text can be read is Spark's to say."""
    if isinstance(value, bool) or not isinstance(value, (str, datetime, int)):
        raise TypeError(f"{name} must be ISO text, a datetime or an int of epoch milliseconds, got {value!r}")
    return value
