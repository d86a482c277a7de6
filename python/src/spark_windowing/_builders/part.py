"""Base classes of assigners, triggers, evictors and functions: values that Scala builds."""

from __future__ import annotations

from dataclasses import MISSING, Field, fields
from datetime import timedelta
from typing import Any, ClassVar, NamedTuple

from spark_windowing._builders.durations import show


class ScalaCall(NamedTuple):
    """Call that makes a part in Scala: a factory of the companion object of a class."""

    class_name: str
    method: str
    args: tuple[object, ...]


class Expression(NamedTuple):
    """Expression of a part, made into a Column when a query is declared, as it needs a session.

    Attributes
    ----------
    name
        Name for errors.
    written
        SQL text, a Column, or a function of Columns that returns one.
    arguments
        Names of the columns that a function is called with.
    """

    name: str
    written: object
    arguments: tuple[str, ...] = ()


class Part:
    """Value that mirrors a Scala class: a frozen dataclass with the arguments of one factory.

    Fields without a default are the factory's positional arguments, the others are shown by name.
    """

    _package: ClassVar[str]
    _factory: ClassVar[str] = "of"  # empty for a class that is called itself
    _own: ClassVar[str] = "Make a value of it instead"  # advice for a user's subclass

    def __init_subclass__(cls, **arguments: Any) -> None:
        """Refuse subclasses outside the package: a part runs in the JVM, which calls no Python method."""
        super().__init_subclass__(**arguments)
        if cls.__module__.partition(".")[0] != __name__.partition(".")[0]:
            base = next(c.__name__ for c in cls.__mro__[1:] if issubclass(c, Part))
            raise TypeError(
                f"{cls.__name__} cannot be a subclass of {base}: it runs in the JVM, which calls no Python "
                f"method. {cls._own}"
            )

    @property
    def _owner(self) -> str:
        """Name of the class that has the factory."""
        return type(self).__name__

    def _given(self) -> dict[str, Any]:
        """Return the fields by name that have another value than by default."""
        values = ((field.name, getattr(self, field.name), field.default) for field in _fields(self))
        return {
            name: value
            for name, value, default in values
            if value is not default and (type(value) is not type(default) or value != default)
        }

    def _scala(self) -> ScalaCall:
        args = tuple(getattr(self, field.name) for field in _fields(self))
        return ScalaCall(f"{self._package}.{type(self).__name__}", camel_case(self._factory), args)

    def __repr__(self) -> str:
        """Return the call that makes an equal value."""
        positional = [field.name for field in _fields(self) if field.default is MISSING and not field.kw_only]
        shown = (
            show_value(value) if name in positional else f"{name}={show_value(value)}"
            for name, value in self._given().items()
        )
        call = f"{self._owner}.{self._factory}" if self._factory else self._owner
        return f"{call}({', '.join(shown)})"


class ExpressionPart(Part):
    """Part with fields that are expressions. Text compares by value, functions and Columns by identity."""

    def __eq__(self, other: object) -> bool:
        """Compare the class and the fields."""
        return isinstance(other, ExpressionPart) and self._key() == other._key()

    def __hash__(self) -> int:
        """Hash what is compared."""
        return hash(self._key())

    def _key(self) -> tuple[object, ...]:
        return (type(self), *(_compared(getattr(self, field.name)) for field in _fields(self)))


def _compared(value: object) -> object:
    if isinstance(value, dict):
        return tuple((name, _compared(item)) for name, item in value.items())
    return value if isinstance(value, (str, int, float, timedelta, Part)) else id(value)


def set_field(part: Part, name: str, value: object) -> None:
    """Set a field of a frozen dataclass from its `__post_init__`."""
    object.__setattr__(part, name, value)


def camel_case(name: str) -> str:
    """Write a name of Python, such as `with_gap`, as Scala has it."""
    first, *rest = name.split("_")
    return first + "".join(word.capitalize() for word in rest)


def show_value(value: object) -> str:
    """Return the code of an argument; a function is shown by its name."""
    if isinstance(value, timedelta):
        return f'"{show(value)}"'
    return getattr(value, "__name__", None) or repr(value)


def _fields(part: Any) -> tuple[Field[Any], ...]:
    return fields(part)
