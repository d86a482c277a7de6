"""Answers why a row or a window is in the results, or not."""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import dataclass
from html import escape
from typing import TYPE_CHECKING, Any

from spark_windowing._gateway.setup import gateway_of
from spark_windowing._simulation.inputs import Inputs
from spark_windowing._simulation.run import Run
from spark_windowing._simulation.steps import Batch, Element
from spark_windowing._simulation.times import micros_of, window_of

if TYPE_CHECKING:
    from pyspark.sql import Column, DataFrame, Row, SparkSession

    from spark_windowing._gateway.gateway import Gateway
    from spark_windowing._simulation.steps import Time

_BOUNDS = 2  # start and end


@dataclass(frozen=True)
class WhyFiring:
    """Firing of a window.

    Attributes
    ----------
    step
        The number of its step; 0 of a static DataFrame.
    timing
        ``early``, ``on_time`` or ``late``, as of `with_pane`.
    is_certain
        False if a trigger may have purged the row before, or an evictor may have removed it.
    """

    step: int
    timing: str
    is_certain: bool


@dataclass(frozen=True)
class WhyWindow:
    """Fate of a window.

    Attributes
    ----------
    window
        The window; None for the global window.
    state
        ``missed`` if it was cleaned up before the row came, ``open``, ``cleared``, ``none`` if no row that
        was taken belongs to it, or of a checkpoint ``unknown``.
    firings
        Its firings since the row came.
    waits_for
        What an open window waits for; None for others.
    """

    window: Row | None
    state: str
    firings: tuple[WhyFiring, ...]
    waits_for: str | None


@dataclass(frozen=True, repr=False)
class Why:
    """Answer why a row or a window is in the results, or not. Made by `why`; it prints as text.

    Attributes
    ----------
    text
        The answer in words.
    time
        The event time of the row in epoch milliseconds; None if it has none, and for a window.
    watermark
        The watermark at which the row came, likewise; None before the first, and for a window.
    late
        Why no window took the row, ``late`` or ``no event time``; None if one did.
    late_by
        Milliseconds from the event time to the watermark, of a late row.
    windows
        The windows of the row, or the window that was asked for.
    """

    text: str
    time: int | None
    watermark: int | None
    late: str | None
    late_by: int | None
    windows: tuple[WhyWindow, ...]

    def __repr__(self) -> str:
        """Return the answer in words."""
        return self.text

    def _repr_html_(self) -> str:
        return f"<pre>{escape(self.text)}</pre>"


def why(
    of: DataFrame | Run,
    row: int | Element | Column | str | Mapping[str, object] | Row | None = None,
    *,
    key: object = None,
    window: tuple[Time, Time] | Row | None = None,
    checkpoint: str | os.PathLike[str] | None = None,
    operator_id: int | None = None,
) -> Why:
    """Answer why a row or a window is in the results, or not.

    For a row: its windows, the firings that had it, why it was late and by how much, and with which lateness
    it would have been taken. For each open window: what it waits for, and which input holds the watermark
    back.

    Parameters
    ----------
    of
        A run of `simulate`; or the result of ``aggregate`` on a static DataFrame, whose rows of the key are
        read again, to the driver; or with `checkpoint` that of a stream.
    row
        Of a run the number of the step with the row, or the row as given to `simulate`. Of a static
        DataFrame a row of the input, its values by the names of columns, or a condition as a Column or SQL.
    key
        In place of a row the key of a window: a value, or a tuple of them; None without keys.
    window
        Start and end of the window, or the window of a result; None for the global window.
    checkpoint
        The checkpointLocation of a query, which may be running. The row is given as to `simulate` or by the
        values of its columns. A window is then ``open``, ``cleared`` or ``unknown``: what has fired is not
        kept in a checkpoint.
    operator_id
        Operator of the query, as for `read_state`.

    Returns
    -------
    Why
        Prints as text.

    Raises
    ------
    TypeError
        If an argument is of the wrong type, or both a row and a window are given.
    ValueError
        If there is no such row, or there are several different ones; for a stream, and a result that is not
        what ``aggregate`` returned.

    Examples
    --------
    >>> from spark_windowing import sim
    >>> result = sw.key_by(clicks, "user", time="ts").time_window("10 seconds").aggregate(F.count("*"))
    >>> late = sim.element(user="a", price=4, ts=9000)
    >>> run = sw.simulate(result, [sim.element(user="a", price=3, ts=2000), sim.watermark(9999), late])
    >>> sw.why(run, late).late_by
    999
    >>> [(of.state, of.firings) for of in sw.why(run, 0).windows]
    [('cleared', (WhyFiring(step=1, timing='on_time', is_certain=True),))]
    """
    from pyspark.sql import DataFrame

    if not isinstance(of, (Run, DataFrame)):
        raise TypeError(f"why takes a run of simulate or the result of a static DataFrame, got {of!r}")
    if checkpoint is not None:
        if not isinstance(of, DataFrame) or key is not None or window is not None:
            raise TypeError(
                "a checkpoint is asked for a row of its query: sw.why(result, row, checkpoint=..)"
            )
        return _in_checkpoint(of, row, os.fspath(checkpoint), operator_id)
    if operator_id is not None:
        raise TypeError(
            "operator_id is that of a query, by its checkpoint: sw.why(result, row, checkpoint=..)"
        )
    if row is not None and (key is not None or window is not None):
        raise TypeError("why takes a row, or the key and the window, not both")
    if isinstance(of, Run):
        if of.ask is None:
            raise TypeError("why takes a run as simulate gave it back")
        asked = {"element": _element(of, row)} if row is not None else _window(of.ask.spark, key, window)
        return _read(of.ask.value(asked))
    gateway = gateway_of(of)
    asked = _row(gateway, of, row) if row is not None else _window(gateway.spark, key, window)
    return _read(gateway.value("why_static", result=of, asked=asked))


def _in_checkpoint(result: DataFrame, row: object, checkpoint: str, operator_id: int | None) -> Why:
    if isinstance(row, Mapping):
        row = Element(tuple(row.items()), 0)
    if not isinstance(row, Element):
        raise TypeError(
            'the row of a stream is its values, {"user": "ann", "ts": ..}, or a sim.element(..), '
            f"got {row!r}"
        )
    gateway = gateway_of(result)
    frame = Inputs.of(gateway, result).elements([row])
    answer = gateway.value(
        "why_in_checkpoint", result=result, checkpoint=checkpoint, operator_id=operator_id, element=frame
    )
    return _read(answer)


def _element(run: Run, row: object) -> int:
    """Return the number of an element among those of a run."""
    numbered: list[tuple[int, Element]] = []
    for number, result in enumerate(run.steps):
        within = result.step.steps if isinstance(result.step, Batch) else (result.step,)
        numbered += [(number, step) for step in within if isinstance(step, Element)]
    if isinstance(row, Element):
        found = [i for i, (_, step) in enumerate(numbered) if step is row]
        found = found or [i for i, (_, step) in enumerate(numbered) if step == row]
    elif isinstance(row, int) and not isinstance(row, bool):
        found = [i for i, (number, _) in enumerate(numbered) if number == row]
        if len(found) > 1:
            raise ValueError(
                f"step {row} has {len(found)} rows: give the row as in simulate, sim.element(..)"
            )
    else:
        raise TypeError(f"the row of a run is the number of its step or a sim.element(..), got {row!r}")
    if not found:
        raise ValueError(f"the run has no such row: {row!r}")
    if len(found) > 1:
        steps = [numbered[i][0] for i in found]
        raise ValueError(f"the row came in the steps {steps}: give the number of one, {steps[0]}")
    return found[0]


def _row(gateway: Gateway, result: DataFrame, row: object) -> dict[str, Any]:
    """Return the row of a static DataFrame, by a condition or by its values."""
    from pyspark.sql import Column, Row
    from pyspark.sql import functions as F

    if isinstance(row, (Column, str)):
        return {"row": F.expr(row) if isinstance(row, str) else row}
    values = row.asDict() if isinstance(row, Row) else row
    if not isinstance(values, Mapping) or not values:
        raise TypeError(
            'the row of a DataFrame is its values, {"user": "ann"}, or a condition, '
            f"\"user = 'ann'\", got {row!r}"
        )
    element = Inputs.of(gateway, result).elements([Element(tuple(values.items()), 0)])
    return {"element": element, "columns": list(values)}


def _window(spark: SparkSession, key: object, window: object) -> dict[str, Any]:
    from pyspark.sql import functions as F

    values = () if key is None else key if isinstance(key, tuple) else (key,)
    asked: dict[str, Any] = {}
    if values:
        asked["key"] = F.struct(*[F.lit(value).alias(f"_{i}") for i, value in enumerate(values)])
    if window is not None:
        if not isinstance(window, tuple) or len(window) != _BOUNDS:
            raise TypeError(f"window is start and end, a tuple of two times, got {window!r}")
        start, end = micros_of(spark, window)
        asked.update(start=start // 1000, end=end // 1000)
    return asked


def _read(answer: list[dict[str, Any]]) -> Why:
    (made,) = answer
    windows = tuple(
        WhyWindow(
            None if of["bounds"] is None else window_of(*of["bounds"]),
            of["state"],
            tuple(WhyFiring(**firing) for firing in of["firings"]),
            of["waits_for"],
        )
        for of in made.pop("windows")
    )
    return Why(**made, windows=windows)
