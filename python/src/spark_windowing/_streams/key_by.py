"""The first steps of a declaration: keys and event time."""

from __future__ import annotations

from typing import TYPE_CHECKING

from spark_windowing._gateway.setup import gateway_of
from spark_windowing._streams.keyed import KeyedStream
from spark_windowing._streams.rows import KeyedRows, OnMissingTime

if TYPE_CHECKING:
    from pyspark.sql import Column, DataFrame

    from spark_windowing._streams.transform import Transform


def key_by(
    df: DataFrame,
    *keys: str | Column | list[str | Column],
    time: str | Column | None = None,
    on_missing_time: OnMissingTime = "late",
) -> KeyedStream[DataFrame]:
    """Key a DataFrame, streaming or static: the first step of a declaration.

    Parameters
    ----------
    df
        The rows.
    keys
        Names or Columns, also as one list; an alias names the key in the result. Without keys all rows
        share one window, as with `window_all`.
    time
        The event time, a TIMESTAMP column; by default the column with a watermark. On a static DataFrame a
        TIMESTAMP_NTZ too: the bounds of its windows have no time zone either.
    on_missing_time
        Treatment of rows with a null event time: ``"late"`` sends them to the late side output (drops and
        counts them if there is none), ``"drop"`` drops and counts them, ``"fail"`` fails the query.

    Returns
    -------
    KeyedStream
        Call `window` on it.

    Raises
    ------
    SparkWindowingError
        If the session cannot be used: stopped, unsupported Spark, no jar, a server without the plugin.
    TypeError, ValueError
        For a bad argument.

    Examples
    --------
    >>> result = (
    ...     sw.key_by(clicks, "user", time="ts")
    ...     .window(sw.TumblingEventTimeWindows.of("5 minutes"))
    ...     .aggregate(F.count("*").alias("clicks"))
    ... )
    >>> result.columns
    ['user', 'window', 'clicks']
    """
    gateway = gateway_of(df)
    stream: KeyedStream[DataFrame] = KeyedStream(KeyedRows(df, _flatten(keys), time, on_missing_time))
    return stream._resolved(gateway)


def keyed(
    *keys: str | Column | list[str | Column],
    time: str | Column | None = None,
    on_missing_time: OnMissingTime = "late",
) -> KeyedStream[Transform]:
    """Begin a declaration without its DataFrame, for ``DataFrame.transform``.

    The steps are those of `key_by`. What needs the rows is checked when ``transform`` calls the end of the
    chain with a DataFrame.

    Parameters
    ----------
    keys, time, on_missing_time
        As in `key_by`.

    Returns
    -------
    KeyedStream
        Call ``window`` on it, then what a `WindowedStream` has. The last call, such as ``aggregate``, gives a
        `Transform`.

    Examples
    --------
    >>> clicks.where("price > 3").transform(
    ...     sw.keyed("user", time="ts")
    ...     .window(sw.TumblingEventTimeWindows.of("10 seconds"))
    ...     .aggregate(F.count("*").alias("clicks"))
    ... ).columns
    ['user', 'window', 'clicks']
    """
    return KeyedStream(KeyedRows(None, _flatten(keys), time, on_missing_time))


def _flatten(keys: tuple[str | Column | list[str | Column], ...]) -> tuple[str | Column, ...]:
    if len(keys) == 1 and isinstance(keys[0], (list, tuple)):
        return tuple(keys[0])
    flat: list[str | Column] = []
    for key in keys:
        if isinstance(key, (list, tuple)):
            raise TypeError(f"keys are names or Columns, or one list of them, got {key!r} among others")
        flat.append(key)
    return tuple(flat)
