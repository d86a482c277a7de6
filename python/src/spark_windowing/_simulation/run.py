"""What a simulation gave, step by step."""

from __future__ import annotations

from dataclasses import dataclass, field
from datetime import datetime, timedelta, timezone
from html import escape
from typing import TYPE_CHECKING, Any

from spark_windowing._simulation.values import value_text

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from matplotlib.axes import Axes
    from pyspark.sql import Row

# The watermark behind all rows.
_END = 2**63 - 1
_HEADER = ("", "step", "main", "side", "cleared", "timers", "watermark")
# Notebooks put text to the right, and numbers are text here; rows break where the cell says so.
_CELL = "text-align: left; vertical-align: top; white-space: pre"


@dataclass(frozen=True)
class Event:
    """Something that happened in a step.

    Attributes
    ----------
    kind
        ``element`` for a row that came, ``watermark`` or ``clock`` for a time that moved, ``fired`` or
        ``cleared`` for a window that fired or was cleaned up.
    key
        The key as a tuple; None for times.
    time
        Epoch milliseconds: of a row its event time, None if it has none; of a time that moved the new one.
    window
        The window. Of a row that came too late the newest that it missed, else None.
    detail
        For ``fired`` the timing, ``early``, ``on_time`` or ``late``, as `with_pane` tells it. For a row that
        no window took the reason, ``late`` or ``no event time``.
    """

    kind: str
    key: tuple[object, ...] | None = None
    time: int | None = None
    window: Row | None = None
    detail: str | None = None


@dataclass(frozen=True)
class StepResult:
    """What one step did.

    Attributes
    ----------
    step
        The step as it was given.
    main
        The main rows put out: timers in order of time and key, then rows as they came.
    side
        The rows put out to each side output, by tag; a tag without rows has an empty list.
    cleared
        The windows cleaned up: pairs of the key (a tuple) and the window.
    event_timers
        Event-time timers alive after the step.
    processing_timers
        Processing-time timers alive after the step.
    watermark
        The watermark after the step in epoch milliseconds, as Flink counts it; None before the first,
        2**63 - 1 behind `sim.end`.
    open
        The windows that live after the step: pairs of the key (a tuple) and the window.
    events
        What happened in the step, in its order.
    idle
        The inputs that are idle after the step, counted from 0; only a strategy has inputs.
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


@dataclass(frozen=True, repr=False)
class Run:
    """The steps of a simulation with what each did. Made by `simulate`.

    Attributes
    ----------
    steps
        One result a step, in order.
    keys
        The names of the key columns.
    time
        The column that is the event time; None if there is none, or it is computed.
    is_event_time
        Whether the windows are windows of event time.
    allowed_lateness
        How long a window lives behind its end, in milliseconds.
    zone
        The time zone of the session.
    """

    steps: tuple[StepResult, ...]
    keys: tuple[str, ...] = ()
    time: str | None = None
    is_event_time: bool = True
    allowed_lateness: int = 0
    zone: str = "UTC"

    def show(self) -> None:
        """Print the run as a table, one row a step."""
        print(self)  # noqa: T201  (as DataFrame.show does)

    def plot(self, *, key: object = None, ax: Axes | None = None) -> Axes | list[Axes]:
        """Draw the run with matplotlib: time from left to right, the steps from top to bottom.

        Each row of the picture is a step, as in `show`. Rows that came are dots, windows are boxes from
        the step that opened them to the one that cleaned them up, and a bar across its box says that a
        window fired, and what came out. The watermark is a line: what is left of it is in the past. Windows
        of the clock are drawn over the clock; the global window is as wide as the picture, and where rows
        have no time at all they stand in the order in which they came.

        Parameters
        ----------
        key
            The key to draw: a value, or a tuple of them. Without it, each key gets a panel.
        ax
            Where to draw, one key only. Without it a figure is made.

        Returns
        -------
        Axes or list of Axes
            What was drawn on: a list if several keys were drawn. ``.figure.savefig(..)`` keeps the picture.

        Raises
        ------
        SparkWindowingError
            If matplotlib is not installed.
        ValueError
            If the run has no such key, or several that have no room: more than six, or one `ax`.
        """
        from spark_windowing._pictures.of_runs import draw_run

        return draw_run(self, key, ax)

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
