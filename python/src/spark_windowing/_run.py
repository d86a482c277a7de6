"""What a simulation gave, step by step."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime, timedelta, timezone
from html import escape
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Mapping

    from pyspark.sql import Row

_HEADER = ("", "step", "main", "side", "cleared", "timers", "watermark")


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
        The watermark after the step in epoch milliseconds, as Flink counts it; None before the first.
    """

    step: object
    main: list[Row]
    side: Mapping[str, list[Row]]
    cleared: list[tuple[tuple[object, ...], Row | None]]
    event_timers: int
    processing_timers: int
    watermark: int | None = None


@dataclass(frozen=True, repr=False)
class Run:
    """The steps of a simulation with what each did. Made by `simulate`.

    Attributes
    ----------
    steps
        One result a step, in order.
    """

    steps: tuple[StepResult, ...]

    def show(self) -> None:
        """Print the run as a table, one row a step."""
        print(self)  # noqa: T201  (as DataFrame.show does)

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
        head = "".join(f"<th>{escape(cell)}</th>" for cell in _HEADER)
        body = "".join(f"<tr>{''.join(map(_cell, row))}</tr>" for row in self._rows())
        return f"<table><thead><tr>{head}</tr></thead><tbody>{body}</tbody></table>"

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
    try:
        moment = datetime.fromtimestamp(0, tz=timezone.utc) + timedelta(milliseconds=millis)
    except OverflowError:
        return str(millis)
    return moment.isoformat(timespec="milliseconds").replace("+00:00", "Z")


def _fields(row: Row) -> str:
    return " ".join(f"{name}={value_text(value)}" for name, value in row.asDict().items())


def value_text(value: Any) -> str:
    """Return a value as people read it, a window as ``[start, end)``."""
    if getattr(value, "__fields__", None) == ["start", "end"]:
        return f"[{value_text(value.start)}, {value_text(value.end)})"
    if isinstance(value, datetime):
        return value.isoformat(sep=" ")
    return "null" if value is None else str(value)


def _cell(text: str) -> str:
    return f"<td>{escape(text).replace(chr(10), '<br>')}</td>"
