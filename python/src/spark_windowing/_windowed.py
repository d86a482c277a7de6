"""Windows of a stream: when they fire, what leaves them, how late, and what is computed."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from spark_windowing._durations import Duration, duration
from spark_windowing._evictors import Evictor
from spark_windowing._functions import AggregateFunction
from spark_windowing._guidance import missing_aggregate, query_trigger
from spark_windowing._jvm import JvmPart
from spark_windowing._parts import Expression, truth
from spark_windowing._parts import function as check_function
from spark_windowing._triggers import Trigger, check_trigger

if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import NoReturn

    from pyspark.sql import Column, DataFrame

    from spark_windowing._door import Door


@dataclass(frozen=True, eq=False, repr=False)
class WindowedStream:
    """A keyed DataFrame with its window. Every call returns a new value; `aggregate` makes the result."""

    _door: Door
    _java: Any
    _text: str

    def trigger(self, trigger: Trigger | None = None, **query_settings: object) -> WindowedStream:
        """Say when a window fires, in place of the assigner's default.

        Parameters
        ----------
        trigger
            A window trigger such as ``PurgingTrigger.of(CountTrigger.of(100))``.
        **query_settings
            None are taken: ``processingTime=..`` belongs to ``writeStream.trigger``.

        Returns
        -------
        WindowedStream
            A new one.

        Raises
        ------
        TypeError
            If it is no window trigger.
        ValueError
            If the trigger does not go with the window: one that cannot merge on sessions, say.
        """
        if query_settings:
            raise TypeError(query_trigger(query_settings))
        check_trigger("trigger", trigger)
        return self._with(f"trigger({trigger!r})", "trigger", self._door.make(trigger))  # type: ignore[arg-type]

    def evictor(self, evictor: Evictor) -> WindowedStream:
        """Say which elements leave a window when it fires. All elements are kept in the state then.

        Parameters
        ----------
        evictor
            An evictor such as ``CountEvictor.of(100)``.

        Returns
        -------
        WindowedStream
            A new one.

        Raises
        ------
        TypeError
            If it is no evictor.
        """
        if not isinstance(evictor, Evictor):
            raise TypeError(f"evictor takes an evictor such as CountEvictor.of(100), got {evictor!r}")
        return self._with(f"evictor({evictor!r})", "evictor", self._door.make(evictor))

    def allowed_lateness(self, lateness: Duration) -> WindowedStream:
        """Keep event-time windows for a while behind the watermark; each late row then fires again.

        Parameters
        ----------
        lateness
            How long, not negative; 0 by default. Without effect on other windows.

        Returns
        -------
        WindowedStream
            A new one.

        Raises
        ------
        ValueError
            If it is negative.
        """
        value = self._door.duration(duration("allowed lateness", lateness))
        return self._with(f"allowed_lateness({lateness!r})", "allowedLateness", value)

    def side_output_late_data(self, tag: str) -> WindowedStream:
        """Keep the rows that come too late for all their windows, for `side_output`.

        Parameters
        ----------
        tag
            The name of the side output.

        Returns
        -------
        WindowedStream
            A new one.

        Raises
        ------
        TypeError
            If it is no text.
        ValueError
            If it is empty.
        """
        if not isinstance(tag, str):
            raise TypeError(f"side_output_late_data takes a name, got {tag!r}")
        return self._with(f"side_output_late_data({tag!r})", "sideOutputLateData", tag)

    def aggregate(self, *columns: Column | AggregateFunction | JvmPart) -> DataFrame:
        """Compute aggregates over each window: the result.

        Parameters
        ----------
        *columns
            Aggregates of Spark SQL, named by ``alias``: ``F.sum("price").alias("spent")``. Or one
            `AggregateFunction`, alone, also one in a jar of yours (`jvm`).

        Returns
        -------
        DataFrame
            Key columns, ``window`` (struct of start, inclusive, and end, exclusive; null for the global
            window), then the aggregates. One row *a firing*: a window that fires again gives another row.

        Raises
        ------
        TypeError
            If an argument is no Column.
        ValueError
            If there is none, a name would appear twice, or the parts of an AggregateFunction do not fit
            together.
        """
        from pyspark.sql import Column

        if not columns:
            raise ValueError('aggregate needs a Column: .aggregate(F.count("*").alias("count"))')
        own = next((c for c in columns if isinstance(c, (AggregateFunction, JvmPart))), None)
        if own is not None:
            return self._own_aggregate(own, len(columns))
        for column in columns:
            if not isinstance(column, Column):
                raise TypeError(
                    f'aggregate takes Columns such as F.sum("price").alias("spent"), got {column!r}'
                )
        aggregates = self._door.columns("an aggregate", columns)  # type: ignore[arg-type]
        return self._door.frame(self._door.call(self._java, "aggregate", aggregates))

    def agg(self, *columns: Column | AggregateFunction | JvmPart) -> DataFrame:
        """Compute Spark SQL aggregates over each window, as `aggregate` does.

        Parameters
        ----------
        *columns
            As for `aggregate`.

        Returns
        -------
        DataFrame
            The result of `aggregate`.
        """
        return self.aggregate(*columns)

    def reduce(self, function: str | Callable[[Column, Column], Column] | JvmPart) -> DataFrame:
        """Reduce the rows of each window to one, which is all that is kept of them.

        Parameters
        ----------
        function
            Makes one row of two: ``lambda a, b: column``, or SQL text over the structs ``a`` (what is kept)
            and ``b`` (the row that came). It gives a struct of exactly the columns of the input, in any
            order; ``lambda a, b: a`` is one. Called once, here; what it returns runs in the JVM. Or a
            ReduceFunction in a jar of yours (`jvm`).

        Returns
        -------
        DataFrame
            Key columns, ``window``, then the columns of the reduced row but for the keys. One row *a firing*.

        Raises
        ------
        TypeError
            If it is neither text nor a function of two Columns that returns one.
        ValueError
            If it gives other columns than those of the input, or other types.

        Examples
        --------
        >>> windows.reduce(  # the dearest click of each window, with the time of the newest
        ...     lambda a, b: F.struct(
        ...         a["user"],
        ...         F.greatest(a["price"], b["price"]).alias("price"),
        ...         F.greatest(a["ts"], b["ts"]).alias("ts"),
        ...     )
        ... ).columns
        ['user', 'window', 'price', 'ts']
        """
        if isinstance(function, JvmPart):
            return self._named("reduce", function)
        check_function("reduce", "function", function)
        reduced = self._door.expression(Expression("reduce", function, ("a", "b")))
        return self._door.frame(self._door.call(self._java, "reduce", reduced))

    def sum(self, field: str) -> DataFrame:
        """Give a *record*: the first row of each window, with one column added up, as Flink's ``sum``.

        Most people want ``aggregate(F.sum("price").alias("price"))``, the sum alone.

        Parameters
        ----------
        field
            The name of a column of numbers. Its type stays: whole numbers wrap around, a decimal that does
            not fit stops the query. Nulls are passed over.

        Returns
        -------
        DataFrame
            As `reduce`.

        Raises
        ------
        ValueError
            If there is no such column, or it is no number.
        """
        return self._field("sum", "sum", field)

    def min(self, field: str) -> DataFrame:
        """Give a *record*: the first row of each window, with the least value of one column in its place.

        As Flink's ``min``. Most people want ``aggregate(F.min("price").alias("price"))``, or `min_by`.

        Parameters
        ----------
        field
            The name of a column with an order. Nulls are passed over.

        Returns
        -------
        DataFrame
            As `reduce`.

        Raises
        ------
        ValueError
            If there is no such column, or it has no order.
        """
        return self._field("min", "min", field)

    def max(self, field: str) -> DataFrame:
        """Give a *record*: the first row of each window, with the greatest value of one column in its place.

        As Flink's ``max``. Most people want ``aggregate(F.max("price").alias("price"))``, or `max_by`.

        Parameters
        ----------
        field
            The name of a column with an order. Nulls are passed over.

        Returns
        -------
        DataFrame
            As `reduce`.

        Raises
        ------
        ValueError
            If there is no such column, or it has no order.
        """
        return self._field("max", "max", field)

    def min_by(self, field: str, *, first: bool = True) -> DataFrame:
        """Give a *record*: the row of each window that has the least value of one column.

        As Flink's ``minBy``. For one column of it write ``aggregate(F.min_by("ts", "price"))``.

        Parameters
        ----------
        field
            The name of a column with an order. A row with null is taken only if there is no other.
        first
            Whether of equal rows the first is taken, else the last.

        Returns
        -------
        DataFrame
            As `reduce`.

        Raises
        ------
        ValueError
            If there is no such column, or it has no order.
        """
        return self._field("min_by", "minBy", field, first)

    def max_by(self, field: str, *, first: bool = True) -> DataFrame:
        """Give a *record*: the row of each window that has the greatest value of one column.

        As Flink's ``maxBy``. For one column of it write ``aggregate(F.max_by("ts", "price"))``.

        Parameters
        ----------
        field
            The name of a column with an order. A row with null is taken only if there is no other.
        first
            Whether of equal rows the first is taken, else the last.

        Returns
        -------
        DataFrame
            As `reduce`.

        Raises
        ------
        ValueError
            If there is no such column, or it has no order.
        """
        return self._field("max_by", "maxBy", field, first)

    def __repr__(self) -> str:
        """Return the declaration so far."""
        return self._text

    if not TYPE_CHECKING:

        def __getattr__(self, name: str) -> NoReturn:
            """Say what to write in place of a grouped DataFrame's methods."""
            raise AttributeError(missing_aggregate(name))

    def _own_aggregate(self, function: AggregateFunction | JvmPart, arguments: int) -> DataFrame:
        if arguments > 1:
            raise ValueError(
                "aggregate takes one AggregateFunction alone, or Columns: compute what the others do in its "
                f"accumulator too, got {arguments} arguments"
            )
        if isinstance(function, JvmPart):
            return self._named("aggregate", function)
        return self._door.frame(self._door.call(self._java, "aggregate", self._door.make(function)))

    def _named(self, call: str, function: JvmPart) -> DataFrame:
        return self._door.frame(self._door.call(self._java, "named", call, self._door.make(function)))

    def _field(self, name: str, method: str, field: str, *first: bool) -> DataFrame:
        if not isinstance(field, str):
            raise TypeError(f"{name} takes the name of a column, got {field!r}")
        for value in first:
            truth(name, "first", value)
        return self._door.frame(self._door.call(self._java, method, field, *first))

    def _with(self, text: str, method: str, value: object) -> WindowedStream:
        java = self._door.call(self._java, method, value)
        return WindowedStream(self._door, java, f"{self._text}.{text}")
