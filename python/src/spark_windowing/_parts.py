"""What assigners, triggers and evictors share: plain values that Scala can be asked to make."""

from __future__ import annotations

import operator
from dataclasses import MISSING, fields
from datetime import timedelta
from typing import Any, ClassVar, NamedTuple, SupportsIndex

from spark_windowing._durations import show

_LONG_MAX = 2**63 - 1


class ScalaCall(NamedTuple):
    """The call that makes a part in Scala: a factory of the companion object of a class."""

    class_name: str
    method: str
    args: tuple[object, ...]


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
    number = operator.index(value)
    if not -_LONG_MAX - 1 <= number <= _LONG_MAX:
        raise ValueError(f"{owner}: {name} must fit into 64 bits, got {number}")
    return number


def set_field(part: Part, name: str, value: object) -> None:
    """Set a field of a frozen dataclass from its `__post_init__`."""
    object.__setattr__(part, name, value)


def _arguments(part: Any) -> list[tuple[str, Any, Any]]:
    return [(field.name, getattr(part, field.name), field.default) for field in fields(part)]


def _show(value: object) -> str:
    return f'"{show(value)}"' if isinstance(value, timedelta) else repr(value)
