"""A ``foreachBatch`` function that keeps one row per key and window in a Delta table."""

from __future__ import annotations

from contextlib import contextmanager
from typing import TYPE_CHECKING

from spark_windowing._delta.table import columns_to_write, make_table, quoted, refuse_without_delta
from spark_windowing._gateway.errors import SparkWindowingError
from spark_windowing._gateway.opening import gateway_of
from spark_windowing._gateway.spark_session import is_connect

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from pyspark.sql import Column, DataFrame, SparkSession

_APPLICATION = "spark.databricks.delta.write.txnAppId"
_VERSION = "spark.databricks.delta.write.txnVersion"

# The last written run and micro-batch, by query and table.
_written: dict[tuple[str, str], tuple[str | None, int]] = {}


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
    if is_connect(result):
        raise SparkWindowingError(
            "upsert_to_delta needs a classic session: it tells Delta Lake the number of the query, so that a "
            "repeated micro-batch is written once, and a client of Spark Connect does not get that number.",
            'spark = SparkSession.builder.master("local[*]").getOrCreate(), without .remote(..); or write '
            "the rows yourself: result.writeStream.foreachBatch(..) with MERGE INTO",
        )
    gateway = gateway_of(result)
    keys = gateway.value(gateway.call(gateway.entry, "windowColumns", gateway.rows(result)))[:-1]
    make_table(table, result)
    names = columns_to_write(table, result)

    def upsert(batch: DataFrame, batch_id: int) -> None:
        _check_columns(batch, result.columns)
        changes = _changes(batch, keys).persist()
        try:
            times = _times(changes)  # computes every partition, which stores the state
            if times is not None:
                with _once(batch.sparkSession, table, batch_id):
                    _merge(table, changes, [*_same(keys), *times], names)
        finally:
            changes.unpersist()

    return upsert


def _check_columns(batch: DataFrame, columns: list[str]) -> None:
    if [name for name in columns if name not in batch.columns]:
        raise ValueError(
            f"upsert_to_delta was made for a result with the columns {', '.join(columns)}, "
            f"and the micro-batch has {', '.join(batch.columns)}: "
            "result.writeStream.foreachBatch(sw.upsert_to_delta(result, ..)), or with side outputs "
            "sw.all_outputs(result).writeStream.foreachBatch("
            "sw.for_each_output(main=sw.upsert_to_delta(result, ..), ..))"
        )


def _changes(batch: DataFrame, keys: Sequence[str]) -> DataFrame:
    """Return the change of each window in a micro-batch: its newest `row`, or `window` is `gone`."""
    from pyspark.sql import Window
    from pyspark.sql import functions as F

    def fact(window: Column, *, gone: bool) -> Column:
        return F.struct(window.alias("window"), F.lit(gone).alias("gone"))

    own = F.array(fact(F.col("row.window"), gone=False))
    replaced = F.transform("row.pane.replaced", lambda window: fact(window, gone=True))
    facts = batch.select(F.struct("*").alias("row")).select("row", F.inline(F.concat(own, replaced)))
    number, gone = F.col("row.pane.number"), F.col("gone")
    names = [*(F.col(f"row.{quoted(key)}") for key in keys), F.col("window")]
    newest = Window.partitionBy(*names).orderBy(gone.desc(), number.desc())
    ranked = facts.select(
        "*",
        (F.row_number().over(newest) == 1).alias("newest"),
        (~gone & (F.lead(number).over(newest) == number)).alias("twice"),
    )
    several = F.concat(
        F.lit("upsert_to_delta keeps one row a window, and a firing gave several: "),
        F.to_json(F.struct(*names, number)),
    )
    checked = F.when(F.col("newest") & F.col("twice"), F.raise_error(several)).otherwise(F.col("newest"))
    return ranked.where(checked).select("row", "window", "gone")


def _times(changes: DataFrame) -> list[str] | None:
    """Return conditions that let Delta skip files without these windows, or None if nothing changes."""
    from pyspark.sql import functions as F

    start = F.unix_micros("window.start")
    row = changes.agg(F.count("*"), F.count("window"), F.min(start), F.max(start)).first()
    count, with_times, first, last = row or (0, 0, 0, 0)
    if count == 0:
        return None
    if with_times < count:  # the global window
        return []
    return [f"target.window.start BETWEEN timestamp_micros({first}) AND timestamp_micros({last})"]


def _same(keys: Sequence[str]) -> list[str]:
    same = [f"target.{quoted(key)} <=> change.row.{quoted(key)}" for key in keys]
    return [*same, "target.window <=> change.window"]


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
def _once(spark: SparkSession, table: str, batch_id: int) -> Iterator[None]:
    """Let Delta skip a micro-batch that it has written before, per query."""
    query = spark.sparkContext.getLocalProperty("sql.streaming.queryId")
    if query is None:  # not in a query
        yield
        return
    attempt = (spark.sparkContext.getLocalProperty("spark.jobGroup.id"), batch_id)
    if _written.get((query, table)) == attempt:
        raise ValueError(
            f"upsert_to_delta was called twice for {table} in micro-batch {batch_id}, and Delta would leave "
            "out the second call: give it all rows at once, rows.union(others)"
        )
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
    _written[query, table] = attempt
