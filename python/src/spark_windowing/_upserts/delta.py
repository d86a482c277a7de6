"""A ``foreachBatch`` function that keeps one row per key and window in a Delta table."""

from __future__ import annotations

from typing import TYPE_CHECKING

from spark_windowing._upserts.table import upsert

if TYPE_CHECKING:
    from collections.abc import Callable

    from pyspark.sql import DataFrame


def upsert_to_delta(result: DataFrame, table: str) -> Callable[[DataFrame, int], None]:
    """Make a ``foreachBatch`` function that keeps one row per key and window in a Delta table.

    The row is that of the newest firing: the on-time firing replaces early ones, late firings replace it. The
    row of a session that was merged into another one is deleted. A repeated micro-batch changes nothing.

    Parameters
    ----------
    result
        A result of windows declared ``with_pane()``, with at most one row per firing.
    table
        The Delta table in Spark SQL, ``"clicks"`` or ``"delta.`/data/clicks`"``. If it does not exist, it
        is created with the columns of the result. An existing table may have more columns, which are not
        written, and may lack ``pane``.

    Returns
    -------
    function
        ``(DataFrame, int) -> None``, also for `for_each_output`; call it once per micro-batch.

    Raises
    ------
    TypeError
        If the table is no text.
    ValueError
        If the result lacks panes, a key, ``window`` or ``pane``; if the table is no Delta table or lacks a
        column; in the query, if it is started on another DataFrame.
    SparkWindowingError
        If the session has no Delta Lake, or one for another Spark version.

    Examples
    --------
    >>> result = (
    ...     sw.key_by(clicks, "user", time="ts")
    ...     .time_window("5 minutes")
    ...     .trigger(sw.AfterWatermark.of(early="1 minute"))
    ...     .with_pane()
    ...     .aggregate(F.count("*").alias("clicks"))
    ... )
    >>> query = result.writeStream.foreachBatch(sw.upsert_to_delta(result, "clicks"))  # doctest: +SKIP
    """
    return upsert(result, "delta", table)
