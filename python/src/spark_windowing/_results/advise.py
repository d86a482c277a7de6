"""Advice on the delay of a watermark."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import timedelta
from html import escape
from typing import TYPE_CHECKING, Any

from spark_windowing._builders.durations import ZERO, Duration, brief, duration
from spark_windowing._gateway.setup import gateway_of
from spark_windowing._streams.rows import as_column, check_column

if TYPE_CHECKING:
    from pyspark.sql import Column, DataFrame


@dataclass(frozen=True)
class Delay:
    """Delay of a watermark, and what it keeps.

    Attributes
    ----------
    delay
        The delay.
    late
        Rows whose event time is before the watermark when they come: they are lost if their windows are
        over.
    kept
        The share of the other ones, from 0 to 1.

    Examples
    --------
    >>> rows = spark.sql("SELECT id AS batch, timestamp_seconds(id % 3) AS ts FROM range(6)")
    >>> sw.advise(rows, time="ts", arrived="batch").delays[0]
    Delay(delay=datetime.timedelta(seconds=2), late=0, kept=1.0)
    """

    delay: timedelta
    late: int
    kept: float


@dataclass(frozen=True, repr=False)
class Advice:
    """Delays of a watermark and what they keep of the rows of a table. Made by `advise`; prints as text.

    Attributes
    ----------
    text
        The advice in words.
    rows
        All rows.
    unknown
        Those without an event time or a time of arrival, which are not measured.
    behind
        Those that came when one of a later time had come in an earlier micro-batch.
    delays
        The delays, from the longest to the shortest.

    Examples
    --------
    >>> rows = spark.sql("SELECT id AS batch, timestamp_seconds(id % 3) AS ts FROM range(6)")
    >>> advice = sw.advise(rows, time="ts", arrived="batch")
    >>> (advice.rows, advice.unknown, advice.behind)
    (6, 0, 2)
    """

    text: str
    rows: int
    unknown: int
    behind: int
    delays: tuple[Delay, ...]

    def __repr__(self) -> str:
        """Return the advice in words."""
        return self.text

    def _repr_html_(self) -> str:
        return f"<pre>{escape(self.text)}</pre>"


def advise(
    rows: DataFrame,
    *,
    time: str | Column,
    arrived: str | Column,
    every: Duration = "1 second",
    per_partition: str | Column | None = None,
    keep: Sequence[float] = (0.9, 0.97, 0.99, 0.999, 1.0),
) -> Advice:
    """Measure on a table what delays of the watermark would keep of its rows, in the order of their arrival.

    It is advice: no delay is changed. A row behind the watermark is lost only if its windows are over, so
    that longer windows and an allowed lateness lose fewer. The shares are approximate to a thousandth of a
    percent; the numbers of rows are exact.

    Parameters
    ----------
    rows
        A static DataFrame: a table of raw rows, or a topic of Kafka read with ``spark.read``.
    time
        The event time, a TIMESTAMP.
    arrived
        When a row came: a TIMESTAMP, such as an ingestion time or the append time of Kafka; or a whole
        number, one for each micro-batch.
    every
        Duration of the micro-batches into which times of arrival are divided. Rows of one do not delay each
        other.
    per_partition
        Column with the partition of a row, as for `assign_timestamps_and_watermarks`: the watermark is then
        that of the slowest partition. By default the greatest time of all rows decides.
    keep
        The shares of the rows that delays should keep, from 0 to 1.

    Returns
    -------
    Advice
        Prints as text.

    Raises
    ------
    TypeError
        If an argument is of the wrong type.
    ValueError
        If `every` is not positive, a share is not from 0 to 1, a column is of another type, for a stream, and
        for more than 256 partitions.

    Examples
    --------
    >>> came = [(0, 10), (1, 11), (1, 4), (2, 12), (2, 13)]
    >>> rows = spark.createDataFrame(came, "batch int, second int").selectExpr(
    ...     "batch", "timestamp_seconds(second) AS ts"
    ... )
    >>> sw.advise(rows, time="ts", arrived="batch", keep=[0.8, 1])
    Of 5 rows 1 came behind a later one.
    A delay of 6 s keeps all rows
    A delay of 0 ms keeps 80.00 % of the rows, 1 late, and results come 6 s sooner
    """
    for name, column in (("time", time), ("arrived", arrived), ("per_partition", per_partition)):
        if name != "per_partition" or column is not None:
            check_column(name, column)
    length = duration("every", every)
    if length <= ZERO:
        raise ValueError(f"every must be positive, got {brief(length)}")
    if not isinstance(keep, Sequence) or not all(isinstance(share, (int, float)) for share in keep):
        raise TypeError(f"keep takes a list of shares from 0 to 1, got {keep!r}")
    (made,) = gateway_of(rows).value(
        "advise",
        rows=rows,
        time=as_column(time),
        arrived=as_column(arrived),
        every=length,
        per_partition=None if per_partition is None else as_column(per_partition),
        keep=[float(share) for share in keep],
    )
    return _read(made)


def _read(made: dict[str, Any]) -> Advice:
    delays = [Delay(timedelta(milliseconds=of["delay"]), of["late"], of["kept"]) for of in made.pop("delays")]
    return Advice(**made, delays=tuple(delays))
