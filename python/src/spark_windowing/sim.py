"""Steps for `spark_windowing.simulate`: rows, watermarks, processing time, a restart.

With ``watermarks=strategy`` rows belong to inputs, and `probe`, `idle` and `active` replace `watermark`.
`end` ends all input, with and without a strategy.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from spark_windowing._simulation.run import Event, Run, StepResult
from spark_windowing._simulation.steps import (
    Active,
    Batch,
    Element,
    End,
    Idle,
    Probe,
    ProcessingTime,
    SnapshotRestore,
    Step,
    Time,
    Watermark,
)
from spark_windowing._simulation.why import Why, WhyFiring, WhyWindow

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

__all__ = [
    "Active",
    "Batch",
    "Element",
    "End",
    "Event",
    "Idle",
    "Probe",
    "ProcessingTime",
    "Run",
    "SnapshotRestore",
    "Step",
    "StepResult",
    "Time",
    "Watermark",
    "Why",
    "WhyFiring",
    "WhyWindow",
    "active",
    "batch",
    "element",
    "end",
    "idle",
    "probe",
    "processing_time",
    "snapshot_restore",
    "watermark",
]


def element(
    row: Mapping[str, object] | None = None,
    /,
    *,
    input: int | str = 0,  # noqa: A002
    **columns: object,
) -> Element:
    """Make a step in which a row arrives.

    Parameters
    ----------
    row
        Values by column name, for names that are not Python identifiers, or are ``input``.
    input
        Number of the input, from 0, or in a join or co-group its name. Other than 0 only there and with a
        strategy.
    **columns
        Values as keyword arguments. Other columns are null. A timestamp is ISO text, a datetime or an int
        of epoch milliseconds.

    Returns
    -------
    Element
        The step.

    Raises
    ------
    TypeError
        If the input is neither a whole number nor a text.
    ValueError
        If a column has two values, or the input is negative.

    Examples
    --------
    >>> element(user="a", price=3, ts="2026-01-01T00:00:01Z")
    element(user='a', price=3, ts='2026-01-01T00:00:01Z')
    """
    return Element((*(row or {}).items(), *columns.items()), input)


def watermark(time: Time) -> Watermark:
    """Make a step that advances the watermark. A timer at t fires at a watermark of t or later, as in Flink.

    Parameters
    ----------
    time
        ISO text, a datetime or an int of epoch milliseconds. Text without a zone and naive datetimes are
        read as Spark reads them.

    Returns
    -------
    Watermark
        The step.

    Raises
    ------
    TypeError
        If it is no time.

    Examples
    --------
    >>> watermark("2026-01-01T01:00:00Z")
    watermark('2026-01-01T01:00:00Z')
    """
    return Watermark(time)


def processing_time(time: Time) -> ProcessingTime:
    """Make a step that advances processing time.

    Parameters
    ----------
    time
        As in `watermark`.

    Returns
    -------
    ProcessingTime
        The step.

    Raises
    ------
    TypeError
        If it is no time.

    Examples
    --------
    >>> processing_time(5000)
    processing_time(5000)
    """
    return ProcessingTime(time)


def probe(time: Time) -> Probe:
    """Make a step that advances processing time and probes every input. Needs a strategy.

    Event-time timers fire first, then processing-time timers.

    Parameters
    ----------
    time
        The new processing time, as in `watermark`.

    Returns
    -------
    Probe
        The step.

    Raises
    ------
    TypeError
        If it is no time.

    Examples
    --------
    >>> probe(200)
    probe(200)
    """
    return Probe(time)


def idle(input: int | str = 0) -> Idle:  # noqa: A002
    """Make a step that marks an input idle until its next new watermark. Needs a strategy.

    An idle input does not hold back the watermark.

    Parameters
    ----------
    input
        Number of the input, from 0, or in a join or co-group its name.

    Returns
    -------
    Idle
        The step.

    Raises
    ------
    TypeError, ValueError
        If it is neither a whole number nor a text, or negative.

    Examples
    --------
    >>> idle(1)
    idle(1)
    """
    return Idle(input)


def active(input: int | str = 0) -> Active:  # noqa: A002
    """Make a step that marks an idle input active, without a watermark. Needs a strategy.

    The input holds back the watermark again when its own has reached it. A strategy with
    ``with_idleness`` may mark it idle at the next probe.

    Parameters
    ----------
    input
        Number of the input, from 0, or in a join or co-group its name.

    Returns
    -------
    Active
        The step.

    Raises
    ------
    TypeError, ValueError
        If it is neither a whole number nor a text, or negative.

    Examples
    --------
    >>> active(1)
    active(1)
    """
    return Active(input)


def end() -> End:
    """Make a step that ends all input: the watermark advances to its maximum, as after a static DataFrame.

    Event-time windows fire and are cleaned up. Processing time does not advance, and its timers wait. Every
    input ends, idle ones included. Only `processing_time` and `snapshot_restore` may follow.

    Returns
    -------
    End
        The step.

    Examples
    --------
    >>> end()
    end()
    """
    return End()


def batch(steps: Iterable[Element | Watermark | ProcessingTime]) -> Batch:
    """Make a step of one micro-batch: its rows share one watermark and one processing time.

    Watermark and processing time among the steps apply to the whole batch, at any position: due timers fire
    first, then the rows are processed. With a strategy there is no watermark among the steps: every input is
    probed after the last row, and the watermark of the rows takes effect then, as on a stream.

    Parameters
    ----------
    steps
        Made by `element`, `watermark` and `processing_time`.

    Returns
    -------
    Batch
        The step.

    Raises
    ------
    TypeError
        If another step is among them.

    Examples
    --------
    >>> batch([element(ts=1), element(ts=2)])
    batch([element(ts=1), element(ts=2)])
    """
    return Batch(tuple(steps))


def snapshot_restore() -> SnapshotRestore:
    """Make a step that writes the state and reads it back, as at a restart.

    Watermark and processing time are kept.

    Returns
    -------
    SnapshotRestore
        The step.

    Examples
    --------
    >>> snapshot_restore()
    snapshot_restore()
    """
    return SnapshotRestore()
