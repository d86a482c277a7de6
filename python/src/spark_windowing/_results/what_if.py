"""Replays of a declaration with other delays, lateness and triggers."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

from spark_windowing._builders.durations import ZERO, Duration, brief, duration
from spark_windowing._builders.triggers import Trigger
from spark_windowing._gateway.setup import gateway_of
from spark_windowing._streams.rows import as_column, check_column
from spark_windowing._streams.transform import Transform

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from datetime import timedelta

    from pyspark.sql import Column, DataFrame

_SCHEMA = (
    "delay string, lateness string, trigger string, rows bigint, lost bigint, untimed bigint, "
    "windows bigint, revised bigint, revisions bigint, first_p50 double, first_p99 double, "
    "last_p50 double, last_p99 double, state_bytes bigint"
)


def what_if(  # noqa: PLR0913  (of the eight five are by name and have a default)
    declaration: Transform,
    rows: DataFrame,
    *,
    arrived: str | Column,
    every: Duration = "1 second",
    per_partition: str | Column | None = None,
    delay: Sequence[Duration] = ("0 seconds",),
    lateness: Sequence[Duration] | None = None,
    trigger: Sequence[Trigger] | None = None,
) -> DataFrame:
    """Replay a declaration on rows in the order of their arrival, with other delays, lateness and triggers.

    The operator gets the rows of each key in micro-batches of their arrival, with the watermark that all rows
    have made by then. Windows fire in the micro-batch whose rows complete them, at the time at which it ends;
    windows that no row completes do not fire. It is advice: no query is changed.

    Parameters
    ----------
    declaration
        Windows and their function without a DataFrame, made by `keyed`.
    rows
        A static DataFrame: a table of raw rows, or a topic of Kafka read with ``spark.read``.
    arrived
        When a row came: a TIMESTAMP, such as an ingestion time or the append time of Kafka; or a whole
        number, one for each micro-batch. Rows without one are left out.
    every
        Duration of the micro-batches into which times of arrival are divided.
    per_partition
        Column with the partition of a row, as for `assign_timestamps_and_watermarks`: the watermark is then
        that of the slowest partition. By default the greatest time of all rows decides.
    delay
        Delays of the watermark.
    lateness
        Allowed lateness of each variant, in place of that of the declaration.
    trigger
        Triggers, in place of that of the declaration.

    Returns
    -------
    DataFrame
        A row for each delay, lateness and trigger: ``rows``; how many of them were ``lost``, that is late for
        all of their windows, or ``untimed``, without event time; how many ``windows`` fired, how many of them
        more than once (``revised``), and the firings behind their first (``revisions``); seconds from the end
        of a window to its first and its last firing, the median and that of 99 of 100 windows (``first_p50``,
        ``first_p99``, ``last_p50``, ``last_p99``; null if `arrived` is a number; approximate to a thousandth
        of the windows); and the bytes of the states of all keys together when that was most
        (``state_bytes``).

    Raises
    ------
    TypeError
        If an argument is of the wrong type.
    ValueError
        If `every` is not positive, a duration is negative, a column is of another type; for a stream, several
        inputs, windows of several names, windows by processing time, and more than a million micro-batches.

    Examples
    --------
    >>> came = [(0, 1), (1, 9), (2, 4), (3, 12), (4, 8), (5, 31)]
    >>> rows = spark.createDataFrame(came, "batch int, second int").selectExpr(
    ...     "batch", "timestamp_seconds(second) AS ts"
    ... )
    >>> counts = sw.keyed(time="ts").time_window("10 seconds").aggregate(F.count("*").alias("n"))
    >>> variants = sw.what_if(counts, rows, arrived="batch", delay=["0 seconds", "5 seconds"])
    >>> [(row.delay, row.lost, row.windows) for row in variants.collect()]
    [('0 ms', 1, 2), ('5 s', 0, 2)]
    """
    if not isinstance(declaration, Transform) or declaration._windows is None:
        raise TypeError(
            "what_if takes windows and their function without a DataFrame, such as "
            'sw.keyed("user", time="ts").time_window("1 hour").aggregate(F.count("*").alias("n")), '
            f"got {declaration!r}"
        )
    check_column("arrived", arrived)
    if per_partition is not None:
        check_column("per_partition", per_partition)
    length = duration("every", every)
    if length <= ZERO:
        raise ValueError(f"every must be positive, got {brief(length)}")
    delays = _durations("delay", delay)
    gateway = gateway_of(rows)
    found = []
    for variant in _variants(declaration, lateness, trigger):
        windows: Any = variant._windows
        outcomes = gateway.value(
            "what_if",
            result=variant(rows),
            arrived=as_column(arrived),
            every=length,
            delays=delays,
            per_partition=None if per_partition is None else as_column(per_partition),
        )
        named = (
            brief(windows.allowed_lateness or ZERO),
            "default" if windows.trigger is None else repr(windows.trigger),
        )
        found += [_row(of, named, outcome) for of, outcome in zip(delays, outcomes, strict=True)]
    return rows.sparkSession.createDataFrame(found, _SCHEMA)


def _variants(
    declaration: Transform, lateness: Sequence[Duration] | None, trigger: Sequence[Trigger] | None
) -> Iterator[Transform]:
    windows: Any = declaration._windows
    latenesses = [windows.allowed_lateness] if lateness is None else _durations("lateness", lateness)
    if trigger is not None and not all(isinstance(of, Trigger) for of in _listed("trigger", trigger)):
        raise TypeError(
            f"trigger takes a list of triggers, such as [sw.CountTrigger.of(100)], got {trigger!r}"
        )
    for of in [windows.trigger] if trigger is None else trigger:
        for late in latenesses:
            yield replace(declaration, _windows=replace(windows, trigger=of, allowed_lateness=late))


def _durations(name: str, values: Sequence[Duration]) -> list[timedelta]:
    durations = [duration(name, value) for value in _listed(name, values)]
    for value in durations:
        if value < ZERO:
            raise ValueError(f"{name} must not be negative, got {brief(value)}")
    return durations


def _listed(name: str, values: Any) -> Sequence[Any]:
    if not isinstance(values, (list, tuple)) or not values:
        raise TypeError(f"{name} takes a list of one or more, got {values!r}")
    return values


def _row(delay: timedelta, named: tuple[str, str], outcome: dict[str, Any]) -> tuple[object, ...]:
    counts = [outcome[name] for name in ("rows", "lost", "untimed", "windows", "revised", "revisions")]
    waits = [ms / 1000 for ms in (*outcome["first"], *outcome["last"])] or [None] * 4
    return (brief(delay), *named, *counts, *waits, outcome["state_bytes"])
