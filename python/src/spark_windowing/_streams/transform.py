"""Declarations without their DataFrame, as functions for ``DataFrame.transform``."""

from __future__ import annotations

import inspect
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, Concatenate, Generic, NamedTuple, NoReturn, ParamSpec, TypeVar

from spark_windowing._gateway.guidance import missing_aggregate, missing_window
from spark_windowing._streams.keyed import KeyedStream, OnMissingTime, key_by
from spark_windowing._streams.windowed import WindowedStream

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from pyspark.sql import Column, DataFrame

P = ParamSpec("P")
Steps = TypeVar("Steps", bound="_Recorded")


class _Call(NamedTuple):
    name: str
    args: tuple[object, ...]
    named: Mapping[str, object]

    def __repr__(self) -> str:
        written = [*map(repr, self.args), *(f"{name}={value!r}" for name, value in self.named.items())]
        return f"{self.name}({', '.join(written)})"


@dataclass(frozen=True, eq=False, repr=False)
class _Recorded:
    """Calls to make when there is a DataFrame; the first one is ``keyed``."""

    _calls: tuple[_Call, ...]

    def __repr__(self) -> str:
        """Return the code that makes it."""
        return ".".join(map(repr, self._calls))


class Transform(_Recorded):
    """Declaration that is complete except for its DataFrame: a function for ``DataFrame.transform``.

    Made by `keyed`. Immutable, so it can be applied to any number of DataFrames.

    Examples
    --------
    >>> counts = sw.keyed("user", time="ts").time_window("10 seconds").agg({"*": "count"})
    >>> counts
    keyed('user', time='ts').time_window('10 seconds').agg({'*': 'count'})
    >>> clicks.transform(counts).columns
    ['user', 'window', 'count(1)']
    """

    def __call__(self, df: DataFrame) -> DataFrame:
        """Declare the windows of a DataFrame.

        Parameters
        ----------
        df
            The rows, as for `key_by`.

        Returns
        -------
        DataFrame
            The result of the last call.

        Raises
        ------
        TypeError, ValueError
            As the calls that are repeated here.
        """
        first, *rest = self._calls
        step: Any = key_by(df, *first.args, **first.named)  # type: ignore[arg-type]
        for call in rest:
            step = getattr(step, call.name)(*call.args, **call.named)
        return step  # type: ignore[no-any-return]


class _Step(Generic[P]):
    """Method that records its call, with the arguments of the method of a stream."""

    def __init__(self, method: Callable[Concatenate[Any, P], Any]) -> None:
        self._method = method
        self._signature = inspect.signature(method)
        self.__doc__ = method.__doc__

    def _recorded(self, before: _Recorded, args: tuple[object, ...], named: dict[str, object]) -> Any:
        name = self._method.__name__
        try:
            self._signature.bind(before, *args, **named)
        except TypeError as error:
            raise TypeError(f"{name}: {error}") from None
        return (*before._calls, _Call(name, args, named))


class _Setting(_Step[P]):
    """Step after which the same steps may follow."""

    def __get__(self, before: Steps, owner: type[Steps] | None = None) -> Callable[P, Steps]:
        return _named(
            self, lambda *args, **named: replace(before, _calls=self._recorded(before, args, named))
        )


class _ToWindows(_Step[P]):
    """Step that assigns windows."""

    def __get__(
        self, before: _Recorded, owner: type[_Recorded] | None = None
    ) -> Callable[P, WindowedTransform]:
        return _named(self, lambda *args, **named: WindowedTransform(self._recorded(before, args, named)))


class _ToResult(_Step[P]):
    """Last step."""

    def __get__(self, before: _Recorded, owner: type[_Recorded] | None = None) -> Callable[P, Transform]:
        return _named(self, lambda *args, **named: Transform(self._recorded(before, args, named)))


def _named(step: _Step[P], call: Callable[..., Any]) -> Callable[..., Any]:
    """Give a call name, docstring and signature of the method, for ``help`` and notebooks."""
    method = step._method
    call.__name__, call.__qualname__, call.__doc__ = method.__name__, method.__qualname__, method.__doc__
    parameters = [*step._signature.parameters.values()][1:]
    call.__signature__ = step._signature.replace(parameters=parameters)  # type: ignore[attr-defined]
    return call


class WindowedTransform(_Recorded):
    """Steps of a `WindowedStream` without its DataFrame."""

    # mypy: a keyword of query_settings could be named self.
    trigger = _Setting(WindowedStream.trigger)  # type: ignore[arg-type]
    evictor = _Setting(WindowedStream.evictor)
    allowed_lateness = _Setting(WindowedStream.allowed_lateness)
    side_output_late_data = _Setting(WindowedStream.side_output_late_data)
    with_pane = _Setting(WindowedStream.with_pane)
    with_row = _Setting(WindowedStream.with_row)
    collapse_firings = _Setting(WindowedStream.collapse_firings)
    allow_state_change = _Setting(WindowedStream.allow_state_change)
    aggregate = _ToResult(WindowedStream.aggregate)
    agg = _ToResult(WindowedStream.agg)
    process = _ToResult(WindowedStream.process)
    apply = _ToResult(WindowedStream.apply)
    reduce = _ToResult(WindowedStream.reduce)
    sum = _ToResult(WindowedStream.sum)
    min = _ToResult(WindowedStream.min)
    max = _ToResult(WindowedStream.max)
    min_by = _ToResult(WindowedStream.min_by)
    max_by = _ToResult(WindowedStream.max_by)

    if not TYPE_CHECKING:

        def __call__(self, _df: DataFrame) -> NoReturn:
            """Refuse a declaration without a function: it has no result."""
            raise TypeError(
                f"{self!r} says which windows, not what to compute: end it in a function of windows, "
                '.aggregate(F.count("*").alias("count"))'
            )

        def __getattr__(self, name: str) -> NoReturn:
            """Name the replacement for a method of a grouped DataFrame."""
            raise AttributeError(missing_aggregate(name, dir(self), "WindowedTransform"))


class KeyedTransform(_Recorded):
    """Steps of a `KeyedStream` without its DataFrame."""

    window = _ToWindows(KeyedStream.window)
    time_window = _ToWindows(KeyedStream.time_window)
    count_window = _ToWindows(KeyedStream.count_window)
    process = _ToResult(KeyedStream.process)

    if not TYPE_CHECKING:

        def __call__(self, _df: DataFrame) -> NoReturn:
            """Refuse a declaration without windows: it has no result."""
            raise TypeError(
                f"{self!r} says which keys, not what to compute: add windows and a function of them, "
                '.window(sw.TumblingEventTimeWindows.of("5 minutes")).aggregate(F.count("*").alias("count"))'
            )

        def __getattr__(self, name: str) -> NoReturn:
            """Name the replacement for a method of a grouped DataFrame."""
            raise AttributeError(missing_window(name, dir(self), "KeyedTransform"))


def keyed(
    *keys: str | Column | list[str | Column],
    time: str | Column | None = None,
    on_missing_time: OnMissingTime = "late",
) -> KeyedTransform:
    """Begin a declaration without its DataFrame, for ``DataFrame.transform``.

    The steps are those of `key_by`. They are recorded, and made when ``transform`` calls the end of the chain
    with a DataFrame; so are most of their checks.

    Parameters
    ----------
    keys, time, on_missing_time
        As in `key_by`.

    Returns
    -------
    KeyedTransform
        Call ``window`` on it, then what a `WindowedStream` has. The last call, such as ``aggregate``, gives a
        `Transform`.

    Examples
    --------
    >>> clicks.where("price > 3").transform(
    ...     sw.keyed("user", time="ts")
    ...     .window(sw.TumblingEventTimeWindows.of("10 seconds"))
    ...     .aggregate(F.count("*").alias("clicks"))
    ... ).columns
    ['user', 'window', 'clicks']
    """
    named: dict[str, object] = {}
    if time is not None:
        named["time"] = time
    if on_missing_time != "late":
        named["on_missing_time"] = on_missing_time
    return KeyedTransform((_Call("keyed", keys, named),))
