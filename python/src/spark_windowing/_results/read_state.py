"""State of a query, read from its checkpoint."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

from spark_windowing._gateway.setup import open_gateway

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession


def read_state(
    spark: SparkSession,
    checkpoint: str | os.PathLike[str],
    *,
    operator_id: int | None = None,
    batch_id: int | None = None,
) -> DataFrame:
    """Read the state of a query from its checkpoint: a row for each key and window.

    It shows why a window has not fired: its contents, its trigger's state, its next timers. The query may be
    running; nothing is changed.

    Parameters
    ----------
    spark
        The session.
    checkpoint
        The checkpointLocation of the query.
    operator_id
        Operator of the query; by default its only window operator.
    batch_id
        Micro-batch to read; by default the last committed one.

    Returns
    -------
    DataFrame
        - ``key``: a struct of the key columns. Without keys (`window_all`) it has one column, ``all``.
        - ``kind``, a string: ``window``; ``slice``, a part of overlapping windows, where those are stored as
          slices (see `explain`); ``key``, state of no window: that of functions, and the timers of a process
          function without windows.
        - ``window``: a struct of the timestamps start and end, the end exclusive; null for the global window
          and for a key.
        - ``elements``, a bigint: the number of elements stored; null if an accumulator is stored.
        - ``contents``, a string: the accumulator as JSON, or the first 100 elements as a JSON array without
          the keys; null if empty. The fields of aggregates are those of Spark's buffers, prefixed with the
          number of the function: ``{"0_count":2,"1_sum":3}``. Opaque bytes of a function, such as
          `collect_list` or a sketch, are ``{"bytes":40}``.
        - ``trigger``, a string: the state of the trigger as JSON, such as ``{"count":2}`` of a count trigger;
          null if empty.
        - ``next_event_timer``, a timestamp: the earliest event-time timer; it fires when Spark's watermark is
          later. Null if there is none.
        - ``next_processing_timer``: the earliest processing-time timer, likewise.
        - ``firings``, a bigint: the number of firings; null in a query without `with_pane`.
        - ``state``, a string: the state of functions by name as JSON; null if there is none. States of
          `ColumnState` are shown with their fields, others as ``{"bytes":8}``.

    Raises
    ------
    TypeError
        If an argument is of the wrong type.
    ValueError
        If the checkpoint has no window operator, none of this number, or several without `operator_id`.
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
    path = os.fspath(checkpoint)
    return open_gateway(spark).frame(
        "read_state", checkpoint=path, operator_id=operator_id, batch_id=batch_id
    )
