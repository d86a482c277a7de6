"""Computations over the windows of a stream."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

from spark_windowing._builders.aggregate_function import AggregateFunction
from spark_windowing._builders.arguments import function as check_function
from spark_windowing._builders.arguments import truth
from spark_windowing._builders.jvm import JvmPart
from spark_windowing._builders.part import Expression, ScalaCall
from spark_windowing._streams.aggregates import Aggregates
from spark_windowing._streams.declaration import Result
from spark_windowing._streams.process import Process
from spark_windowing._streams.records import Records
from spark_windowing._streams.transform import completed
from spark_windowing._streams.value import Call

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from pyspark.sql import Column
    from pyspark.sql.types import StructType

    from spark_windowing._builders.column_state import ColumnState

_OF_PROCESS = ("schema", "side_outputs", "window_state", "global_state")
_REDUCE = "dev.sparkwindowing.columns.ColumnReduceFunction"


class Computations(Records[Result]):
    """Computations over windows: each gives a result."""

    def aggregate(
        self,
        *columns: Column | str | dict[str, str] | AggregateFunction | JvmPart,
        process: Callable[[Any, Any, Any], Any] | None = None,
        schema: str | StructType | None = None,
        side_outputs: Mapping[str, str | StructType] | None = None,
        window_state: ColumnState | None = None,
        global_state: ColumnState | None = None,
    ) -> Result:
        """Compute aggregates over each window.

        Parameters
        ----------
        *columns
            Aggregates of Spark SQL: Columns, ``F.sum("price").alias("spent")``, or SQL text, ``"sum(price) AS
            spent"``. Or one dict of columns and functions, ``{"price": "sum", "*": "count"}``, whose results
            are named as PySpark does, ``sum(price)`` and ``count(1)``. Or a single `AggregateFunction`, also
            one of a user's jar (`jvm`).
        process
            A Python function that is called at each firing with the result.
        schema, side_outputs, window_state, global_state
            Its schemas and states, as in `process`; states are updated from the aggregates after each firing.

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
        others = (schema, side_outputs, window_state, global_state)
        call = Call("aggregate", columns, {}, {"aggregate": _aggregate(columns)})
        return self._computed(call, process, others)

    def agg(self, *columns: Column | str | dict[str, str] | AggregateFunction | JvmPart) -> Result:
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
        call = Call("agg", columns, {}, {"aggregate": _aggregate(columns)})
        return completed(self, call)

    def process(
        self,
        function: Callable[[Any, Any, Any], Any],
        schema: str | StructType,
        *,
        side_outputs: Mapping[str, str | StructType] | None = None,
        window_state: ColumnState | None = None,
        global_state: ColumnState | None = None,
    ) -> Result:
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
            `co_group` a dict of one such DataFrame for each input, by its name. If its third parameter has
            the hint ``Iterator[pd.DataFrame]``, an iterator of DataFrames in place of one, for windows of
            more rows than fit into memory; not in a `co_group`. It returns a pandas DataFrame of the columns
            of `schema`, a `Tagged` for a side output, several of these, or None.
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
            If a name would appear twice, the types of a state do not match, or the hint of the rows is an
            iterator of something else.

        Examples
        --------
        >>> def spread(key, context, clicks):
        ...     return pd.DataFrame({"spread": [clicks.price.max() - clicks.price.min()]})
        >>> windows.process(spread, "spread int").columns
        ['user', 'window', 'spread']
        """
        others = (side_outputs, window_state, global_state)
        process = Process("process", function, schema, *others)
        named = dict(zip(_OF_PROCESS[1:], others, strict=True))
        call = Call("process", (function, schema), named, {"elements": True}, process)
        return completed(self, call)

    def apply(self, function: Callable[[Any, Any, Any], Any], schema: str | StructType) -> Result:
        """Call a Python function at each firing with all elements; a simpler `process`.

        Parameters
        ----------
        function
            ``(key, window, elements) -> result``: a tuple, the window (None for the global one) and a pandas
            DataFrame, in a `co_group` a dict of them, with the hint ``Iterator[pd.DataFrame]`` an iterator of
            them; it returns a pandas DataFrame of the columns of `schema`.
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
        process = Process("apply", function, schema)
        call = Call("apply", (function, schema), {}, {"elements": True}, process)
        return completed(self, call)

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
    ) -> Result:
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
            A Python function that is called at each firing with the row.
        schema, side_outputs, window_state, global_state
            Its schemas and states, as in `process`; states are updated from the reduced row after each
            firing.

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
        if isinstance(function, JvmPart) and mergeable:
            raise ValueError(
                "reduce: mergeable=True belongs to a column: override isMergeable in the class, "
                "public boolean isMergeable() { return true; }"
            )
        reduced: JvmPart | ScalaCall
        if isinstance(function, JvmPart):
            reduced = function
        else:
            check_function("reduce", "function", function)
            reduced = ScalaCall(_REDUCE, "of", (Expression("reduce", function, ("a", "b")), mergeable))
        call = Call("reduce", (function,), {"mergeable": mergeable or None}, {"reduce": reduced})
        return self._computed(call, process, (schema, side_outputs, window_state, global_state))

    def _computed(self, call: Call, process: Any, others: tuple[Any, ...]) -> Result:
        """End in a computation that a Python function may follow."""
        if process is None and any(value is not None for value in others):
            raise TypeError(
                f"{call.method}: schema, side_outputs, window_state and global_state belong to "
                "process=function"
            )
        if process is not None:
            named = {**call.named, "process": process, **dict(zip(_OF_PROCESS, others, strict=True))}
            call = replace(call, named=named, function=Process(call.method, process, *others))
        return completed(self, call)


def _aggregate(columns: tuple[Any, ...]) -> object:
    own = next((c for c in columns if isinstance(c, (AggregateFunction, JvmPart))), None)
    if own is not None and len(columns) > 1:
        raise ValueError(
            "aggregate takes one AggregateFunction alone, or Columns: compute what the others do in its "
            f"accumulator too, got {len(columns)} arguments"
        )
    return Aggregates(columns) if own is None else own
