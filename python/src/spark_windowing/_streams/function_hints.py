"""Type hints of the user's functions."""

from __future__ import annotations

import collections.abc
import functools
import inspect
import typing
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Callable


def takes_iterator(function: Callable[..., Any], name: str) -> bool:
    """Tell whether the hint of the last parameter of a function asks for an iterator of DataFrames.

    Parameters
    ----------
    function
        ``(key, context, rows) -> result``.
    name
        For errors.

    Raises
    ------
    ValueError
        If the hint is an iterator of something else, or cannot be looked up.
    """
    hint = _hint_of_rows(function)
    if isinstance(hint, str):
        if "Iterator" not in hint:
            return False
        raise ValueError(
            f"{name}: the hint {hint!r} of its rows cannot be looked up: import its names where the function "
            "is defined, not under `if TYPE_CHECKING:`"
        )
    if typing.get_origin(hint) is not collections.abc.Iterator and hint is not collections.abc.Iterator:
        return False
    import pandas as pd

    if typing.get_args(hint) != (pd.DataFrame,):
        raise ValueError(
            f"{name}: the hint of its rows must be pd.DataFrame or Iterator[pd.DataFrame], got {hint}"
        )
    return True


def _hint_of_rows(function: Callable[..., Any]) -> Any:
    """Return the hint of the last parameter, as text if it cannot be looked up, None if there is none."""
    while isinstance(function, functools.partial):
        function = function.func
    called = function if inspect.isroutine(function) else type(function).__call__
    try:
        *_, last = inspect.signature(called).parameters.values()
    except (TypeError, ValueError):
        return None
    if not isinstance(last.annotation, str):
        return None if last.annotation is inspect.Parameter.empty else last.annotation
    try:
        return _looked_up(last.annotation, getattr(inspect.unwrap(called), "__globals__", {}))
    except (AttributeError, NameError, SyntaxError, TypeError):
        return last.annotation


def _looked_up(hint: str, names: dict[str, Any]) -> Any:
    """Return what a hint stands for, whatever the hints of other parameters are."""

    def hinted() -> None:
        pass

    hinted.__annotations__ = {"rows": hint}
    return typing.get_type_hints(hinted, names)["rows"]
