"""Rows of a declaration: one keyed input, or several."""

from __future__ import annotations

from dataclasses import dataclass, field
from types import SimpleNamespace
from typing import TYPE_CHECKING, ClassVar, Literal, get_args

from spark_windowing._streams.value import Value, written

if TYPE_CHECKING:
    from pyspark.sql import Column, DataFrame

    from spark_windowing._gateway.gateway import Resolved

OnMissingTime = Literal["late", "drop", "fail"]
_DF = SimpleNamespace(__name__="df")  # what a DataFrame is shown as


@dataclass(frozen=True, eq=False, repr=False)
class KeyedRows(Value):
    """One input: its rows, keys and event time.

    Attributes
    ----------
    frame
        The rows; None in a declaration without its DataFrame.
    keys
        Names or Columns; none if all rows share one window.
    time
        The event time; None for the column with a watermark.
    on_missing_time
        Treatment of rows with a null event time.
    history
        Rows as if they stood before a stream, and whether windows that they complete are results.
    retracts
        Whether a row takes back an earlier one, a Column or SQL; None if no row does.
    resolved
        The same as Scala resolved it; None before, and if each result resolves it.
    """

    names: ClassVar[tuple[str, ...]] = ()
    joined: ClassVar[bool] = False

    frame: DataFrame | None
    keys: tuple[str | Column, ...]
    time: str | Column | None
    on_missing_time: OnMissingTime
    history: tuple[DataFrame, bool] | None = None
    retracts: str | Column | None = None
    resolved: Resolved | None = field(default=None, compare=False)

    def __post_init__(self) -> None:
        """Check keys, time and treatment, as far as that needs no session."""
        for key in self.keys:
            check_column("a key", key)
        if self.time is not None:
            check_column("time", self.time)
        if self.on_missing_time not in get_args(OnMissingTime):
            raise ValueError(
                f"on_missing_time must be one of {', '.join(map(repr, get_args(OnMissingTime)))}, "
                f"got {self.on_missing_time!r}"
            )

    def _document(self) -> object:
        if self.resolved is not None:
            return self.resolved
        keys = [as_column(key) for key in self.keys]
        time = None if self.time is None else as_column(self.time)
        document = {"frame": self.frame, "keys": keys, "time": time, "on_missing_time": self.on_missing_time}
        if self.retracts is not None:
            document["retracts"] = _as_condition(self.retracts)
        if self.history is None:
            return document
        rows, emits = self.history
        return {**document, "history": {"frame": rows, "emit": emits}}

    def __repr__(self) -> str:
        """Return the call of ``key_by`` or ``keyed``."""
        missing = None if self.on_missing_time == "late" else self.on_missing_time
        call = ("keyed",) if self.frame is None else ("key_by", _DF)
        steps = [written(*call, *self.keys, time=self.time, on_missing_time=missing)]
        if self.retracts is not None:
            steps.append(written("retracts", self.retracts))
        if self.history is not None:
            steps.append(written("starting_with", _DF, emit=self.history[1] or None))
        return ".".join(steps)


@dataclass(frozen=True, eq=False, repr=False)
class SeveralRows(Value):
    """Several inputs, of a join or a co-group.

    Attributes
    ----------
    inputs
        Their names and rows.
    joined
        Whether they are those of a join.
    resolved
        As in `KeyedRows`.
    """

    inputs: tuple[tuple[str, KeyedRows | SeveralRows], ...]
    joined: bool
    resolved: Resolved | None = field(default=None, compare=False)

    @property
    def names(self) -> tuple[str, ...]:
        """The names of the inputs."""
        return tuple(name for name, _ in self.inputs)

    @property
    def frame(self) -> DataFrame | None:
        """The DataFrame of the first input, whose session is that of all."""
        return self.inputs[0][1].frame

    def _document(self) -> object:
        return self.resolved or {"inputs": self.inputs}

    def __repr__(self) -> str:
        """Return the call of ``join`` or ``co_group``."""
        if not self.joined:
            return written("co_group", **dict(self.inputs))
        names = None if self.names == ("left", "right") else self.names
        return written("join", *(rows for _, rows in self.inputs), names=names)


def check_column(name: str, value: object) -> None:
    """Check a column given by name or as a Column."""
    if not isinstance(value, str) and type(value).__name__ != "Column":
        raise TypeError(f"{name} must be a column name or a Column, got {value!r}")


def as_column(value: str | Column) -> Column:
    """Make a Column of a column given by name or as one."""
    from pyspark.sql import functions as F

    return F.col(value) if isinstance(value, str) else value


def _as_condition(value: str | Column) -> Column:
    from pyspark.sql import functions as F

    return F.expr(value) if isinstance(value, str) else value
