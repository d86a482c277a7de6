"""Advice on the delay of a watermark."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import timedelta
from html import escape
from typing import TYPE_CHECKING, Any, cast

from spark_windowing._builders.durations import ZERO, Duration, brief, duration
from spark_windowing._gateway.setup import gateway_of, open_gateway
from spark_windowing._gateway.spark_session import active_session, is_query
from spark_windowing._streams.rows import as_column, check_column

if TYPE_CHECKING:
    from pyspark.sql import Column, DataFrame
    from pyspark.sql.streaming.query import StreamingQuery


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
    """Delays of a watermark and what they keep of the rows of a table or a query. Made by `advise`.

    It prints as text.

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
    rows: DataFrame | StreamingQuery,
    *,
    time: str | Column | None = None,
    arrived: str | Column | None = None,
    every: Duration = "1 second",
    per_partition: str | Column | None = None,
    keep: Sequence[float] = (0.9, 0.97, 0.99, 0.999, 1.0),
) -> Advice:
    """Measure what delays of the watermark would keep, of the rows of a table or of those a query has taken.

    It is advice: no delay is changed. A row behind the watermark is lost only if its windows are over, so
    that longer windows and an allowed lateness lose fewer. The numbers of rows are exact. Of a table the
    shares are approximate to a thousandth of a percent. A query counts its rows in buckets up to 1 second,
    2 seconds, 4 seconds and so on, to six days: a delay is the upper bound of one, so that a little more
    than half of it may keep as many rows.

    Parameters
    ----------
    rows
        A static DataFrame: a table of raw rows, or a topic of Kafka read with ``spark.read``. Or a query
        with windows and one watermark, running or ended: its rows in the micro-batches of
        ``query.recentProgress`` count, the last 100 by default. The arguments but `keep` are for tables.
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
        If `every` is not positive, a share is not from 0 to 1, a column is of another type, for a stream, for
        more than 256 partitions, and for a query that has measured no rows.

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
    if not isinstance(keep, Sequence) or not all(isinstance(share, (int, float)) for share in keep):
        raise TypeError(f"keep takes a list of shares from 0 to 1, got {keep!r}")
    columns = {"time": time, "arrived": arrived, "per_partition": per_partition}
    if is_query(rows):
        given = [name for name, column in columns.items() if column is not None]
        if given:
            raise TypeError(
                f"{given[0]} is a column of a table, and a query has measured its rows: leave it out"
            )
        return _of_query(rows, keep)
    for name, column in columns.items():
        if name != "per_partition" or column is not None:
            check_column(name, column)
    length = duration("every", every)
    if length <= ZERO:
        raise ValueError(f"every must be positive, got {brief(length)}")
    (made,) = gateway_of(cast("DataFrame", rows)).value(
        "advise",
        rows=rows,
        time=as_column(cast("str | Column", time)),
        arrived=as_column(cast("str | Column", arrived)),
        every=length,
        per_partition=None if per_partition is None else as_column(per_partition),
        keep=[float(share) for share in keep],
    )
    return _read(made)


def _of_query(query: Any, keep: Sequence[float]) -> Advice:
    operators = [of for progress in query.recentProgress for of in progress["stateOperators"]]
    (made,) = open_gateway(active_session()).value(
        "advise_query",
        metrics=[dict(of["customMetrics"]) for of in operators],
        keep=[float(share) for share in keep],
    )
    return _read(made)


def _read(made: dict[str, Any]) -> Advice:
    delays = [Delay(timedelta(milliseconds=of["delay"]), of["late"], of["kept"]) for of in made.pop("delays")]
    return Advice(**made, delays=tuple(delays))
