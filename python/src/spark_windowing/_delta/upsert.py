"""A ``foreachBatch`` function that keeps one row per key and window in a Delta table."""

from __future__ import annotations

from contextlib import contextmanager
from typing import TYPE_CHECKING

from spark_windowing._delta.table import columns_to_write, make_table, refuse_without_delta
from spark_windowing._results.changes import changes_of, keys_of, one_write, quoted

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from pyspark.sql import DataFrame, SparkSession

_APPLICATION = "spark.databricks.delta.write.txnAppId"
_VERSION = "spark.databricks.delta.write.txnVersion"
_NAME = "upsert_to_delta"


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
        If the session has no Delta Lake, or one for another Spark version, or is one of Spark Connect.

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
    if not isinstance(table, str):
        raise TypeError(f'upsert_to_delta takes the name of a table or "delta.`/path`", got {table!r}')
    keys = keys_of(_NAME, result)
    make_table(table, result)
    names = columns_to_write(table, result)
    same = [f"target.{quoted(key)} <=> change.row.{quoted(key)}" for key in keys]
    same.append("target.window <=> change.window")

    def upsert(batch: DataFrame, batch_id: int) -> None:
        changes = changes_of(_NAME, result, keys, batch).persist()
        try:
            times = _times(changes)  # computes every partition, which stores the state
            if times is not None:
                spark = batch.sparkSession
                with one_write(_NAME, spark, table, batch_id) as query, _transaction(spark, query, batch_id):
                    _merge(table, changes, [*same, *times], names)
        finally:
            changes.unpersist()

    return upsert


def _times(changes: DataFrame) -> list[str] | None:
    """Return conditions that let Delta skip files without these windows, or None if nothing changes."""
    from pyspark.sql import functions as F

    is_zoned = "timestamp_ntz" not in changes.schema["window"].dataType.simpleString()
    bounds = (F.min("window.start"), F.max("window.start"))
    texts = (F.unix_micros(bound) if is_zoned else bound.cast("string") for bound in bounds)
    row = changes.agg(F.count("*"), F.count("window"), *texts).first()
    count, with_times, first, last = row or (0, 0, 0, 0)
    if count == 0:
        return None
    if with_times < count:  # the global window
        return []
    literal = "timestamp_micros({})" if is_zoned else "TIMESTAMP_NTZ '{}'"
    return [f"target.window.start BETWEEN {literal.format(first)} AND {literal.format(last)}"]


def _merge(table: str, changes: DataFrame, conditions: list[str], names: Sequence[str]) -> None:
    from uuid import uuid4

    spark = changes.sparkSession
    view = f"changes_{uuid4().hex}"
    columns = [quoted(name) for name in names]
    lines = [
        f"MERGE INTO {table} AS target USING {view} AS change ON {' AND '.join(conditions)}",
        "WHEN MATCHED AND change.gone THEN DELETE",
        f"WHEN MATCHED THEN UPDATE SET {', '.join(f'target.{c} = change.row.{c}' for c in columns)}",
        f"WHEN NOT MATCHED AND NOT change.gone THEN INSERT ({', '.join(columns)})",
        f"VALUES ({', '.join(f'change.row.{c}' for c in columns)})",
    ]
    changes.createOrReplaceTempView(view)
    try:
        spark.sql("\n".join(lines))
    except Exception as error:
        refuse_without_delta(spark, error)
        raise
    finally:
        spark.catalog.dropTempView(view)


@contextmanager
def _transaction(spark: SparkSession, query: str | None, batch_id: int) -> Iterator[None]:
    """Let Delta skip a micro-batch of a query that it has written before."""
    if query is None:
        yield
        return
    before = {name: spark.conf.get(name, None) for name in (_APPLICATION, _VERSION)}
    spark.conf.set(_APPLICATION, f"spark-windowing {query}")
    spark.conf.set(_VERSION, str(batch_id))
    try:
        yield
    finally:
        for name, value in before.items():
            if value is None:
                spark.conf.unset(name)
            else:
                spark.conf.set(name, value)
