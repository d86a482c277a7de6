"""The message of a question to Scala: one JSON document, with DataFrames and columns beside it."""

from __future__ import annotations

import json
import math
from datetime import timedelta
from typing import TYPE_CHECKING, Any

from spark_windowing._builders.column_lambdas import called
from spark_windowing._builders.durations import millis
from spark_windowing._builders.part import Expression, Part, ScalaCall
from spark_windowing._gateway.errors import parse_errors
from spark_windowing._gateway.gateway import Resolved
from spark_windowing._version import __version__

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from pyspark.sql import Column, DataFrame

PROTOCOL = 2


class Message:
    """Question with its fields, as Scala reads it.

    A field is a plain value, a duration, schema, part or expression, a Column or DataFrame, a list or dict of
    these, or has a method ``_document`` that gives one.

    Attributes
    ----------
    text
        The document.
    frames
        The DataFrames, by their numbers in the document.
    columns
        The columns, likewise.
    resolved
        The rows of declarations, likewise.
    """

    def __init__(self, ask: str, fields: Mapping[str, object]) -> None:
        """Write the document."""
        self.frames: list[DataFrame] = []
        self.columns: list[Column] = []
        self.resolved: list[Resolved] = []
        self._made: dict[int, tuple[object, Any]] = {}
        head = {"protocol": PROTOCOL, "version": __version__, "ask": ask}
        self.text = json.dumps({**head, **self._dict(fields)}, allow_nan=False)

    def _dict(self, values: Mapping[str, object]) -> dict[str, object]:
        return {name: self._written(value) for name, value in values.items()}

    def _written(self, value: Any) -> object:  # noqa: C901, PLR0911, PLR0912  (a line for each kind)
        from pyspark.sql import Column, DataFrame
        from pyspark.sql.types import StructType

        if hasattr(type(value), "_document"):
            return self._written(value._document())
        if value is None or isinstance(value, (bool, int, str)):
            return value
        if isinstance(value, float):
            return {"real": _real(value)}
        if isinstance(value, timedelta):
            return {"ms": millis(value)}
        if isinstance(value, Part):
            return self._written(self._once(value, lambda part: part._scala()))
        if isinstance(value, ScalaCall):
            class_name, method, arguments = value
            return {"class": class_name, "method": method, "arguments": self._written(arguments)}
        if isinstance(value, Expression):
            return self._written(self._once(value, column_of))
        if isinstance(value, Column):
            return {"column": _number(self.columns, value)}
        if isinstance(value, DataFrame):
            return {"frame": _number(self.frames, value)}
        if isinstance(value, Resolved):
            self._made = value.made
            return {"resolved": _number(self.resolved, value)}
        if isinstance(value, StructType):
            return {"schema": value.jsonValue()}
        if isinstance(value, (list, tuple)):
            return [self._written(item) for item in value]
        if isinstance(value, dict):
            return self._dict(value)
        raise TypeError(f"{value!r} cannot be sent to Spark: give numbers, texts or durations")

    def _once(self, value: object, make: Callable[[Any], Any]) -> Any:
        """Return what `make` gives for this very value, the first time that it is asked."""
        if id(value) not in self._made:
            self._made[id(value)] = (value, make(value))
        return self._made[id(value)][1]


def column_of(value: Expression) -> Column:
    """Make the Column of an expression of a part.

    Raises
    ------
    TypeError
        If its function does not give a Column.
    ValueError
        If its function fails, or Spark cannot read its text.
    """
    from pyspark.sql import Column
    from pyspark.sql import functions as F

    written = value.written
    if callable(written) and not isinstance(written, Column):
        written = called(value.name, written, value.arguments)
        if not isinstance(written, (str, Column)):
            raise TypeError(
                f"{value.name} must return a Column, as F.lit(0) and F.struct(..) are, got {written!r}"
            )
    if isinstance(written, str):
        with parse_errors(value.name, written):  # Spark 3.5 reads it at once
            return F.expr(written)
    if not isinstance(written, Column):
        raise TypeError(f"{value.name} must be a column name or a Column, got {written!r}")
    return written


def _number(numbered: list[Any], value: object) -> int:
    """Return the number of an object, which is sent once."""
    for number, known in enumerate(numbered):
        if known is value:
            return number
    numbered.append(value)
    return len(numbered) - 1


def _real(value: float) -> str:
    if math.isfinite(value):
        return repr(value)
    return "NaN" if math.isnan(value) else "Infinity" if value > 0 else "-Infinity"
