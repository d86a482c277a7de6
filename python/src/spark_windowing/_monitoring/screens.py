"""Displays of the figures of a query: a line in a terminal, a table in a notebook, or lines of text."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING, Any, Protocol, TextIO

from spark_windowing._builders.durations import rough

if TYPE_CHECKING:
    from spark_windowing._monitoring.figures import Figures

HEADER = ("batch", "rows", "rows/s", "watermark", "behind the clock", "open", "fired", "late")


class Screen(Protocol):
    """Display of the newest figures."""

    def show(self, figures: Figures) -> None:
        """Replace the figures shown."""

    def close(self, end: str) -> None:
        """Show the end, below the last figures."""


class TerminalLine:
    """Display of one line, updated in place."""

    def __init__(self, stream: TextIO) -> None:
        self._stream = stream

    def show(self, figures: Figures) -> None:
        """Overwrite the line, in the short form if the terminal is too narrow."""
        import shutil

        width = shutil.get_terminal_size().columns - 1
        text = line(figures)
        if len(text) > width:
            text = short_line(figures)
        self._stream.write("\r" + text[:width].ljust(width))
        self._stream.flush()

    def close(self, end: str) -> None:
        """Write the end on the next line."""
        self._stream.write(f"\n{end}\n")
        self._stream.flush()


class Lines:
    """Display of a line per micro-batch, for logs and pipes."""

    def __init__(self, stream: TextIO) -> None:
        self._stream = stream
        self._batch: int | None = None

    def show(self, figures: Figures) -> None:
        """Write a line for a new micro-batch."""
        if figures.batch != self._batch:
            self._batch = figures.batch
            self._stream.write(line(figures) + "\n")
            self._stream.flush()

    def close(self, end: str) -> None:
        """Write the end."""
        self._stream.write(end + "\n")
        self._stream.flush()


class NotebookTable:
    """Display of a table in the output of a cell, updated in place."""

    def __init__(self) -> None:
        from IPython import display

        ipython: Any = display  # without type hints of its own
        self._handle = ipython.display({"text/plain": ""}, raw=True, display_id=True)
        self._shown = ""

    def show(self, figures: Figures) -> None:
        """Update the table."""
        self._update(table(figures), line(figures))

    def close(self, end: str) -> None:
        """Write the end below the table."""
        self._update(f"{self._shown}<p>{end}</p>", end)

    def _update(self, html: str, text: str) -> None:
        if html != self._shown:
            self._shown = html
            self._handle.update({"text/html": html, "text/plain": text}, raw=True)


def screen_for(stream: TextIO) -> Screen:
    """Choose the display: a notebook, a terminal, or else lines of text."""
    if _in_notebook():
        return NotebookTable()
    return TerminalLine(stream) if stream.isatty() else Lines(stream)


def line(figures: Figures) -> str:
    """Return the figures as one line of text."""
    batch, rows, rate, watermark, lag, still_open, fired, late = cells(figures)
    behind = "" if lag == "-" else f", {lag} behind the clock"
    speed = "waiting for rows" if figures.waiting else f"{rate} rows/s"
    parts = [f"{rows} rows", speed, f"watermark {watermark}{behind}"]
    parts += [f"{still_open} open", f"{fired} fired", f"{late} late"]
    return "   ".join([f"batch {batch}", *parts])


def short_line(figures: Figures) -> str:
    """Return the figures as a line for 80 columns, without the time of the watermark."""
    batch, rows, rate, _, lag, still_open, fired, late = cells(figures)
    speed = "waiting" if figures.waiting else f"{rate}/s"
    parts = [f"{rows} rows", speed, "no watermark yet" if lag == "-" else f"{lag} behind"]
    parts += [f"{still_open} open", f"{fired} fired", f"{late} late"]
    return "  ".join([f"batch {batch}", *parts])


def table(figures: Figures) -> str:
    """Return the figures as an HTML table."""
    head = "".join(f"<th>{name}</th>" for name in HEADER)
    body = "".join(f"<td>{cell}</td>" for cell in cells(figures))
    return f"<table><thead><tr>{head}</tr></thead><tbody><tr>{body}</tr></tbody></table>"


def cells(figures: Figures) -> tuple[str, ...]:
    """Return the figures as text, in the order of `HEADER`."""
    watermark, lag = figures.watermark, figures.lag
    return (
        "-" if figures.batch is None else str(figures.batch),
        f"{figures.rows:,}",
        "waiting" if figures.waiting else f"{figures.rows_per_second:,.0f}",
        "none yet" if watermark is None else f"{watermark:%Y-%m-%d %H:%M:%S}Z",
        "-" if lag is None else rough(lag.total_seconds()),
        "-" if figures.open is None else f"{figures.open:,}",
        f"{figures.fired:,}",
        f"{figures.late:,}",
    )


def _in_notebook() -> bool:
    if "IPython" not in sys.modules:
        return False
    from IPython.core.getipython import get_ipython

    return hasattr(get_ipython(), "kernel")
