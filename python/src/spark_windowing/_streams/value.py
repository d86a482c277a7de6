"""Values of a declaration: compared and hashed by their fields."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, fields
from datetime import timedelta
from typing import Any

from spark_windowing._builders.durations import show
from spark_windowing._builders.part import Part


class Value:
    """Frozen dataclass. Columns, DataFrames and functions in its fields compare by identity."""

    def __eq__(self, other: object) -> bool:
        """Compare the class and the fields."""
        return isinstance(other, Value) and self._key() == other._key()

    def __hash__(self) -> int:
        """Hash what is compared."""
        return hash(self._key())

    def _key(self) -> tuple[object, ...]:
        compared = (getattr(self, field.name) for field in fields(self) if field.compare)  # type: ignore[arg-type]
        return (type(self), *map(_compared, compared))


@dataclass(frozen=True, eq=False, repr=False)
class Call(Value):
    """Call of a method as ``repr`` shows it, and the field of the document that it is.

    Attributes
    ----------
    method
        The name of the method.
    arguments
        Its arguments by position.
    named
        Its arguments by name; None for one that is not given.
    document
        What Scala gets.
    function
        A `Process` or `ProcessByClass`, which makes the result; None if Scala alone does.
    """

    method: str = field(compare=False)
    arguments: tuple[object, ...] = field(compare=False)
    named: Mapping[str, object] = field(compare=False)
    document: Mapping[str, object]
    function: Any = None

    def _document(self) -> dict[str, object]:
        return dict(self.document)

    def __repr__(self) -> str:
        """Return the code of the call."""
        return written(self.method, *self.arguments, **self.named)


def written(method: str, /, *arguments: object, **named: object) -> str:
    """Write a call of a method; arguments by name that are None are left out."""
    by_name = (f"{name}={_shown(value)}" for name, value in named.items() if value is not None)
    return f"{method}({', '.join([*map(_shown, arguments), *by_name])})"


def _shown(value: object) -> str:
    if isinstance(value, timedelta):
        return repr(show(value))
    return getattr(value, "__name__", None) or repr(value)


def _compared(value: Any) -> object:
    if isinstance(value, Mapping):
        return tuple((name, _compared(item)) for name, item in value.items())
    if isinstance(value, (tuple, list)):
        return tuple(map(_compared, value))
    plain = value is None or isinstance(value, (str, int, float, timedelta, Part, Value))
    return value if plain or type(value).__name__ == "StructType" else id(value)
