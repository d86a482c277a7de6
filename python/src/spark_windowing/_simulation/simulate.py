"""Simulation of a declaration, without a streaming query."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

from spark_windowing._gateway.setup import gateway_of
from spark_windowing._simulation.collect import collect
from spark_windowing._simulation.inputs import Inputs
from spark_windowing._simulation.run import Replay
from spark_windowing._simulation.steps import Batch, Element, OfInput, Step, Timed
from spark_windowing._simulation.times import micros_of
from spark_windowing._streams.process import python_function_of
from spark_windowing._streams.watermarks import WatermarkStrategy, checked

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from pyspark.sql import DataFrame

    from spark_windowing._gateway.gateway import Gateway
    from spark_windowing._simulation.run import Run


def simulate(result: DataFrame, steps: Sequence[Step], *, watermarks: WatermarkStrategy | None = None) -> Run:
    """Run a declaration step by step, as a streaming query does, at chosen times.

    Watermark and processing time start unset. The watermark of a step is Flink's: a timer at t fires at a
    watermark of t or later. Without a strategy `sim.watermark` advances it. With a strategy rows advance it,
    as in Flink: each input has a generator, which `sim.probe`, and `sim.batch` at its end, query, and the
    slowest input that is not idle decides. `sim.end` ends all input, with and without a strategy.

    Parameters
    ----------
    result
        The result of ``aggregate``, on a streaming or a static DataFrame. The event time must not be a
        TIMESTAMP_NTZ.
    steps
        Made with the functions of `spark_windowing.sim`.
    watermarks
        The watermark strategy, applied to each input. Its timestamp assigner sets the event times of rows,
        also in the column that `key_by` takes as event time.

    Returns
    -------
    Run
        ``steps[i].main`` and so on; ``show()`` prints it, ``plot()`` draws it.

    Raises
    ------
    TypeError
        If a step or a value is of the wrong type.
    ValueError
        If a row names a column that does not exist, a time cannot be read, a row has no event time under
        ``on_missing_time="fail"``, or the result is not what ``aggregate`` returned. For `sim.watermark`
        with a strategy; for `sim.probe`, `sim.idle`, `sim.active` and several inputs without one; for rows
        and other input after `sim.end`.

    Examples
    --------
    >>> from spark_windowing import sim
    >>> result = (
    ...     sw.key_by(clicks, "user", time="ts")
    ...     .time_window("10 seconds")
    ...     .aggregate(F.sum("price").alias("spent"))
    ... )
    >>> run = sw.simulate(
    ...     result,
    ...     [
    ...         sim.element(user="a", price=3, ts=2000),
    ...         sim.element(user="a", price=4, ts=9999),
    ...         sim.watermark(9999),
    ...     ],
    ... )
    >>> run.steps[2].main[0].spent
    7

    Watermarks of the rows:

    >>> strategy = sw.WatermarkStrategy.for_bounded_out_of_orderness("5 seconds")
    >>> run = sw.simulate(
    ...     result, [sim.element(user="a", price=3, ts=15_000), sim.probe(0)], watermarks=strategy
    ... )
    >>> run.steps[1].watermark
    9999
    """
    if watermarks is not None:
        checked(watermarks)
    gateway = gateway_of(result)
    steps = list(steps)
    for i, step in enumerate(steps):
        if not isinstance(step, Step):
            raise TypeError(f"step {i} must be made by a function of spark_windowing.sim, got {step!r}")
    events = list(_flat(steps))
    elements = [event for event in events if isinstance(event, Element)]
    inputs = Inputs.of(gateway, result)
    # A join has inputs without a strategy too: they only say what a row is.
    counted = watermarks is not None or not inputs.names
    message: dict[str, Any] = {
        "result": result,
        "elements": inputs.elements(elements),
        "kinds": [event.name for event in events],
        "values": _values(gateway, events, inputs),
        "inputs": [
            inputs.number(event.input) if isinstance(event, Element) and counted else 0 for event in events
        ],
        "watermarks": watermarks,
    }
    everything = gateway.frame("simulate", **message)
    run = collect(gateway, everything, steps, python_function_of(gateway, result))
    return replace(run, ask=Replay(gateway, message))


def _flat(steps: list[Step]) -> Iterator[Step]:
    for step in steps:
        yield step
        if isinstance(step, Batch):
            yield from step.steps


def _values(gateway: Gateway, events: list[Step], inputs: Inputs) -> list[int]:
    moments = iter(micros_of(gateway.spark, [event.time for event in events if isinstance(event, Timed)]))
    rows = 0
    values = []
    for event in events:
        if isinstance(event, Element):
            values.append(rows)
            rows += 1
        elif isinstance(event, Timed):
            values.append(next(moments) // 1000)
        elif isinstance(event, OfInput):
            values.append(inputs.number(event.input))
        else:
            values.append(len(event.steps) if isinstance(event, Batch) else 0)
    return values
