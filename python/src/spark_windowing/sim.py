"""Steps for `spark_windowing.simulate`: rows, watermarks, the clock, a restart, one after the other.

With ``watermarks=strategy`` rows come from inputs, and `probe`, `idle` and `active` take the place of
`watermark`. `end` is the end of all input, with and without a strategy.
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


def element(row: Mapping[str, object] | None = None, /, *, input: int = 0, **columns: object) -> Element:  # noqa: A002
    """Let a row come.

    Parameters
    ----------
    row
        Values by column name, for names that are no Python names, or are ``input``.
    input
        The input that it comes from, counted from 0; more than one only with a strategy.
    **columns
        The same, as keyword arguments. Columns not named are null. A timestamp is ISO text, a datetime or
        an int of epoch milliseconds.

    Returns
    -------
    Element
        The step.

    Raises
    ------
    TypeError
        If the input is no whole number.
    ValueError
        If a column has two values, or the input is negative.

    Examples
    --------
    >>> element(user="a", price=3, ts="2026-01-01T00:00:01Z")
    element(user='a', price=3, ts='2026-01-01T00:00:01Z')
    """
    return Element((*(row or {}).items(), *columns.items()), input)


def watermark(time: Time) -> Watermark:
    """Move the watermark. A timer at t fires when the watermark is t or later, as in Flink.

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
    """Move the clock.

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
    """Move the clock and probe every input for its watermark. Needs a strategy.

    What the watermark makes due fires first, then what the clock makes due.

    Parameters
    ----------
    time
        What the clock shows, as in `watermark`.

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


def idle(input: int = 0) -> Idle:  # noqa: A002
    """Mark an input idle: until its next new watermark it holds no other back. Needs a strategy.

    Parameters
    ----------
    input
        Which, counted from 0.

    Returns
    -------
    Idle
        The step.

    Raises
    ------
    TypeError, ValueError
        If it is no whole number, or negative.

    Examples
    --------
    >>> idle(1)
    idle(1)
    """
    return Idle(input)


def active(input: int = 0) -> Active:  # noqa: A002
    """Mark an idle input active, at once and without a watermark. Needs a strategy.

    It holds others back again once its watermark has reached that of the run. A strategy with
    ``with_idleness`` may find it idle at the next probe.

    Parameters
    ----------
    input
        Which, counted from 0.

    Returns
    -------
    Active
        The step.

    Raises
    ------
    TypeError, ValueError
        If it is no whole number, or negative.

    Examples
    --------
    >>> active(1)
    active(1)
    """
    return Active(input)


def end() -> End:
    """End all input: the watermark becomes that of the end of all time, as behind a static DataFrame.

    Event-time windows fire and are cleaned up; the clock stands, and its timers wait. Every input ends, an
    idle one too. Behind it only `processing_time` and `snapshot_restore` may stand.

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
    """Let rows come as one micro-batch: all are judged by one watermark and come at one time.

    Watermark and clock among the steps are those of the batch, wherever they stand: what is due by them fires
    first, then the rows are taken. With a strategy there is no watermark among them: the one that the rows
    prove counts behind the last row, where every input is probed, as the next micro-batch of a stream has it.

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
        If there is another step among them.

    Examples
    --------
    >>> batch([element(ts=1), element(ts=2)])
    batch([element(ts=1), element(ts=2)])
    """
    return Batch(tuple(steps))


def snapshot_restore() -> SnapshotRestore:
    """Write the state out and read it back, as at a restart. Watermark and clock stay.

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
