"""Changes of a micro-batch to a table that keeps one row per key and window."""

from __future__ import annotations

from contextlib import contextmanager
from typing import TYPE_CHECKING

from spark_windowing._gateway.errors import SparkWindowingError
from spark_windowing._gateway.setup import gateway_of
from spark_windowing._gateway.spark_session import is_connect

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from pyspark.sql import Column, DataFrame, SparkSession

# The last written run and micro-batch, by query and table.
_written: dict[tuple[str, str], tuple[str | None, int]] = {}


def keys_of(function: str, result: DataFrame) -> list[str]:
    """Return the key columns of a result; refuse one whose rows do not show the firing of their window.

    Raises
    ------
    ValueError
        If the result lacks panes, a key, ``window`` or ``pane``.
    SparkWindowingError
        If its session is one of Spark Connect.
    """
    if is_connect(result):
        raise SparkWindowingError(
            f"{function} needs a classic session: it writes each micro-batch under the number of the query, "
            "so that a repeated one is written once, and a client of Spark Connect does not get that number.",
            'spark = SparkSession.builder.master("local[*]").getOrCreate(), without .remote(..); or write '
            "the rows yourself: result.writeStream.foreachBatch(..) with MERGE INTO",
        )
    columns = gateway_of(result).value("window_columns", result=result)
    return [str(column) for column in columns[:-1]]


def changes_of(function: str, result: DataFrame, keys: Sequence[str], batch: DataFrame) -> DataFrame:
    """Return the change of each window in a micro-batch: its newest `row`, or `window` is `gone`.

    Raises
    ------
    ValueError
        If the micro-batch is that of another DataFrame than the result.
    """
    from pyspark.sql import Window
    from pyspark.sql import functions as F

    _check_columns(function, result.columns, batch)

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
        F.lit(f"{function} keeps one row a window, and a firing gave several: "),
        F.to_json(F.struct(*names, number)),
    )
    checked = F.when(F.col("newest") & F.col("twice"), F.raise_error(several)).otherwise(F.col("newest"))
    return ranked.where(checked).select("row", "window", "gone")


@contextmanager
def one_write(function: str, spark: SparkSession, table: str, batch_id: int) -> Iterator[str | None]:
    """Yield the id of the query while a micro-batch is written; None outside of a query.

    Raises
    ------
    ValueError
        If this run of the query has written the micro-batch to the table already.
    """
    query = spark.sparkContext.getLocalProperty("sql.streaming.queryId")
    if query is None:
        yield None
        return
    attempt = (spark.sparkContext.getLocalProperty("spark.jobGroup.id"), batch_id)
    if _written.get((query, table)) == attempt:
        raise ValueError(
            f"{function} was called twice for {table} in micro-batch {batch_id}, and the second call would "
            "be left out like a repeated micro-batch: give it all rows at once, rows.union(others)"
        )
    yield query
    _written[query, table] = attempt


def quoted(name: str) -> str:
    """Quote a column name for Spark SQL."""
    return f"`{name.replace('`', '``')}`"


def _check_columns(function: str, columns: Sequence[str], batch: DataFrame) -> None:
    if [name for name in columns if name not in batch.columns]:
        raise ValueError(
            f"{function} was made for a result with the columns {', '.join(columns)}, "
            f"and the micro-batch has {', '.join(batch.columns)}: "
            f"result.writeStream.foreachBatch(sw.{function}(result, ..)), or with side outputs "
            "sw.all_outputs(result).writeStream.foreachBatch("
            f"sw.for_each_output(main=sw.{function}(result, ..), ..))"
        )
