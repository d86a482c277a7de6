"""Outputs of a result, and its explanation."""

from __future__ import annotations

from typing import TYPE_CHECKING

from spark_windowing._gateway.setup import gateway_of

if TYPE_CHECKING:
    from pyspark.sql import DataFrame


def side_output(result: DataFrame, tag: str) -> DataFrame:
    """Return a side output of a result.

    On a stream each query runs its own operator, with its own state: to write the main rows and a side
    output, start one query over `all_outputs` with `for_each_output`.

    Parameters
    ----------
    result
        A DataFrame with one window operator in it.
    tag
        The name given to `side_output_late_data`.

    Returns
    -------
    DataFrame
        For late rows: the input's columns, ``late_by_ms`` (watermark - event time), ``missed_window``
        (the newest window the row was assigned, null if none) and ``late_reason``.

    Raises
    ------
    TypeError
        If the tag is no text.
    ValueError
        If the result has no such side output, or not exactly one window operator.

    Examples
    --------
    >>> result = (
    ...     sw.key_by(clicks, "user", time="ts")
    ...     .time_window("5 minutes")
    ...     .side_output_late_data("late")
    ...     .aggregate(F.count("*").alias("clicks"))
    ... )
    >>> sw.side_output(result, "late").columns
    ['user', 'price', 'ts', 'late_by_ms', 'missed_window', 'late_reason']
    """
    if not isinstance(tag, str):
        raise TypeError(f"side_output takes the name of a side output, got {tag!r}")
    return gateway_of(result).frame("side_output", result=result, tag=tag)


def all_outputs(result: DataFrame) -> DataFrame:
    """Return the main rows and all side outputs of a result as one wide DataFrame.

    Parameters
    ----------
    result
        A DataFrame with one window operator in it.

    Returns
    -------
    DataFrame
        A column ``output`` (``main`` or the tag), then one struct column per output: ``main`` and
        one for each tag, null except for the row's own.

    Raises
    ------
    ValueError
        If the result does not have exactly one window operator.

    Examples
    --------
    >>> result = (
    ...     sw.key_by(clicks, "user", time="ts")
    ...     .time_window("5 minutes")
    ...     .side_output_late_data("late")
    ...     .aggregate(F.count("*").alias("clicks"))
    ... )
    >>> sw.all_outputs(result).columns
    ['output', 'main', 'late']
    """
    return gateway_of(result).frame("all_outputs", result=result)


def explain(result: DataFrame) -> None:
    """Print the plan of a result: its declaration and the choices of the planner.

    The line ``path`` describes the pre-aggregation before the exchange, by windows, slices of windows or
    sessions, or the reason for none. ``spark.conf.set("spark.windowing.fastPath", "false")`` before the
    query starts disables it; the results are the same.

    On a stream with a watermark, the line ``fires`` shows whether windows fire in the micro-batch whose rows
    complete them or in the next one, and the reason for the latter. Setting
    ``spark.windowing.watermarkInBatch`` to ``false`` before the query starts selects the next one; the
    results are the same, a micro-batch later.

    Parameters
    ----------
    result
        A DataFrame with one window operator in it.

    Raises
    ------
    ValueError
        If the result does not have exactly one window operator.

    Examples
    --------
    >>> sw.explain(windows.evictor(sw.CountEvictor.of(1)).aggregate(F.count("*")))  # doctest: +ELLIPSIS
    assigner: TumblingEventTimeWindows(10 s)
    trigger: EventTimeTrigger
    evictor: CountEvictor(1)
    ...
    path: row by row, since the evictor needs the elements
    """
    print(gateway_of(result).value("explain", result=result))  # noqa: T201  (as DataFrame.explain does)
