"""Live view of a running query, and of the windows open at its end."""

from __future__ import annotations

import signal
import sys
import threading
import time
from contextlib import contextmanager
from typing import TYPE_CHECKING

from spark_windowing._builders.durations import Duration, duration
from spark_windowing._gateway.spark_session import active_session, check_query, is_connect
from spark_windowing._monitoring.figures import Figures
from spark_windowing._monitoring.screens import Screen, screen_for
from spark_windowing._results.read_state import read_state
from spark_windowing._simulation.values import value_text

if TYPE_CHECKING:
    from collections.abc import Iterator

    from pyspark.sql import Row
    from pyspark.sql.streaming.query import StreamingQuery

_PAUSE = 0.5  # seconds between two looks
_SHOWN = 10  # windows that are still open


def monitor(query: StreamingQuery, *, timeout: Duration | None = None) -> None:
    """Show the progress of a query until it ends: a line in a terminal, a table in a notebook.

    The figures are added up from the progress of each micro-batch: input rows, rows per second, the
    watermark and its delay behind the wall clock, open windows, firings, late rows. Other output streams
    get a line per new micro-batch.

    When the query ends, as with ``trigger(availableNow=True)``, the windows still open are listed. They are
    in the checkpoint and fire when a later run of the query advances the watermark past their end. With
    Spark Connect they are only counted, as a client does not know the checkpoint; `read_state` lists them.

    Interrupting (Ctrl-C, or a notebook's stop button) ends the view; the query runs on.

    Parameters
    ----------
    query
        The query that ``writeStream.start()`` returned.
    timeout
        Maximum time to watch, such as ``"10 minutes"``; by default until the query ends.

    Raises
    ------
    TypeError
        If `query` is no query, or the timeout no duration.
    StreamingQueryException
        If the query fails, as ``query.awaitTermination()`` does.

    Examples
    --------
    >>> sw.monitor(query, timeout="10 minutes")  # doctest: +SKIP
    batch 41   1,204,000 rows   31,500 rows/s   watermark 2026-01-01 00:10:40Z, 12 s behind the clock   ...
    """
    check_query(query)
    end = None if timeout is None else time.monotonic() + duration("timeout", timeout).total_seconds()
    figures = Figures()
    screen = screen_for(sys.stdout)
    try:
        with _plain_interrupts():
            while _look(query, figures, screen) and (end is None or time.monotonic() < end):
                time.sleep(_PAUSE)
    except KeyboardInterrupt:
        screen.close("the query runs on")
        return
    if query.isActive:
        screen.close("the query runs on")
        return
    screen.close("the query has ended" if query.exception() is None else "the query has failed")
    query.awaitTermination()  # raises what stopped it
    if figures.open:
        print(_still_open(query, figures.open))  # noqa: T201  (the view is made of print)


def _look(query: StreamingQuery, figures: Figures, screen: Screen) -> bool:
    """Show new figures; return whether the query was still running before."""
    running = query.isActive
    figures.add(query.recentProgress)
    figures.waiting = figures.waiting and running
    screen.show(figures)
    return running


@contextmanager
def _plain_interrupts() -> Iterator[None]:
    """Let Ctrl-C interrupt Python only: PySpark's handler cancels the jobs of the query too."""
    if threading.current_thread() is not threading.main_thread():
        yield
        return
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    try:
        yield
    finally:
        signal.signal(signal.SIGINT, signal.SIG_DFL if before is None else before)  # None: not set by Python


def _still_open(query: StreamingQuery, count: int) -> str:
    windows = "1 window is" if count == 1 else f"{count:,} windows are"
    text = f"{windows} still open, kept in the checkpoint until a later run fires them"
    if is_connect(query):  # a client does not know the checkpoint
        return f"{text}: sw.read_state(spark, checkpoint) shows them"
    try:
        state = read_state(active_session(), query._jsq.streamingQuery().resolvedCheckpointRoot())
    except ValueError:  # a temporary checkpoint, deleted with the query, or several window operators
        return text
    rows = state.where("kind <> 'key'").orderBy("window.end", "key").limit(_SHOWN).collect()
    lines = [f"  {', '.join(map(value_text, row.key))}  {_window_text(row.window)}" for row in rows]
    return "\n".join([f"{text}:", *lines, *(["  .."] if count > len(rows) else [])])


def _window_text(window: Row | None) -> str:
    return "the global window" if window is None else value_text(window)
