"""A ``foreachBatch`` function that calls a function for each output of a result."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING

from spark_windowing._gateway.pickling import by_value

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from pyspark.sql import DataFrame

    Handler = Callable[[DataFrame, int], object]

MAIN = "main"
_TAG = "output"


def for_each_output(
    handlers: Mapping[str, Handler] | None = None, /, **named: Handler
) -> Callable[[DataFrame, int], None]:
    """Make a ``foreachBatch`` function for `all_outputs` that calls a function for each output.

    The micro-batch is computed once, and persisted until the functions have returned or one has failed.
    Outputs without a function are computed and dropped.

    Parameters
    ----------
    handlers
        The functions by output: ``"main"`` or a tag. Needed for tags that are no Python names.
    **named
        The functions as keyword arguments. Each is called with the rows of its output, a DataFrame, and the
        number of the micro-batch, in the given order.

    Returns
    -------
    function
        ``(DataFrame, int) -> None``

    Raises
    ------
    TypeError
        If a value is no function.
    ValueError
        If there is no function, or two for one output; in the query, if there is no such output.

    Examples
    --------
    >>> write = sw.for_each_output(
    ...     main=lambda rows, batch: rows.write.saveAsTable("clicks", mode="append"),
    ...     late=lambda rows, batch: rows.write.saveAsTable("late_clicks", mode="append"),
    ... )
    >>> windows = sw.key_by(stream, "user").time_window("5 minutes").side_output_late_data("late")
    >>> result = windows.aggregate(F.count("*").alias("clicks"))
    >>> writer = sw.all_outputs(result).writeStream.foreachBatch(write)
    """
    chosen = _merge(dict(handlers or {}), named)
    by_value(sys.modules[__name__])  # a server of Spark Connect calls it in a process without this package

    def hand_on(batch: DataFrame, batch_id: int) -> None:
        _check_outputs(chosen, batch)
        kept = batch.persist()
        try:
            kept.count()  # computes every partition, which stores the state
            for output, handler in chosen.items():
                handler(_rows_of(kept, output), batch_id)
        finally:
            kept.unpersist()

    return hand_on


def _merge(handlers: dict[str, Handler], named: dict[str, Handler]) -> dict[str, Handler]:
    if twice := sorted(set(handlers) & set(named)):
        raise ValueError(f"for_each_output got two functions for {', '.join(twice)}")
    chosen = {**handlers, **named}
    if not chosen:
        raise ValueError("for_each_output needs a function: for_each_output(main=write, late=keep)")
    for output, handler in chosen.items():
        if not callable(handler):
            raise TypeError(
                f"for_each_output: {output} must be a function of (DataFrame, batch id), got {handler!r}"
            )
    return chosen


def _check_outputs(chosen: dict[str, Handler], batch: DataFrame) -> None:
    if _TAG not in batch.columns or MAIN not in batch.columns:
        raise ValueError(
            "for_each_output works on sw.all_outputs(result): "
            "sw.all_outputs(result).writeStream.foreachBatch(sw.for_each_output(main=write))"
        )
    outputs = [column for column in batch.columns if column != _TAG]
    if unknown := [output for output in chosen if output not in outputs]:
        raise ValueError(f"no output {', '.join(unknown)}; the outputs are {', '.join(outputs)}")


def _rows_of(batch: DataFrame, output: str) -> DataFrame:
    from pyspark.sql import functions as F

    quoted = output.replace("`", "``")
    return batch.where(F.col(_TAG) == F.lit(output)).select(f"`{quoted}`.*")
