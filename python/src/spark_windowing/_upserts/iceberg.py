"""A ``foreachBatch`` function that keeps one row per key and window in an Iceberg table."""

from __future__ import annotations

from typing import TYPE_CHECKING

from spark_windowing._upserts.table import upsert

if TYPE_CHECKING:
    from collections.abc import Callable

    from pyspark.sql import DataFrame


def upsert_to_iceberg(result: DataFrame, table: str) -> Callable[[DataFrame, int], None]:
    """Make a ``foreachBatch`` function that keeps one row per key and window in an Iceberg table.

    The row is that of the newest firing: the on-time firing replaces early ones, late firings replace it. The
    row of a session that was merged into another one is deleted. A repeated micro-batch changes nothing: the
    snapshot of a micro-batch has its number.

    Parameters
    ----------
    result
        A result of windows declared ``with_pane()``, with at most one row per firing.
    table
        The table in Spark SQL, ``"lake.shop.clicks"``, in a catalog of Iceberg. If it does not exist, it is
        created with the columns of the result. An existing table may have partitions and more columns, which
        are not written, and may lack ``pane``.

    Returns
    -------
    function
        ``(DataFrame, int) -> None``, also for `for_each_output`; call it once per micro-batch.

    Raises
    ------
    TypeError
        If the table is no text.
    ValueError
        If the result lacks panes, a key, ``window`` or ``pane``; if the table is no Iceberg table or lacks a
        column; in the query, if it is started on another DataFrame.
    SparkWindowingError
        If the session has no Iceberg, or one for another Spark version, or the catalog is one of Spark's own.

    Examples
    --------
    >>> result = (
    ...     sw.key_by(clicks, "user", time="ts")
    ...     .time_window("5 minutes")
    ...     .trigger(sw.AfterWatermark.of(early="1 minute"))
    ...     .with_pane()
    ...     .aggregate(F.count("*").alias("clicks"))
    ... )
    >>> write = sw.upsert_to_iceberg(result, "lake.shop.clicks")  # doctest: +SKIP
    >>> query = result.writeStream.foreachBatch(write)  # doctest: +SKIP
    """
    return upsert(result, "iceberg", table)
