"""Checkpoint for a changed query."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from spark_windowing._checkpoints.paths import checkpoint_path
from spark_windowing._gateway.setup import gateway_of

if TYPE_CHECKING:
    import os

    from pyspark.sql import DataFrame

_NEW = -1


@dataclass(frozen=True)
class MigratedOperator:
    """Operator of a query as `migrate` has written its state.

    Attributes
    ----------
    operator_id
        Number of the operator in its query.
    rows
        Rows of the state store: keys, and the pieces of large ones.
    size
        Bytes of these rows.
    added
        Aggregate functions that begin empty in the windows that are open.
    dropped
        Aggregate functions whose values are no more.

    Examples
    --------
    >>> sw.MigratedOperator(operator_id=0, rows=1, size=120, added=("max(`price#0`)",), dropped=()).added
    ('max(`price#0`)',)
    """

    operator_id: int
    rows: int
    size: int
    added: tuple[str, ...]
    dropped: tuple[str, ...]


def migrate(
    checkpoint: str | os.PathLike[str],
    result: DataFrame,
    to: str | os.PathLike[str],
    *,
    sources: Sequence[int | None] | None = None,
) -> list[MigratedOperator]:
    """Write the checkpoint of a stopped query anew for a changed one.

    The old checkpoint stays as it is. Start the changed query with the new one. Aggregates that stay go on,
    whatever was added to them or dropped, in whatever order: one that is new begins empty in the windows that
    are open. The offsets of sources that stay go on; a new source begins as in a new query. The query on the
    new checkpoint has an id of its own.

    Parameters
    ----------
    checkpoint
        The checkpointLocation of the old query.
    result
        The result of the changed query, on its streams.
    to
        Folder of the new checkpoint, which is empty or does not exist.
    sources
        For each source of the changed query, in the order of its plan, the number that it has in the
        checkpoint, from 0 on, or None if it is new. By default that is found out: it can be where the streams
        stay, and at most ``with_clock`` or ``with_idleness`` is added or taken away.

    Returns
    -------
    list of MigratedOperator
        Window operators of the query, with what was written of each.

    Raises
    ------
    TypeError
        If an argument is of the wrong type.
    ValueError
        As `rescale`; if no state is right for the changed query; or if it cannot be told which source is
        which.
    SparkWindowingError
        If the session cannot be used.
    Py4JJavaError
        If a job fails; of Spark Connect, its error. `to` then stays half-written, and can be deleted.

    Examples
    --------
    >>> sw.migrate("/data/old", clicks, "/data/new")
    Traceback (most recent call last):
    ValueError: migrate takes the result of windows on a stream, as aggregate(..) gave it back
    """
    written = gateway_of(result).value(
        "migrate",
        checkpoint=checkpoint_path("checkpoint", checkpoint),
        result=result,
        to=checkpoint_path("to", to),
        sources=_numbers(sources),
    )
    return [
        MigratedOperator(
            **{**operator, "added": tuple(operator["added"]), "dropped": tuple(operator["dropped"])}
        )
        for operator in written
    ]


def _numbers(sources: Sequence[int | None] | None) -> list[int] | None:
    if sources is None:
        return None

    def is_place(value: object) -> bool:
        return value is None or (isinstance(value, int) and not isinstance(value, bool) and value >= 0)

    if (
        isinstance(sources, (str, bytes))
        or not isinstance(sources, Sequence)
        or not all(map(is_place, sources))
    ):
        raise TypeError(f"sources must be a list of numbers from 0 on and None, got {sources!r}")
    return [_NEW if value is None else value for value in sources]
