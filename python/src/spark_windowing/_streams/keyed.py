"""Keyed streams, the first step of a declaration, with and without a DataFrame."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from spark_windowing._builders.arguments import truth, whole_number
from spark_windowing._builders.column_process import ColumnProcess
from spark_windowing._builders.durations import Duration, duration
from spark_windowing._builders.jvm import JvmPart
from spark_windowing._gateway.guidance import keyed_process, missing_window
from spark_windowing._gateway.setup import gateway_of
from spark_windowing._streams.declaration import Declaration, Result
from spark_windowing._streams.process_by_class import ProcessByClass
from spark_windowing._streams.rows import KeyedRows
from spark_windowing._streams.transform import completed
from spark_windowing._streams.value import Call
from spark_windowing._streams.windowed import WindowedStream
from spark_windowing._streams.windows import Windows, check_assigner, named_windows

if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import NoReturn

    from pyspark.sql import Column, DataFrame
    from pyspark.sql.types import StructType

    from spark_windowing._builders.assigners import WindowAssigner


class KeyedStream(Declaration[Result]):
    """DataFrame with its keys and its event time, or several of them. Immutable; a window comes next.

    Made by `key_by`, and by `co_group` for several.

    Examples
    --------
    >>> sw.key_by(clicks, "user", time="ts")
    key_by(df, 'user', time='ts')
    """

    def retracts(self, condition: str | Column) -> KeyedStream[Result]:
        """Say which rows take back an earlier one, as the deletes of a change feed do.

        Such a row is equal to the earlier one but for the columns that say so, and has its event time. The
        aggregates are those of the rows that are left: `count`, `sum`, `avg` and `count_if`. A window whose
        rows were all taken back fires with a count of 0.

        Parameters
        ----------
        condition
            SQL text or a Column, a boolean; null is false.

        Returns
        -------
        KeyedStream
            The same with rows that take back others.

        Raises
        ------
        TypeError
            If it is of another type, or this is a co-group.
        ValueError
            If it is no boolean, changes from one computation to the next, or is wrong about the kinds of a
            change feed; later if windows, a trigger or a function do not fit.

        Examples
        --------
        >>> back = clicks.where("price = 3").withColumn("back", F.lit(True))
        >>> changes = clicks.withColumn("back", F.lit(False)).union(back)
        >>> windows = sw.key_by(changes, time="ts").retracts("back").time_window("1 minute")
        >>> result = windows.aggregate(F.count("*").alias("n"), F.sum("price").alias("spent"))
        >>> [(row.n, row.spent) for row in result.collect()]  # 4 + 5 + 7
        [(3, 16)]
        """
        if not isinstance(condition, str) and type(condition).__name__ != "Column":
            raise TypeError(
                "retracts takes SQL text or a Column that is true for a row that takes back another, such as "
                f"\"_change_type IN ('delete', 'update_preimage')\", got {condition!r}"
            )
        if not isinstance(self._rows, KeyedRows):
            raise TypeError(
                "retracts is for one input: in a join or a co-group no row is taken back. Make one table of "
                "the inputs, a.unionByName(b, allowMissingColumns=True)"
            )
        return self._of(replace(self._rows, retracts=condition, resolved=None))

    def starting_with(self, rows: DataFrame, *, emit: bool = False) -> KeyedStream[Result]:
        """Begin a new query with rows of a table, as if they stood before the stream.

        A query that starts on a new checkpoint takes them first, in order of event time. Their watermark, the
        greatest event time less the delay of the stream's, is that of the query from then on: rows of the
        stream that are behind it are late. A query that has a checkpoint does not read them again. A history
        that cannot be read fails the query, and the next start takes it as a whole.

        Parameters
        ----------
        rows
            A static DataFrame with the columns of the stream, found by name.
        emit
            Whether windows that these rows complete are results, with those of the first micro-batch. By
            default they are left out, as results of an earlier run.

        Returns
        -------
        KeyedStream
            The same with that history.

        Raises
        ------
        TypeError
            If `rows` is no DataFrame, `emit` is not True or False, or this is a co-group: give each of its
            inputs a history.
        ValueError
            If this is no stream or `rows` is one, or it lacks a column of the stream or has another type for
            it; if the rows of this are results of another operator with state.

        Examples
        --------
        >>> sw.key_by(stream, "user").starting_with(clicks)
        key_by(df, 'user').starting_with(df)
        """
        if type(rows).__name__ != "DataFrame":
            raise TypeError(f"starting_with: rows must be a DataFrame, got {rows!r}")
        truth("starting_with", "emit", emit)
        if not isinstance(self._rows, KeyedRows):
            raise TypeError("starting_with: give each input of co_group its own, before they are one")
        return self._of(replace(self._rows, history=(rows, emit), resolved=None))

    def window(self, assigner: WindowAssigner) -> WindowedStream[Result]:
        """Assign the rows of each key to windows.

        Parameters
        ----------
        assigner
            A window assigner, such as ``TumblingEventTimeWindows.of("5 minutes")``.

        Returns
        -------
        WindowedStream
            With the assigner's default trigger.

        Raises
        ------
        TypeError
            If it is no window assigner.
        ValueError
            If the stream does not support the window: for instance, an event-time window without event time.

        Examples
        --------
        >>> keyed.window(sw.EventTimeSessionWindows.with_gap("30 minutes"))
        key_by(df, 'user', time='ts').window(EventTimeSessionWindows.with_gap("30 minutes"))
        """
        check_assigner(assigner)
        return self._windowed(assigner)

    def windows(self, **assigners: WindowAssigner) -> WindowedStream[Result]:
        """Assign the rows of each key to windows of several kinds at once, each with a name.

        The result has the windows of all names, each as if it were declared alone, with the name in the
        column ``window_name``. Rows are exchanged once, and a key has one state. Tumbling, sliding,
        cumulative and calendar windows share it: a row is added once, to its slice of the time line.

        Parameters
        ----------
        assigners
            Names, and windows by event time or `CountWindows`. Trigger, evictor, lateness and settings hold
            for all of them, but for the trigger of `CountWindows`, which is its own.

        Returns
        -------
        WindowedStream
            The windows of all names, for ``aggregate``, ``reduce`` and the like. A row is late for each name
            by itself, and late rows have a ``window_name``, too.

        Raises
        ------
        TypeError
            If one is no window assigner, or there are none.
        ValueError
            As `window`, and for over windows, the global window, and windows by processing time or with a
            stagger.

        Examples
        --------
        >>> minute, day = sw.TumblingEventTimeWindows.of("1 minute"), sw.CalendarWindows.days(time_zone="UTC")
        >>> windows = keyed.windows(minute=minute, day=day)
        >>> result = windows.aggregate(F.sum("price").alias("spent")).orderBy("user", "window_name")
        >>> [(row.user, row.window_name, row.spent) for row in result.collect()]
        [('a', 'day', 12), ('a', 'minute', 12), ('b', 'day', 7), ('b', 'minute', 7)]
        """
        return self._windowed(named_windows(assigners))

    def time_window(self, size: Duration, slide: Duration | None = None) -> WindowedStream[Result]:
        """Assign the rows of each key to tumbling or sliding windows by event time.

        Parameters
        ----------
        size
            Length of a window.
        slide
            Distance between the starts of two windows. By default the windows tumble.

        Returns
        -------
        WindowedStream
            The same as `window` with TumblingEventTimeWindows or SlidingEventTimeWindows.

        Raises
        ------
        ValueError
            If the assigner refuses `size` or `slide`.

        Examples
        --------
        >>> keyed.time_window("1 hour", "15 minutes")
        key_by(df, 'user', time='ts').time_window('1 hour', '15 minutes')
        """
        sizes = [duration("size", size)]
        if slide is not None:
            sizes.append(duration("slide", slide))
        return self._windowed(Call("time_window", tuple(sizes), {}, {"time_window": sizes}))

    def count_window(
        self, size: int, slide: int | None = None, *, only_full: bool = False
    ) -> WindowedStream[Result]:
        """Assign the rows of each key to windows of `size` rows.

        Parameters
        ----------
        size
            Number of rows of a window.
        slide
            Number of rows between firings. By default the windows tumble. As in Flink, the first firings
            have fewer than `size` rows.
        only_full
            Whether firings with fewer than `size` rows are left out. Windows that tumble have none.

        Returns
        -------
        WindowedStream
            The global window with a count trigger.

        Raises
        ------
        TypeError
            If a size is no whole number, or `only_full` is not True or False.

        Examples
        --------
        >>> result = keyed.count_window(2).aggregate(F.sum("price").alias("spent"))
        >>> [(row.user, row.spent) for row in result.collect()]  # a has a third click: its window is not full
        [('a', 7)]
        """
        sizes = [whole_number("count_window", "size", size)]
        truth("count_window", "only_full", only_full)
        if slide is not None:
            sizes.append(whole_number("count_window", "slide", slide))
        full = True if only_full and slide is not None else None
        document = {"count_window": [*sizes, *([] if full is None else [full])]}
        return self._windowed(Call("count_window", tuple(sizes), {"only_full": full}, document))

    def process(
        self,
        function: ColumnProcess | JvmPart,
        schema: str | StructType | None = None,
        *,
        side_outputs: Mapping[str, str | StructType] | None = None,
    ) -> Result:
        """Process the rows of each key one by one, with state and timers, without windows.

        Parameters
        ----------
        function
            A `ColumnProcess`, or a ``KeyedProcessFunction`` of a user's jar (`jvm`).
        schema
            The columns of a result of a ``KeyedProcessFunction``: DDL text or a StructType.
        side_outputs
            The side outputs that it writes to: tag and schema.

        Returns
        -------
        DataFrame
            Key columns, ``event_time`` if the input has an event time, then the columns of the results. That
            is the event time of the row or event-time timer that gave the result, null for a processing-time
            timer; a window may follow.

        Raises
        ------
        TypeError
            If an argument is of the wrong type.
        ValueError
            If the types of the columns do not fit together, a name would appear twice, or an event time or a
            watermark that is used is missing.

        Examples
        --------
        >>> result = keyed.process(  # each price with the one before of its user
        ...     sw.ColumnProcess.of(
        ...         state=F.struct(F.lit(None).cast("int").alias("price")),
        ...         on_element=lambda row, state: sw.Do(
        ...             state=F.struct(row.price), emit=F.struct(row.price, state.price.alias("before"))
        ...         ),
        ...     )
        ... )
        >>> [(row.user, row.price, row.before) for row in result.orderBy("event_time").collect()]
        [('a', 3, None), ('b', 7, None), ('a', 4, 3), ('a', 5, 4)]
        """
        if isinstance(function, ColumnProcess):
            if schema is not None or side_outputs is not None:
                raise TypeError(
                    "process: schema and side_outputs belong to sw.jvm(..); a ColumnProcess gives its "
                    "columns by sw.Do(emit=.., side=..)"
                )
            return completed(self, Call("process", (function,), {}, {"process": function}))
        if not isinstance(function, JvmPart):
            raise TypeError(keyed_process(f"process takes a ColumnProcess, got {function!r}"))
        by_class = ProcessByClass(schema, side_outputs)
        named = {"side_outputs": side_outputs}
        call = Call("process", (function, schema), named, {"process": function}, by_class)
        return completed(self, call)

    if not TYPE_CHECKING:

        def __call__(self, _df: DataFrame) -> NoReturn:
            """Refuse a declaration without windows: it has no result."""
            raise TypeError(
                f"{self!r} says which keys, not what to compute: add windows and a function of them, "
                '.window(sw.TumblingEventTimeWindows.of("5 minutes")).aggregate(F.count("*").alias("count"))'
            )

        def __getattr__(self, name: str) -> NoReturn:
            """Name the replacement for a method of a grouped DataFrame."""
            raise AttributeError(missing_window(name, dir(type(self))))

    def _of(self, rows: KeyedRows) -> KeyedStream[Result]:
        stream: KeyedStream[Result] = KeyedStream(rows)
        return stream if rows.frame is None else stream._resolved(gateway_of(rows.frame))

    def _windowed(self, assigner: WindowAssigner | Call) -> WindowedStream[Result]:
        windows: WindowedStream[Result] = WindowedStream(self._rows, Windows(assigner))
        return windows._checked()
