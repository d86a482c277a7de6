"""Windowed streams: keyed streams with their windows."""

from __future__ import annotations

from typing import TYPE_CHECKING

from spark_windowing._builders.arguments import truth
from spark_windowing._builders.durations import Duration, duration
from spark_windowing._gateway.guidance import missing_aggregate
from spark_windowing._streams.computations import Computations
from spark_windowing._streams.declaration import Result
from spark_windowing._streams.value import Call
from spark_windowing._streams.window_settings import WindowSettings

if TYPE_CHECKING:
    from typing import NoReturn

    from pyspark.sql import DataFrame


class WindowedStream(WindowSettings[Result], Computations[Result]):
    """Keyed DataFrame with its window. Every call returns a new value; `aggregate` makes the result.

    Examples
    --------
    >>> sw.key_by(clicks, "user", time="ts").time_window("10 seconds").allowed_lateness("1 hour")
    key_by(df, 'user', time='ts').time_window('10 seconds').allowed_lateness('1 hour')
    """

    def with_row(self) -> WindowedStream[Result]:
        """Add a column ``row`` after ``window`` and ``pane`` to the results of `OverEventTimeWindows`.

        A struct of the columns of the input: the row that the window ends with.

        Returns
        -------
        WindowedStream
            A new one. These columns of a row are stored until its window is cleaned up.

        Raises
        ------
        ValueError
            For other windows, which end with no row of their own.

        Examples
        --------
        >>> last_minute = keyed.window(sw.OverEventTimeWindows.preceding("1 minute"))
        >>> spent = last_minute.with_row().aggregate(F.sum("price").alias("spent"))
        >>> [(row.row.price, row.spent) for row in spent.orderBy("user", "window").collect()]
        [(3, 3), (4, 7), (5, 12), (7, 7)]
        """
        return self._with(with_row=True)

    def changelog(self, *, before: bool = False) -> WindowedStream[Result]:
        """Make the result a stream of changes of a table with one row per key and window.

        Adds columns ``op`` and ``sequence`` at the end of the result of ``aggregate``, ``reduce`` and the
        like. ``op`` is ``+I`` for the first row of a window, ``+U`` for a row that replaces it, and ``-D``
        for a session that was merged into another one, whose results are null; it comes before the row of
        that one. A window that is cleaned up is not deleted. ``sequence`` grows with each change of a key
        and window.

        Parameters
        ----------
        before
            Whether the row that is replaced is emitted as ``-U`` before each ``+U``, and ``-D`` has its
            results. The state then keeps the last row of each window.

        Returns
        -------
        WindowedStream
            A new one. The state counts the firings of a window until it is cleaned up.

        Raises
        ------
        TypeError
            If `before` is not True or False.
        ValueError
            For over windows, for ``process``, which has any number of rows, and with ``collapse_firings``.

        Examples
        --------
        >>> each = windows.trigger(sw.CountTrigger.of(1)).changelog()
        >>> changes = each.aggregate(F.sum("price").alias("spent"))
        >>> [(row.op, row.sequence, row.spent) for row in changes.where("user = 'a'").collect()]
        [('+I', 0, 3), ('+U', 1, 7), ('+I', 0, 5)]
        """
        truth("changelog", "before", before)
        named = {"before": True} if before else {}
        return self._with(changelog=Call("changelog", (), named, {"before": before}))

    def fill_empty(self, *, for_at_most: Duration) -> WindowedStream[Result]:
        """Emit windows without rows, too, with the aggregates of no rows: a count of 0, a sum of null.

        A key that had a row in a window has a result for each one that ends at most `for_at_most` after it,
        at the end of the window, until the next one with a row. With `with_pane` they have ``is_empty``
        true. A row within the allowed lateness makes a late firing of such a window. On a static DataFrame
        no window without rows starts after the greatest event time of all keys.

        Parameters
        ----------
        for_at_most
            Time from the end of the last window with rows to that of the last one without.

        Returns
        -------
        WindowedStream
            A new one. The state of a key without rows is one timer; with an allowed lateness a window
            without rows is kept for it, too.

        Raises
        ------
        ValueError
            For other windows than tumbling, sliding, cumulative and calendar windows of event time, if the
            next window ends after a longer time, and, when the function is given, for ``reduce`` and what is
            one, such as ``sum``: it has no result of no rows.

        Examples
        --------
        >>> filled = windows.fill_empty(for_at_most="1 minute").aggregate(F.sum("price").alias("spent"))
        >>> [(row.window.start.second, row.spent) for row in filled.where("user = 'b'").collect()]
        [(0, 7), (10, None)]
        """
        time = duration("for_at_most", for_at_most)
        return self._with(fill_empty=Call("fill_empty", (), {"for_at_most": time}, {"for_at_most": time}))

    if not TYPE_CHECKING:

        def __call__(self, _df: DataFrame) -> NoReturn:
            """Refuse a declaration without a function: it has no result."""
            raise TypeError(
                f"{self!r} says which windows, not what to compute: end it in a function of windows, "
                '.aggregate(F.count("*").alias("count"))'
            )

        def __getattr__(self, name: str) -> NoReturn:
            """Name the replacement for a method of a grouped DataFrame."""
            raise AttributeError(missing_aggregate(name, dir(type(self))))
