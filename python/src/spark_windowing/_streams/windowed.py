"""Windowed streams: keyed streams with their windows."""

from __future__ import annotations

from typing import TYPE_CHECKING

from spark_windowing._gateway.guidance import missing_aggregate
from spark_windowing._streams.computations import Computations
from spark_windowing._streams.window_settings import WindowSettings

if TYPE_CHECKING:
    from typing import NoReturn


class WindowedStream(WindowSettings, Computations):
    """Keyed DataFrame with its window. Every call returns a new value; `aggregate` makes the result.

    Examples
    --------
    >>> sw.key_by(clicks, "user", time="ts").time_window("10 seconds").allowed_lateness("1 hour")
    key_by(df, 'user', time='ts').time_window('10 seconds').allowed_lateness('1 hour')
    """

    if not TYPE_CHECKING:

        def __getattr__(self, name: str) -> NoReturn:
            """Name the replacement for a method of a grouped DataFrame."""
            raise AttributeError(missing_aggregate(name))
