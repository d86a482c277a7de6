"""Calls of functions of Columns, made once, when a query is declared."""

from __future__ import annotations

import inspect
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

_HINTS = {
    "CANNOT_CONVERT_COLUMN_INTO_BOOL": (
        "it is called once, with Columns: write F.when(condition, x).otherwise(y) in place of if, "
        "and &, | and ~ in place of and, or and not"
    ),
    "'method'": 'some names are methods of a Column: write row["name"] in place of row.name',
}


def check_arguments(name: str, function: Callable[..., Any], arguments: tuple[str, ...]) -> None:
    """Check that a function takes these positional arguments.

    Raises
    ------
    TypeError
        If it takes other arguments.
    """
    try:
        inspect.signature(function).bind(*arguments)
    except ValueError:  # a built-in without a signature
        pass
    except TypeError:
        takes = f"a function of {len(arguments)} ({', '.join(arguments)})" if arguments else "one of none"
        raise TypeError(f"{name} must take what it is called with, {takes}, got {shown(function)}") from None


def called(name: str, function: Callable[..., Any], arguments: Mapping[str, Any] | tuple[str, ...]) -> Any:
    """Call a function with columns of these names, or with these columns by name.

    Raises
    ------
    TypeError
        If the function does not take them.
    ValueError
        If the function fails.
    """
    from pyspark.sql import functions as F

    if isinstance(arguments, tuple):
        check_arguments(name, function, arguments)
    try:
        if isinstance(arguments, tuple):
            return function(*map(F.col, arguments))
        return function(**arguments)
    except Exception as error:
        text = f"{type(error).__name__}: {error}"
        hint = "".join(f" ({hint})" for sign, hint in _HINTS.items() if sign in text)
        raise ValueError(f"{name} failed when it was called with Columns{hint}: {text}") from error


def shown(function: Callable[..., Any]) -> str:
    """Return the name and signature of a function."""
    name = getattr(function, "__name__", None) or repr(function)
    try:
        return f"{name}{inspect.signature(function)}"
    except (TypeError, ValueError):
        return name
