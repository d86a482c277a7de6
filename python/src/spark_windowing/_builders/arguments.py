"""Checks of arguments; each error names the owner, the argument and the value."""

from __future__ import annotations

import operator
from typing import Any, SupportsFloat, SupportsIndex, get_args

_LONG_MAX = 2**63 - 1


def whole_number(owner: str, name: str, value: object) -> int:
    """Check a whole number that fits into a Scala Long; True and False are refused."""
    if isinstance(value, bool) or not isinstance(value, SupportsIndex):
        raise TypeError(f"{owner}: {name} must be a whole number, got {value!r}")
    whole = operator.index(value)
    if not -_LONG_MAX - 1 <= whole <= _LONG_MAX:
        raise ValueError(f"{owner}: {name} must fit into 64 bits, got {whole}")
    return whole


def number(owner: str, name: str, value: object) -> float:
    """Check a number; True and False are refused."""
    if isinstance(value, bool) or not isinstance(value, (SupportsFloat, SupportsIndex)):
        raise TypeError(f"{owner}: {name} must be a number, got {value!r}")
    return float(value)


def truth(owner: str, name: str, value: object) -> None:
    """Check that a value is True or False."""
    if not isinstance(value, bool):
        raise TypeError(f"{owner}: {name} must be True or False, got {value!r}")


def one_of(what: str, value: object, allowed: Any) -> None:
    """Check that a value is one of those of a Literal."""
    if value not in get_args(allowed):
        raise ValueError(f"{what} must be one of {', '.join(map(repr, get_args(allowed)))}, got {value!r}")


def name(owner: str, argument: str, value: object) -> None:
    """Check a name: a text that is not empty."""
    if not isinstance(value, str):
        raise TypeError(f"{owner}: {argument} must be text, got {value!r}")
    if not value:
        raise ValueError(f"{owner}: {argument} must not be empty")


def expression(owner: str, name: str, value: object) -> None:
    """Check an expression: SQL text or a Column; works without PySpark installed."""
    if not _is_expression(value):
        raise TypeError(f"{owner}: {name} must be SQL text or a Column, got {value!r}")


def function(owner: str, name: str, value: object) -> None:
    """Check a function of Columns, or SQL text or a Column in its place."""
    if not _is_expression(value) and not callable(value):
        raise TypeError(f"{owner}: {name} must be SQL text or a function of Columns, got {value!r}")


def _is_expression(value: object) -> bool:
    return isinstance(value, str) or type(value).__name__ == "Column"
