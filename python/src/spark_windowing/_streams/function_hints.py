"""Type hints of the user's functions."""

from __future__ import annotations

import functools
import inspect
import typing
from collections.abc import Callable, Iterator
from typing import Any

_ROWS = 2  # the third parameter of a function of windows


def takes_iterator(function: Callable[..., Any], name: str) -> bool:
    """Tell whether a function asks for its rows as an iterator of DataFrames, by the hint of their parameter.

    Parameters
    ----------
    function
        ``(key, context, rows) -> result``.
    name
        For errors.

    Raises
    ------
    ValueError
        If the hint is an iterator of something else, something like one, or cannot be looked up.
    """
    hint = _hint_of_rows(function)
    if isinstance(hint, str):
        if "Iter" not in hint:
            return False
        raise ValueError(
            f"{name}: the hint {hint!r} of its rows cannot be looked up: import its names where the function "
            "is defined, not under `if TYPE_CHECKING:`"
        )
    text = str(hint)
    if "Iter" not in text and "Generator" not in text:
        return False
    import pandas as pd

    if typing.get_origin(hint) is not Iterator or typing.get_args(hint) != (pd.DataFrame,):
        allowed = "pd.DataFrame or Iterator[pd.DataFrame]"
        raise ValueError(f"{name}: the hint of its rows must be {allowed}, got {hint}")
    return True


def _hint_of_rows(function: Callable[..., Any]) -> Any:
    """Return the hint of the rows, as text if it cannot be looked up, None if there is none."""
    try:
        parameters = inspect.signature(function).parameters.values()
    except (TypeError, ValueError):
        return None
    by_position = [p for p in parameters if p.kind in (p.POSITIONAL_ONLY, p.POSITIONAL_OR_KEYWORD)]
    hint = by_position[_ROWS].annotation if len(by_position) > _ROWS else inspect.Parameter.empty
    if hint is inspect.Parameter.empty:
        return None
    try:
        return _looked_up(hint, _names(function))
    except (AttributeError, NameError, SyntaxError, TypeError):
        return hint


def _names(function: Callable[..., Any]) -> dict[str, Any]:
    """Return the names that are known where a function is defined."""
    while isinstance(function, functools.partial):
        function = function.func
    defined = inspect.unwrap(function)
    called = defined if inspect.isroutine(defined) else type(defined).__call__
    return getattr(called, "__globals__", {})


def _looked_up(hint: Any, names: dict[str, Any]) -> Any:
    """Return what a hint stands for, whatever the hints of other parameters are."""

    def hinted() -> None:
        pass

    hinted.__annotations__ = {"rows": hint}
    return typing.get_type_hints(hinted, names)["rows"]
