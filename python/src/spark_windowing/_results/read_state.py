"""Looking into what a stream remembers."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

from spark_windowing._gateway.gateway import open_gateway

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession


def read_state(
    spark: SparkSession,
    checkpoint: str | os.PathLike[str],
    *,
    operator_id: int | None = None,
    batch_id: int | None = None,
) -> DataFrame:
    """Read what a stream remembers from its checkpoint: a row for each key and window.

    It answers why a window has not fired: is it there, how far is its trigger, which timer is it waiting
    for. The query may run meanwhile, or not; nothing is changed.

    Parameters
    ----------
    spark
        The session.
    checkpoint
        The checkpointLocation of the query.
    operator_id
        Which operator of the query; by default its one window operator.
    batch_id
        As of which micro-batch; by default the last one that was committed.

    Returns
    -------
    DataFrame
        - ``key``: a struct of the key columns. Without keys (`window_all`) it has one column, ``all``.
        - ``kind``, a string: ``window``; ``slice``, a part of overlapping windows, where those are kept as
          slices (`explain` says so); ``key``, what belongs to no window: state of functions, and the timers
          of a process function without windows.
        - ``window``: a struct of the timestamps start and end, the end exclusive; null for the global window
          and for a key.
        - ``elements``, a bigint: how many elements are kept; null where an accumulator is kept.
        - ``contents``, a string: the accumulator as JSON, or the first 100 elements as a JSON array without
          the keys; null if there is nothing. The fields of aggregates are those of Spark's buffers with the
          number of the function in front: ``{"0_count":2,"1_sum":3}``. Bytes that only their function can
          read, of `collect_list` or a sketch for instance, are ``{"bytes":40}``.
        - ``trigger``, a string: what the trigger remembers as JSON, of a count trigger ``{"count":2}``; null
          if that is nothing.
        - ``next_event_timer``, a timestamp: the earliest event-time timer that is set; it fires when Spark's
          watermark is later. Null if there is none.
        - ``next_processing_timer``: the same by the clock.
        - ``firings``, a bigint: how often the window has fired; null in a query without `with_pane`.
        - ``state``, a string: the state of functions by name as JSON; null if there is none. States of
          `ColumnState` are shown with their fields, others as ``{"bytes":8}``.

    Raises
    ------
    TypeError
        If an argument is of another type.
    ValueError
        If the checkpoint has no window operator, none of that number, or several and none is chosen.
    SparkWindowingError
        If the session cannot be used.

    Examples
    --------
    >>> state = sw.read_state(spark, checkpoint)
    >>> state.where("kind = 'window'").select("key.user", "contents", "trigger").show()
    +----+-------------+-----------+
    |user|     contents|    trigger|
    +----+-------------+-----------+
    |   a|{"0_count":2}|{"count":2}|
    +----+-------------+-----------+
    <BLANKLINE>
    """
    if not isinstance(checkpoint, (str, os.PathLike)):
        raise TypeError(f"checkpoint must be the path of a checkpoint, got {checkpoint!r}")
    for name, value in (("operator_id", operator_id), ("batch_id", batch_id)):
        if value is not None and (isinstance(value, bool) or not isinstance(value, int)):
            raise TypeError(f"{name} must be a whole number or None, got {value!r}")
    gateway = open_gateway(spark)
    path = os.fspath(checkpoint)
    return gateway.frame(
        gateway.call(gateway.entry, "stateOf", gateway.spark._jsparkSession, path, operator_id, batch_id)
    )
