"""Calls of functions of Columns, made when a query is declared."""

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


def check_names(
    owner: str, name: str, function: Callable[..., Any], known: tuple[str, ...]
) -> Mapping[str, Any]:
    """Check that a function takes its columns by name; return the kinds of its parameters by name.

    Raises
    ------
    TypeError
        If it takes others than the known ones, or takes them by position.
    """
    wanted = _parameters(function)
    unknown = [column for column in wanted if column not in known]
    if unknown:
        raise TypeError(
            f"{owner}: {name} takes columns by their names, any of {', '.join(known)}, "
            f"got {', '.join(unknown)}"
        )
    if any(kind is inspect.Parameter.POSITIONAL_ONLY for kind in wanted.values()):
        raise TypeError(
            f"{owner}: {name} takes columns by their names, got {shown(function)}: take the / away"
        )
    return wanted


def called_by_name(name: str, function: Callable[..., Any]) -> Any:
    """Call a function with the columns that its parameters are named after.

    Raises
    ------
    ValueError
        If the function fails.
    """
    from pyspark.sql import functions as F

    return called(name, function, {wanted: F.col(wanted) for wanted in _parameters(function)})


def _parameters(function: Callable[..., Any]) -> dict[str, Any]:
    try:
        parameters = inspect.signature(function).parameters
    except ValueError:  # a built-in
        return {shown(function): None}
    return {name: parameter.kind for name, parameter in parameters.items()}


def shown(function: Callable[..., Any]) -> str:
    """Return the name and signature of a function."""
    name = getattr(function, "__name__", None) or repr(function)
    try:
        return f"{name}{inspect.signature(function)}"
    except (TypeError, ValueError):
        return name
