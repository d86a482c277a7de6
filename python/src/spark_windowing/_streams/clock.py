"""Micro-batches of a stream without rows."""

from __future__ import annotations

from typing import TYPE_CHECKING

from spark_windowing._builders.durations import ZERO, Duration, brief, duration
from spark_windowing._gateway.setup import gateway_of

if TYPE_CHECKING:
    from pyspark.sql import DataFrame


def with_clock(df: DataFrame, every: Duration) -> DataFrame:
    """Make a micro-batch happen at intervals, also while the inputs of a stream have no rows.

    Timers of processing time fire in micro-batches, so without one they wait: after a restart, until the
    first row comes. With a clock they fire at most `every` late. It adds no rows, and leaves the columns as
    they are. With ``trigger(availableNow=True)`` it makes no micro-batch.

    In the checkpoint it is one more source: a query cannot add it to, or take it from, the checkpoint of an
    earlier run. The columns of the file source's ``_metadata`` must be selected before it.

    Parameters
    ----------
    df
        A stream, with or without a watermark.
    every
        Time between two micro-batches; positive. The trigger of the query, if it is longer, counts.

    Returns
    -------
    DataFrame
        The rows of `df`.

    Raises
    ------
    TypeError, ValueError
        If `every` is no duration, or not positive.
    ValueError
        For a static DataFrame, in which no time passes.

    Examples
    --------
    >>> beats = sw.with_clock(spark.readStream.format("rate").load(), every="10 seconds")
    >>> beats.columns
    ['timestamp', 'value']
    """
    length = duration("every", every)
    if length <= ZERO:
        raise ValueError(f"every must be positive, got {brief(length)}")
    return gateway_of(df).frame("with_clock", rows=df, every=length)
