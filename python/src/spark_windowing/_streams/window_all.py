"""Windows of all rows of a DataFrame, without keys."""

from __future__ import annotations

from typing import TYPE_CHECKING

from spark_windowing._streams.key_by import key_by

if TYPE_CHECKING:
    from pyspark.sql import Column, DataFrame

    from spark_windowing._builders.assigners import WindowAssigner
    from spark_windowing._builders.durations import Duration
    from spark_windowing._streams.rows import OnMissingTime
    from spark_windowing._streams.windowed import WindowedStream


def window_all(
    df: DataFrame,
    assigner: WindowAssigner,
    *,
    time: str | Column | None = None,
    on_missing_time: OnMissingTime = "late",
) -> WindowedStream[DataFrame]:
    """Assign all rows of a DataFrame to windows, without keys; one task processes them.

    Parameters
    ----------
    df
        The rows.
    assigner
        A window assigner.
    time, on_missing_time
        As in `key_by`.

    Returns
    -------
    WindowedStream
        With the assigner's default trigger.

    Examples
    --------
    >>> sw.window_all(clicks, sw.TumblingEventTimeWindows.of("1 hour"), time="ts").aggregate(
    ...     F.count("*").alias("clicks")
    ... ).columns
    ['window', 'clicks']
    """
    return key_by(df, time=time, on_missing_time=on_missing_time).window(assigner)


def time_window_all(
    df: DataFrame,
    size: Duration,
    slide: Duration | None = None,
    *,
    time: str | Column | None = None,
    on_missing_time: OnMissingTime = "late",
) -> WindowedStream[DataFrame]:
    """Assign all rows of a DataFrame to tumbling or sliding windows by event time, without keys.

    Parameters
    ----------
    df
        The rows.
    size, slide
        As in `KeyedStream.time_window`.
    time, on_missing_time
        As in `key_by`.

    Returns
    -------
    WindowedStream
        Processed by one task.

    Examples
    --------
    >>> sw.time_window_all(clicks, "1 hour", "30 minutes", time="ts").aggregate(
    ...     F.count("*").alias("clicks")
    ... ).columns
    ['window', 'clicks']
    """
    return key_by(df, time=time, on_missing_time=on_missing_time).time_window(size, slide)


def count_window_all(
    df: DataFrame, size: int, slide: int | None = None, *, only_full: bool = False
) -> WindowedStream[DataFrame]:
    """Assign all rows of a DataFrame to windows of `size` rows, without keys.

    Parameters
    ----------
    df
        The rows.
    size, slide, only_full
        As in `KeyedStream.count_window`.

    Returns
    -------
    WindowedStream
        Processed by one task.

    Examples
    --------
    >>> sw.count_window_all(clicks, 100).aggregate(F.count("*").alias("clicks")).columns
    ['window', 'clicks']
    """
    return key_by(df).count_window(size, slide, only_full=only_full)
