"""Complete declarations: with a DataFrame a result, without one a function for ``DataFrame.transform``."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

from spark_windowing._streams.declaration import Declaration, Result, gateway_for

if TYPE_CHECKING:
    from pyspark.sql import DataFrame

    from spark_windowing._streams.process import Process
    from spark_windowing._streams.process_by_class import ProcessByClass
    from spark_windowing._streams.value import Call


class Transform(Declaration["DataFrame"]):
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
            What Scala refuses, such as an event time that is missing.
        """
        rows: Any = self._rows
        return _result(replace(self, _rows=replace(rows, frame=df)))


def completed(declaration: Declaration[Result], computation: Call) -> Result:
    """Complete a declaration: return its result, or a `Transform` if it has no DataFrame."""
    transform = Transform(declaration._rows, declaration._windows, computation)
    made: Any = transform if transform._rows.frame is None else _result(transform)
    return made  # type: ignore[no-any-return]


def _result(declaration: Transform) -> DataFrame:
    gateway = gateway_for(declaration._rows)
    computation: Any = declaration._computation
    function: Process | ProcessByClass | None = computation.function
    if function is None:
        return gateway.frame("result", declaration=declaration)
    return function.result(gateway, declaration._document(), declaration._rows.names)
