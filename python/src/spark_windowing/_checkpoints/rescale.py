"""Checkpoint with another number of partitions."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from spark_windowing._checkpoints.paths import checkpoint_path
from spark_windowing._gateway.setup import open_gateway

if TYPE_CHECKING:
    import os

    from pyspark.sql import SparkSession


@dataclass(frozen=True)
class RescaledOperator:
    """Operator of a query as `rescale` has written its state.

    Attributes
    ----------
    operator_id
        Number of the operator in its query.
    before
        Partitions of its state in the old checkpoint.
    partitions
        Those in the new one.
    rows
        Rows of the state store: keys, and the pieces of large ones.
    size
        Bytes of these rows.
    checksum
        The sum of a hash of each row, the same for both checkpoints.

    Examples
    --------
    >>> sw.RescaledOperator(operator_id=0, before=2, partitions=8, rows=1, size=120, checksum=7).partitions
    8
    """

    operator_id: int
    before: int
    partitions: int
    rows: int
    size: int
    checksum: int


def rescale(
    spark: SparkSession,
    checkpoint: str | os.PathLike[str],
    to: str | os.PathLike[str],
    partitions: int,
) -> list[RescaledOperator]:
    """Write the checkpoint of a stopped query anew, with another number of partitions of its state.

    The old checkpoint stays as it is. Start the query with the new one: it goes on with its windows, timers,
    watermark and offsets. It has a query id of its own, and its next micro-batch has the number that it would
    have had. Both states are read and compared at the end; a query refuses a new checkpoint that is not
    complete. Spark's progress bar shows the jobs.

    Parameters
    ----------
    spark
        The session. The state store and its settings are those of the checkpoint.
    checkpoint
        The checkpointLocation of the query.
    to
        Folder of the new checkpoint, which is empty or does not exist.
    partitions
        Number of partitions, 1 or more: the query's ``spark.sql.shuffle.partitions`` from then on.

    Returns
    -------
    list of RescaledOperator
        Window operators of the query, with what was written of each.

    Raises
    ------
    TypeError
        If an argument is of the wrong type.
    ValueError
        If the number is less than 1, the query runs in this application, has stopped within a micro-batch or
        goes on meanwhile, `to` is not empty, or the query has other operators with state, or none with
        windows.
    SparkWindowingError
        If the session cannot be used.
    Py4JJavaError
        If a job fails; of Spark Connect, its error. `to` then stays half-written, and can be deleted.

    Examples
    --------
    >>> [operator] = sw.rescale(spark, checkpoint, rescaled, 8)
    >>> operator.before, operator.partitions, operator.rows
    (2, 8, 1)
    """
    paths = {"checkpoint": checkpoint_path("checkpoint", checkpoint), "to": checkpoint_path("to", to)}
    if isinstance(partitions, bool) or not isinstance(partitions, int):
        raise TypeError(f"partitions must be a whole number, got {partitions!r}")
    written = open_gateway(spark).value("rescale", **paths, partitions=partitions)
    return [RescaledOperator(**operator) for operator in written]
