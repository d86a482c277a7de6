"""Computations over the windows of a stream."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from spark_windowing._builders.aggregate_function import AggregateFunction
from spark_windowing._builders.arguments import function as check_function
from spark_windowing._builders.arguments import truth
from spark_windowing._builders.jvm import JvmPart
from spark_windowing._builders.part import Expression, ScalaCall
from spark_windowing._streams.aggregates import aggregates
from spark_windowing._streams.process import Process
from spark_windowing._streams.records import Records

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from pyspark.sql import Column, DataFrame
    from pyspark.sql.types import StructType

    from spark_windowing._builders.column_state import ColumnState

_REDUCE = "dev.sparkwindowing.columns.ColumnReduceFunction"


class Computations(Records):
    """Computations over windows: each gives a result."""

    def aggregate(
        self,
        *columns: Column | str | dict[str, str] | AggregateFunction | JvmPart,
        process: Callable[[Any, Any, Any], Any] | None = None,
        schema: str | StructType | None = None,
        side_outputs: Mapping[str, str | StructType] | None = None,
        window_state: ColumnState | None = None,
        global_state: ColumnState | None = None,
    ) -> DataFrame:
        """Compute aggregates over each window.

        Parameters
        ----------
        *columns
            Aggregates of Spark SQL: Columns, ``F.sum("price").alias("spent")``, or SQL text, ``"sum(price) AS
            spent"``. Or one dict of columns and functions, ``{"price": "sum", "*": "count"}``, whose results
            are named as PySpark does, ``sum(price)`` and ``count(1)``. Or a single `AggregateFunction`, also
            one of a user's jar (`jvm`).
        process
            A Python function that is called at each firing with the result, as in `process`, which describes
            the other arguments.
        schema
            The columns of its result.
        side_outputs
            The side outputs that it writes to.
        window_state
            State of the window, updated from the aggregates after each firing.
        global_state
            State of the key, likewise.

        Returns
        -------
        DataFrame
            Key columns, ``window`` (struct of start, inclusive, and end, exclusive; null for the global
            window), then the aggregates. One row *per firing*: a window that fires again emits another row.

        Raises
        ------
        TypeError
            If an argument is none of these, or a dict is not alone.
        ValueError
            If there is none, a name would appear twice, or the types of an AggregateFunction do not match.

        Examples
        --------
        >>> result = windows.aggregate(F.count("*").alias("clicks"), F.sum("price").alias("spent"))
        >>> result.orderBy("window", "user").select("user", "clicks", "spent").show()
        +----+------+-----+
        |user|clicks|spent|
        +----+------+-----+
        |   a|     2|    7|
        |   b|     1|    7|
        |   a|     1|    5|
        +----+------+-----+
        <BLANKLINE>
        """
        own = next((c for c in columns if isinstance(c, (AggregateFunction, JvmPart))), None)
        computed = (
            self._gateway.columns("an aggregate", aggregates(columns))
            if own is None
            else self._own_aggregate(own, len(columns))
        )
        others = (schema, side_outputs, window_state, global_state)
        return self._with_process("aggregate", computed, process, others)

    def agg(self, *columns: Column | str | dict[str, str] | AggregateFunction | JvmPart) -> DataFrame:
        """Compute aggregates over each window: `aggregate` under PySpark's name.

        Parameters
        ----------
        *columns
            As for `aggregate`.

        Returns
        -------
        DataFrame
            The result of `aggregate`.

        Examples
        --------
        >>> windows.agg({"price": "max", "*": "count"}).columns
        ['user', 'window', 'max(price)', 'count(1)']
        >>> windows.agg("max(price) AS dearest").columns
        ['user', 'window', 'dearest']
        """
        return self.aggregate(*columns)

    def process(
        self,
        function: Callable[[Any, Any, Any], Any],
        schema: str | StructType,
        *,
        side_outputs: Mapping[str, str | StructType] | None = None,
        window_state: ColumnState | None = None,
        global_state: ColumnState | None = None,
    ) -> DataFrame:
        """Call a Python function at each firing with all elements of the window.

        It is called as ``applyInPandas`` calls a function with a group, after the window operator, in Spark's
        Python workers. All elements are stored: prefer `aggregate` where possible, with ``process=`` for the
        rest.

        Times are naive, in the time zone of the session, at every depth; TIMESTAMP_NTZ stays as it is. A
        naive time in the result counts as the later one if clocks show it twice, and stops the query if
        they skip it. To avoid both, return times with a zone or microseconds, or set the session's zone to
        UTC. The key columns and ``window`` do not pass through pandas and keep their instant.

        Parameters
        ----------
        function
            ``(key, context, elements) -> result``: a tuple, a `Context` (window, watermark, processing_time,
            window_state, global_state, pane) and a pandas DataFrame of the elements in order of arrival; in a
            `co_group` a dict of one such DataFrame for each input, by its name. It returns a pandas DataFrame
            of the columns of `schema`, a `Tagged` for a side output, several of these, or None.
        schema
            The columns of its result: DDL text or a StructType.
        side_outputs
            The side outputs that it writes to: tag and schema.
        window_state
            State of the key and window, kept across firings and purges until the window is cleaned up. Not
            for windows that merge.
        global_state
            State of the key, never cleaned up.

        Returns
        -------
        DataFrame
            Key columns, ``window``, then the columns of `schema`.

        Raises
        ------
        TypeError
            If an argument is of the wrong type.
        ValueError
            If a name would appear twice, or the types of a state do not match.

        Examples
        --------
        >>> def spread(key, context, clicks):
        ...     return pd.DataFrame({"spread": [clicks.price.max() - clicks.price.min()]})
        >>> windows.process(spread, "spread int").columns
        ['user', 'window', 'spread']
        """
        call = Process(
            "process", function, schema, side_outputs, window_state, global_state, inputs=self._inputs
        )
        return call.apply_to(self._gateway, self._java, "process", None)

    def apply(self, function: Callable[[Any, Any, Any], Any], schema: str | StructType) -> DataFrame:
        """Call a Python function at each firing with all elements; a simpler `process`.

        Parameters
        ----------
        function
            ``(key, window, elements) -> result``: a tuple, the window (None for the global one) and a pandas
            DataFrame, in a `co_group` a dict of them; it returns a pandas DataFrame of the columns of
            `schema`.
        schema
            The columns of its result: DDL text or a StructType.

        Returns
        -------
        DataFrame
            Key columns, ``window``, then the columns of `schema`.

        Raises
        ------
        TypeError
            If an argument is of the wrong type.

        Examples
        --------
        >>> def spread(key, window, clicks):
        ...     return pd.DataFrame({"spread": [clicks.price.max() - clicks.price.min()]})
        >>> windows.apply(spread, "spread int").columns
        ['user', 'window', 'spread']
        """
        call = Process("apply", function, schema, inputs=self._inputs)
        return call.apply_to(self._gateway, self._java, "process", None)

    def reduce(
        self,
        function: str | Callable[[Column, Column], Column] | JvmPart,
        *,
        mergeable: bool = False,
        process: Callable[[Any, Any, Any], Any] | None = None,
        schema: str | StructType | None = None,
        side_outputs: Mapping[str, str | StructType] | None = None,
        window_state: ColumnState | None = None,
        global_state: ColumnState | None = None,
    ) -> DataFrame:
        """Reduce the rows of each window to one. Only this row is stored.

        Parameters
        ----------
        function
            Combines two rows: ``lambda a, b: column``, or SQL text over the structs ``a`` (the row so far)
            and ``b`` (the new row). It gives a struct of exactly the columns of the input, in any order;
            ``lambda a, b: a`` is valid. A function is called once, by `reduce`; its result runs in the JVM.
            Or a ReduceFunction of a user's jar (`jvm`).
        mergeable
            True declares that the function is commutative and associative. Rows are then reduced before the
            exchange, as those of Spark's own aggregates are. A class of a jar says so itself, by its method
            ``isMergeable``.
        process
            A Python function that is called at each firing with the row, as in `process`, which describes
            the other arguments.
        schema
            The columns of its result.
        side_outputs
            The side outputs that it writes to.
        window_state
            State of the window, updated from the reduced row after each firing.
        global_state
            State of the key, likewise.

        Returns
        -------
        DataFrame
            Key columns, ``window``, then the columns of the reduced row except the keys; one row *per
            firing*.

        Raises
        ------
        TypeError
            If it is neither text nor a function of two Columns that returns one.
        ValueError
            If its columns or their types differ from those of the input.

        Examples
        --------
        >>> windows.reduce(  # the highest price of each window, with the time of the newest click
        ...     lambda a, b: F.struct(
        ...         a["user"],
        ...         F.greatest(a["price"], b["price"]).alias("price"),
        ...         F.greatest(a["ts"], b["ts"]).alias("ts"),
        ...     )
        ... ).columns
        ['user', 'window', 'price', 'ts']
        """
        truth("reduce", "mergeable", mergeable)
        if isinstance(function, JvmPart):
            if mergeable:
                raise ValueError(
                    "reduce: mergeable=True belongs to a column: override isMergeable in the class, "
                    "public boolean isMergeable() { return true; }"
                )
            reduced = self._gateway.make(function)
        else:
            check_function("reduce", "function", function)
            written = Expression("reduce", function, ("a", "b"))
            reduced = self._gateway.made(ScalaCall(_REDUCE, "of", (written, mergeable)))
        others = (schema, side_outputs, window_state, global_state)
        return self._with_process("reduce", reduced, process, others)

    def _with_process(
        self,
        method: str,
        computed: Any,
        process: Callable[[Any, Any, Any], Any] | None,
        others: tuple[Any, Any, Any, Any],
    ) -> DataFrame:
        if process is not None:
            return Process(method, process, *others).apply_to(self._gateway, self._java, method, computed)
        if any(value is not None for value in others):
            raise TypeError(
                f"{method}: schema, side_outputs, window_state and global_state belong to process=function"
            )
        return self._gateway.frame(self._gateway.call(self._java, "compute", method, computed))

    def _own_aggregate(self, function: AggregateFunction | JvmPart, arguments: int) -> Any:
        if arguments > 1:
            raise ValueError(
                "aggregate takes one AggregateFunction alone, or Columns: compute what the others do in its "
                f"accumulator too, got {arguments} arguments"
            )
        return self._gateway.make(function)
