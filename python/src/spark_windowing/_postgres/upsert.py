"""A ``foreachBatch`` function that keeps one row per key and window in a table of PostgreSQL."""

from __future__ import annotations

from typing import TYPE_CHECKING

from spark_windowing._postgres.columns import columns_of
from spark_windowing._postgres.table import connect, open_table
from spark_windowing._postgres.transaction import is_new, write
from spark_windowing._results.changes import changes_of, keys_of, one_write

if TYPE_CHECKING:
    from collections.abc import Callable

    from pyspark.sql import DataFrame

_NAME = "upsert_to_postgres"


def upsert_to_postgres(result: DataFrame, table: str, *, connection: str) -> Callable[[DataFrame, int], None]:
    """Make a ``foreachBatch`` function that keeps one row per key and window in a table of PostgreSQL.

    The row is that of the newest firing: the on-time firing replaces early ones, late firings replace it. The
    row of a session that was merged into another one is deleted. A repeated micro-batch changes nothing.

    Each micro-batch is one transaction. The driver copies the changes to the server; it needs the extra
    ``postgres`` (psycopg).

    Parameters
    ----------
    result
        A result of windows declared ``with_pane()``, with at most one row per firing.
    table
        The table, ``"clicks"`` or ``"shop.clicks"``, written as in SQL. If it does not exist, it is created
        (PostgreSQL 15 or later). ``window`` has two columns, ``window_start`` and ``window_end``, and
        structs, arrays and maps are ``jsonb``. An existing table must be unique by ``window_start``,
        ``window_end`` and the keys; it may have more columns, which are not written, and may lack ``pane``.
    connection
        How to reach the database: a connection string of libpq, ``"host=db.example.com dbname=shop"`` or
        ``"postgresql://db.example.com/shop"``. What it leaves out comes from the environment of the driver:
        ``PGHOST``, ``PGPASSFILE``, ..

    Returns
    -------
    function
        ``(DataFrame, int) -> None``, also for `for_each_output`; call it once per micro-batch.

    Raises
    ------
    TypeError
        If table or connection is no text.
    ValueError
        If the result lacks panes, a key, ``window`` or ``pane``, or has a type that PostgreSQL lacks; if
        the table lacks a column or its rows are not unique; if `connection` is not a connection string; in
        the query, if it is started on another DataFrame.
    SparkWindowingError
        If psycopg is not installed, or the session is one of Spark Connect.
    psycopg.Error
        If the server cannot be reached, or refuses a statement.

    Examples
    --------
    >>> result = (
    ...     sw.key_by(clicks, "user", time="ts")
    ...     .time_window("5 minutes")
    ...     .trigger(sw.AfterWatermark.of(early="1 minute"))
    ...     .with_pane()
    ...     .aggregate(F.count("*").alias("clicks"))
    ... )
    >>> write = sw.upsert_to_postgres(result, "clicks", connection="dbname=shop")  # doctest: +SKIP
    >>> query = result.writeStream.foreachBatch(write)  # doctest: +SKIP
    """
    if not isinstance(table, str):
        raise TypeError(f'{_NAME} takes the name of a table, "clicks" or "shop.clicks", got {table!r}')
    if not isinstance(connection, str):
        raise TypeError(f"connection must be a connection string, got {type(connection).__name__}")
    keys = keys_of(_NAME, result)
    columns = columns_of(result.schema)
    with connect(connection) as server:
        target = open_table(server, table, columns, keys)

    def upsert(batch: DataFrame, batch_id: int) -> None:
        from pyspark.sql import functions as F

        changes = changes_of(_NAME, result, keys, batch).persist()
        try:
            if changes.count() == 0:  # computes every partition, which stores the state
                return
            texts = changes.select(
                *(column.text() for column in target.columns), F.col("gone").cast("string")
            )
            with connect(connection) as server:
                place = f"{table} at {server.info.host}:{server.info.port}/{server.info.dbname}"
                with one_write(_NAME, batch.sparkSession, place, batch_id) as query:
                    if query is None or is_new(server, target, query, batch_id):
                        write(server, target, texts.toLocalIterator(prefetchPartitions=True))
        finally:
            changes.unpersist()

    return upsert
