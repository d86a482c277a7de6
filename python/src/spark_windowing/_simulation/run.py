"""Result of a simulation, step by step."""

from __future__ import annotations

from dataclasses import dataclass, field
from datetime import datetime, timedelta, timezone
from html import escape
from typing import TYPE_CHECKING, Any

from spark_windowing._simulation.values import value_text

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from matplotlib.axes import Axes
    from pyspark.sql import Row, SparkSession

    from spark_windowing._gateway.gateway import Gateway

# The watermark after all rows.
_END = 2**63 - 1
_HEADER = ("", "step", "main", "side", "cleared", "timers", "watermark")
# Notebooks align text to the right by default, and wrap it.
_CELL = "text-align: left; vertical-align: top; white-space: pre"


@dataclass(frozen=True)
class Event:
    """Event of a step.

    Attributes
    ----------
    kind
        ``element`` for a row, ``watermark`` or ``processing_time`` for an advance of the watermark or of
        processing time, ``fired`` or ``cleared`` for a window that fired or was cleaned up; for a function
        without windows ``timer_set``, ``timer_deleted`` and ``timer_fired``.
    key
        The key as a tuple; None for times.
    time
        Epoch milliseconds: the event time of a row, None if it has none; the new watermark or processing
        time; or the time of a timer.
    window
        The window. For a late row the newest window that it missed; for other rows None.
    detail
        For ``fired`` the timing as of `with_pane`, ``early``, ``on_time`` or ``late``. For a row in no window
        the reason, ``late`` or ``no event time``. For a timer its clock, ``event_time`` or
        ``processing_time``.
    """

    kind: str
    key: tuple[object, ...] | None = None
    time: int | None = None
    window: Row | None = None
    detail: str | None = None


@dataclass(frozen=True)
class StepResult:
    """Result of one step.

    Attributes
    ----------
    step
        The step.
    main
        The main rows emitted: by timers in order of time and key, then by rows in order of arrival.
    side
        The rows emitted to each side output, by tag; a tag without rows has an empty list.
    cleared
        The windows cleaned up, as pairs of the key (a tuple) and the window.
    event_timers
        Number of event-time timers after the step.
    processing_timers
        Number of processing-time timers after the step.
    watermark
        The watermark after the step in epoch milliseconds, as Flink counts it; None before the first,
        2**63 - 1 after `sim.end`.
    open
        The open windows after the step, as pairs of the key (a tuple) and the window.
    events
        The events of the step, in order.
    idle
        Numbers of the inputs that are idle after the step; only with a strategy.
    """

    step: object
    main: list[Row]
    side: Mapping[str, list[Row]]
    cleared: list[tuple[tuple[object, ...], Row | None]]
    event_timers: int
    processing_timers: int
    watermark: int | None = None
    open: list[tuple[tuple[object, ...], Row | None]] = field(default_factory=list)
    events: tuple[Event, ...] = ()
    idle: tuple[int, ...] = ()

    def _repr_html_(self) -> str:
        rows = zip(_HEADER[1:], _texts(self), strict=True)
        return _table(f"<tr>{_head(name)}{_cell(text)}</tr>" for name, text in rows if text)


@dataclass(frozen=True)
class Replay:
    """A simulation that can be run again, to be asked."""

    gateway: Gateway
    message: Mapping[str, Any]

    @property
    def spark(self) -> SparkSession:
        """The session."""
        return self.gateway.spark

    def value(self, asked: Mapping[str, Any]) -> Any:
        """Ask why a row or a window is in the results, or not."""
        return self.gateway.value("why", **self.message, asked=asked)


@dataclass(frozen=True, repr=False)
class Run:
    """Steps of a simulation with their results. Made by `simulate`.

    Attributes
    ----------
    steps
        The result of each step, in order.
    keys
        The names of the key columns.
    time
        The event-time column; None if there is none, or it is computed.
    is_event_time
        Whether the windows are event-time windows.
    allowed_lateness
        Time that a window is kept after its end, in milliseconds.
    zone
        The time zone of the session.
    ask
        The run again, for `why`.
    """

    steps: tuple[StepResult, ...]
    keys: tuple[str, ...] = ()
    time: str | None = None
    is_event_time: bool = True
    allowed_lateness: int = 0
    zone: str = "UTC"
    ask: Replay | None = field(default=None, repr=False, compare=False)

    def show(self) -> None:
        """Print the run as a table, one row per step."""
        print(self)  # noqa: T201  (as DataFrame.show does)

    def plot(self, *, key: object = None, ax: Axes | None = None, width: float = 10.0) -> Axes | list[Axes]:
        """Draw the run with matplotlib: time from left to right, the steps from top to bottom.

        Each row of the picture is a step, as in `show`. Dots are rows of the input. Boxes are windows, from
        the step that opens them to the one that cleans them up; a bar across a box is a firing, with its
        result. The watermark is a line, with the past on its left; one beyond the picture is named at the
        edge. Processing-time windows are drawn over processing time, and the global window over the whole
        width. Rows without any time are drawn in order of arrival. Texts and background have the colours of
        matplotlib's current style, such as ``plt.style.use("dark_background")``.

        Parameters
        ----------
        key
            The key to draw: a value, or a tuple of them. Without it, each key gets a panel.
        ax
            The axes to draw on, for one key only; by default those of a new figure.
        width
            Width of a new figure in inches. A narrow one can be read on a phone.

        Returns
        -------
        Axes or list of Axes
            The axes drawn on, a list for several keys. ``.figure.savefig(..)`` saves the picture.

        Raises
        ------
        SparkWindowingError
            If matplotlib is not installed.
        ValueError
            If the run has no such key, or too many keys: more than six, or more than one for `ax`, or if
            the labels leave no room in `width`.
        """
        from spark_windowing._pictures.of_runs import draw_run

        return draw_run(self, key, ax, width)

    def __repr__(self) -> str:
        """Return the run as a table of text."""
        table = [_HEADER, *self._rows()]
        lines = [[cell.split("\n") for cell in row] for row in table]
        widths = [max(len(text) for row in lines for text in row[column]) for column in range(len(_HEADER))]
        shown = []
        for row in lines:
            for i in range(max(map(len, row))):
                texts = [cell[i] if i < len(cell) else "" for cell in row]
                padded = (text.ljust(width) for text, width in zip(texts, widths, strict=True))
                shown.append("  ".join(padded).rstrip())
        return "\n".join(shown)

    def _repr_html_(self) -> str:
        head = f"<tr>{''.join(map(_head, _HEADER))}</tr>"
        return _table([head, *(f"<tr>{''.join(map(_cell, row))}</tr>" for row in self._rows())])

    def _rows(self) -> list[tuple[str, ...]]:
        return [(str(i), *_texts(step)) for i, step in enumerate(self.steps)]


def _texts(result: StepResult) -> tuple[str, ...]:
    side = [f"{tag}: {_fields(row)}" for tag, rows in result.side.items() for row in rows]
    cleared = [
        f"{', '.join(map(value_text, key))} {value_text(window)}".strip() for key, window in result.cleared
    ]
    timers = f"{result.event_timers} event, {result.processing_timers} processing"
    main = [_fields(row) for row in result.main]
    watermark = "" if result.watermark is None else _moment(result.watermark)
    return (repr(result.step), "\n".join(main), "\n".join(side), "\n".join(cleared), timers, watermark)


def _moment(millis: int) -> str:
    if millis == _END:
        return "end of input"
    try:
        moment = datetime.fromtimestamp(0, tz=timezone.utc) + timedelta(milliseconds=millis)
    except OverflowError:
        return str(millis)
    return moment.isoformat(timespec="milliseconds").replace("+00:00", "Z")


def _fields(row: Row) -> str:
    return " ".join(f"{name}={value_text(value)}" for name, value in row.asDict().items())


def _table(rows: Sequence[str] | Any) -> str:
    return f"<table>{''.join(rows)}</table>"


def _head(text: str) -> str:
    return f'<th style="{_CELL}">{escape(text)}</th>'


def _cell(text: str) -> str:
    return f'<td style="{_CELL}">{escape(text).replace(chr(10), "<br>")}</td>'
