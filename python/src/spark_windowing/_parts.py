"""What assigners, triggers and evictors share: plain values that Scala can be asked to make."""

from __future__ import annotations

import operator
from dataclasses import MISSING, fields
from datetime import timedelta
from typing import TYPE_CHECKING, Any, ClassVar, NamedTuple, SupportsFloat, SupportsIndex

from spark_windowing._durations import show

if TYPE_CHECKING:
    from collections.abc import Callable

_LONG_MAX = 2**63 - 1


class ScalaCall(NamedTuple):
    """The call that makes a part in Scala: a factory of the companion object of a class."""

    class_name: str
    method: str
    args: tuple[object, ...]


class ColumnCall(NamedTuple):
    """A Column that is made when a query is declared: only then there is a session that it can be made in.

    Attributes
    ----------
    name
        What the column is, for errors.
    make
        Gives the Column, or the name of one.
    """

    name: str
    make: Callable[[], object]


class Part:
    """A value that mirrors a Scala class: a frozen dataclass with the arguments of one factory.

    Fields without a default are the factory's positional arguments, the others are shown by name.
    """

    _package: ClassVar[str]
    _factory: ClassVar[str] = "of"

    def _scala(self) -> ScalaCall:
        first, *rest = self._factory.split("_")
        method = first + "".join(word.capitalize() for word in rest)
        args = tuple(value for _, value, _ in _arguments(self))
        return ScalaCall(f"{self._package}.{type(self).__name__}", method, args)

    def __repr__(self) -> str:
        """Return the call that makes an equal value."""
        shown = [
            _show(value) if default is MISSING else f"{name}={_show(value)}"
            for name, value, default in _arguments(self)
            if value != default
        ]
        return f"{type(self).__name__}.{self._factory}({', '.join(shown)})"


def whole_number(owner: str, name: str, value: object) -> int:
    """Check a whole number that fits into a Scala Long; True and False are none."""
    if isinstance(value, bool) or not isinstance(value, SupportsIndex):
        raise TypeError(f"{owner}: {name} must be a whole number, got {value!r}")
    whole = operator.index(value)
    if not -_LONG_MAX - 1 <= whole <= _LONG_MAX:
        raise ValueError(f"{owner}: {name} must fit into 64 bits, got {whole}")
    return whole


def number(owner: str, name: str, value: object) -> float:
    """Check a number; True and False are none."""
    if isinstance(value, bool) or not isinstance(value, (SupportsFloat, SupportsIndex)):
        raise TypeError(f"{owner}: {name} must be a number, got {value!r}")
    return float(value)


def truth(owner: str, name: str, value: object) -> None:
    """Check that a value is True or False."""
    if not isinstance(value, bool):
        raise TypeError(f"{owner}: {name} must be True or False, got {value!r}")


def column(owner: str, name: str, value: object) -> None:
    """Check a column: a name or a Column. There may be no PySpark here to ask for the class."""
    if not isinstance(value, str) and type(value).__name__ != "Column":
        raise TypeError(f"{owner}: {name} must be a column name or a Column, got {value!r}")


def set_field(part: Part, name: str, value: object) -> None:
    """Set a field of a frozen dataclass from its `__post_init__`."""
    object.__setattr__(part, name, value)


def _arguments(part: Any) -> list[tuple[str, Any, Any]]:
    return [(field.name, getattr(part, field.name), field.default) for field in fields(part)]


def _show(value: object) -> str:
    if isinstance(value, timedelta):
        return f'"{show(value)}"'
    return getattr(value, "__name__", None) or repr(value)
