"""What assigners, triggers and evictors share: plain values that Scala can be asked to make."""

from __future__ import annotations

import operator
from dataclasses import MISSING, fields
from datetime import timedelta
from typing import Any, ClassVar, NamedTuple, SupportsFloat, SupportsIndex

from spark_windowing._builders.durations import show

_LONG_MAX = 2**63 - 1


class ScalaCall(NamedTuple):
    """The call that makes a part in Scala: a factory of the companion object of a class."""

    class_name: str
    method: str
    args: tuple[object, ...]


class Expression(NamedTuple):
    """An expression of a part, made into a Column when a query is declared: only then there is a session.

    Attributes
    ----------
    name
        What it is, for errors.
    written
        SQL text, a Column, or a function of Columns that returns one.
    arguments
        The names of the columns that a function is called with.
    """

    name: str
    written: object
    arguments: tuple[str, ...] = ()


class Part:
    """A value that mirrors a Scala class: a frozen dataclass with the arguments of one factory.

    Fields without a default are the factory's positional arguments, the others are shown by name.
    """

    _package: ClassVar[str]
    _factory: ClassVar[str] = "of"
    _own: ClassVar[str] = "Make a value of it instead"  # of what one of one's own is made

    def __init_subclass__(cls, **arguments: Any) -> None:
        """Refuse classes from outside the package: a part runs in the JVM, which calls no Python method."""
        super().__init_subclass__(**arguments)
        if cls.__module__.partition(".")[0] != __name__.partition(".")[0]:
            base = next(c.__name__ for c in cls.__mro__[1:] if issubclass(c, Part))
            raise TypeError(
                f"{cls.__name__} cannot be a subclass of {base}: it runs in the JVM, which calls no Python "
                f"method. {cls._own}"
            )

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
            if value is not default and (type(value) is not type(default) or value != default)
        ]
        return f"{type(self).__name__}.{self._factory}({', '.join(shown)})"


class ExpressionPart(Part):
    """A part with fields that are expressions. Text compares by value, functions and Columns by identity."""

    def __eq__(self, other: object) -> bool:
        """Compare the class and what it was made of."""
        return isinstance(other, ExpressionPart) and self._key() == other._key()

    def __hash__(self) -> int:
        """Go by what is compared."""
        return hash(self._key())

    def _key(self) -> tuple[object, ...]:
        values = (value for _, value, _ in _arguments(self))
        return (type(self), *(v if isinstance(v, (str, int, float, Part)) else id(v) for v in values))


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


def expression(owner: str, name: str, value: object) -> None:
    """Check an expression: SQL text or a Column. There may be no PySpark here to ask for the class."""
    if not _is_expression(value):
        raise TypeError(f"{owner}: {name} must be SQL text or a Column, got {value!r}")


def function(owner: str, name: str, value: object) -> None:
    """Check a function of Columns, which may be written as SQL text or a Column too."""
    if not _is_expression(value) and not callable(value):
        raise TypeError(f"{owner}: {name} must be SQL text or a function of Columns, got {value!r}")


def _is_expression(value: object) -> bool:
    return isinstance(value, str) or type(value).__name__ == "Column"


def set_field(part: Part, name: str, value: object) -> None:
    """Set a field of a frozen dataclass from its `__post_init__`."""
    object.__setattr__(part, name, value)


def _arguments(part: Any) -> list[tuple[str, Any, Any]]:
    return [(field.name, getattr(part, field.name), field.default) for field in fields(part)]


def _show(value: object) -> str:
    if isinstance(value, timedelta):
        return f'"{show(value)}"'
    return getattr(value, "__name__", None) or repr(value)
