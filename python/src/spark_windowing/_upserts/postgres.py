"""A ``foreachBatch`` function that keeps one row per key and window in a table of PostgreSQL."""

from __future__ import annotations

from typing import TYPE_CHECKING

from spark_windowing._upserts.table import checked, upsert

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from pyspark.sql import DataFrame


def upsert_to_postgres(
    result: DataFrame, table: str, *, url: str, properties: Mapping[str, str] | None = None
) -> Callable[[DataFrame, int], None]:
    """Make a ``foreachBatch`` function that keeps one row per key and window in a table of PostgreSQL.

    The row is that of the newest firing: the on-time firing replaces early ones, late firings replace it. The
    row of a session that was merged into another one is deleted. A repeated micro-batch changes nothing.

    Each micro-batch is one transaction. The driver of the job copies the changes to the server, by the JDBC
    driver ``org.postgresql:postgresql`` of the session.

    Parameters
    ----------
    result
        A result of windows declared ``with_pane()``, with at most one row per firing.
    table
        The table, ``"clicks"`` or ``"shop.clicks"``, written as in SQL. If it does not exist, it is created
        (PostgreSQL 15 or later). ``window`` has two columns, ``window_start`` and ``window_end``, and
        structs, arrays and maps are ``jsonb``. An existing table must be unique by ``window_start``,
        ``window_end`` and the keys; it may have more columns, which are not written, and may lack ``pane``.
    url
        How to reach the database, as in ``DataFrameWriter.jdbc``: ``"jdbc:postgresql://db.example.com/shop"``.
    properties
        Properties of the connection, such as ``user`` and ``password``; by default none.

    Returns
    -------
    function
        ``(DataFrame, int) -> None``, also for `for_each_output`; call it once per micro-batch.

    Raises
    ------
    TypeError
        If table or url is no text, or properties are not texts by name.
    ValueError
        If the result lacks panes, a key, ``window`` or ``pane``, or has a type that PostgreSQL lacks; if
        the table lacks a column or its rows are not unique; if the server cannot be reached or refuses a
        statement; in the query, if it is started on another DataFrame.
    SparkWindowingError
        If the session has no JDBC driver of PostgreSQL.

    Examples
    --------
    >>> result = (
    ...     sw.key_by(clicks, "user", time="ts")
    ...     .time_window("5 minutes")
    ...     .trigger(sw.AfterWatermark.of(early="1 minute"))
    ...     .with_pane()
    ...     .aggregate(F.count("*").alias("clicks"))
    ... )
    >>> write = sw.upsert_to_postgres(
    ...     result, "clicks", url="jdbc:postgresql://localhost/shop", properties={"user": "writer"}
    ... )  # doctest: +SKIP
    >>> query = result.writeStream.foreachBatch(write)  # doctest: +SKIP
    """
    if not isinstance(url, str):
        raise TypeError(f"url must be a text, got {type(url).__name__}")
    return upsert(result, "postgres", table, url=url, **checked(properties))
