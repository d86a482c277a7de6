"""Calls of Scala that are recorded, and sent when a DataFrame or a value is asked for."""

from __future__ import annotations

import json
import math
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from spark_windowing._version import __version__

if TYPE_CHECKING:
    from pyspark.sql import Column, DataFrame

PROTOCOL = 1


@dataclass(frozen=True, eq=False)
class Call:
    """Result of a call that the server will make, of an earlier result or of the entry object."""

    on: Call | None
    method: str
    arguments: tuple[object, ...]


@dataclass(frozen=True, eq=False)
class Rows:
    """DataFrame of the client, sent beside the message."""

    frame: DataFrame


@dataclass(frozen=True, eq=False)
class OneColumn:
    """Column of the client, sent beside the message."""

    column: Column


@dataclass(frozen=True)
class Tagged:
    """Value with the name of its kind, such as a duration or a schema."""

    kind: str
    value: object


SESSION = Tagged("session", True)  # noqa: FBT003


class Message:
    """Calls in the order in which the server makes them, each once, with DataFrames and columns by number.

    Attributes
    ----------
    frames
        The DataFrames, by their numbers.
    columns
        The columns, by their numbers.
    """

    def __init__(self, result: object) -> None:
        """Write all calls that the result needs."""
        self.frames: list[DataFrame] = []
        self.columns: list[Column] = []
        self._calls: list[dict[str, object]] = []
        self._numbers: dict[int, int] = {}
        self._result = self._written(result)

    def json(self) -> str:
        """Return the message as the server reads it."""
        message = {
            "protocol": PROTOCOL,
            "version": __version__,
            "calls": self._calls,
            "result": self._result,
        }
        return json.dumps(message, allow_nan=False)

    def _written(self, value: Any) -> object:  # noqa: PLR0911  (a line for each kind)
        if isinstance(value, Call):
            return {"call": self._number(value)}
        if isinstance(value, Rows):
            return {"frame": self._numbered(self.frames, value, value.frame)}
        if isinstance(value, OneColumn):
            return {"column": self._numbered(self.columns, value, value.column)}
        if isinstance(value, Tagged):
            return {value.kind: value.value}
        if isinstance(value, (list, tuple)):
            return {"list": [self._written(item) for item in value]}
        if isinstance(value, float):
            return {"real": _real(value)}
        if value is None or isinstance(value, (bool, int, str)):
            return value
        raise TypeError(
            f"{value!r} cannot be sent to a server of Spark Connect: give numbers, texts or durations"
        )

    def _number(self, call: Call) -> int:
        if id(call) not in self._numbers:
            written: dict[str, object] = {} if call.on is None else {"on": self._number(call.on)}
            written["method"] = call.method
            written["arguments"] = [self._written(argument) for argument in call.arguments]
            self._calls.append(written)
            self._numbers[id(call)] = len(self._calls) - 1
        return self._numbers[id(call)]

    def _numbered(self, values: list[Any], key: object, value: object) -> int:
        if id(key) not in self._numbers:
            values.append(value)
            self._numbers[id(key)] = len(values) - 1
        return self._numbers[id(key)]


def _real(value: float) -> str:
    if math.isfinite(value):
        return repr(value)
    return "NaN" if math.isnan(value) else "Infinity" if value > 0 else "-Infinity"
