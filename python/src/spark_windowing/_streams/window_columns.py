"""Spark's own window columns given to ``window``, and the assigners to write in their place."""

from __future__ import annotations

import re
from datetime import timedelta
from typing import TYPE_CHECKING

from spark_windowing._builders.assigners import SlidingEventTimeWindows, TumblingEventTimeWindows
from spark_windowing._builders.durations import ZERO, duration
from spark_windowing._builders.sessions import EventTimeSessionWindows

if TYPE_CHECKING:
    from spark_windowing._builders.assigners import WindowAssigner

# As each Spark shows F.window, F.session_window and F.window_time; Spark 3.5 leaves the durations away.
_CALL = re.compile(r"\b(session_?window|window_?time|time_?window|window)\((.*)\)", re.DOTALL)
_NAME = re.compile(r"[A-Za-z_]\w*(?:\.\w+)*")


def refuse_column(text: str) -> None:
    """Raise TypeError if a Column, by its text, is one of Spark's windows.

    Raises
    ------
    TypeError
        With the call of ``window`` that does the same.
    """
    found = _CALL.search(text)
    if found is None:
        return
    kind = found[1].replace("_", "")
    time, *rest = _arguments(found[2])
    if kind == "windowtime":
        raise TypeError(
            "window takes a window assigner, got Spark's window_time(..), the event time of a result, which "
            'key_by finds itself: .window(sw.TumblingEventTimeWindows.of("5 minutes"))'
        )
    session = kind == "sessionwindow"
    assigner = _sessions(rest) if session else _grid(rest)
    name = "session_window" if session else "window"
    other = 'EventTimeSessionWindows.with_gap("5 minutes")' if session else _TUMBLING
    line = f", with its durations, .window(sw.{other})" if assigner is None else f" .window(sw.{assigner!r})"
    column = time if _NAME.fullmatch(time) else ".."
    raise TypeError(
        f"window takes a window assigner, got Spark's {name}(..): write{line}. The event time belongs to "
        f'key_by(df, .., time="{column}")'
    )


_TUMBLING = 'TumblingEventTimeWindows.of("5 minutes")'


def _grid(texts: list[str]) -> WindowAssigner | None:
    size, slide, start = (_read(text) for text in (*texts, "", "", "")[:3])
    try:
        if size is None or (len(texts) > 1 and slide is None):
            return None
        if slide is None or slide == size:
            return TumblingEventTimeWindows.of(size, start or ZERO)
        return SlidingEventTimeWindows.of(size, slide, start or ZERO)
    except ValueError:
        return None


def _sessions(texts: list[str]) -> WindowAssigner | None:
    if len(texts) != 1:
        return None
    gap = _read(texts[0])
    if gap is not None and gap > ZERO:
        return EventTimeSessionWindows.with_gap(gap)
    return EventTimeSessionWindows.with_dynamic_gap(texts[0]) if _NAME.fullmatch(texts[0]) else None


def _read(text: str) -> timedelta | None:
    """Read a duration as Spark writes it: text, or a number of microseconds."""
    try:
        return timedelta(microseconds=int(text)) if text.isdigit() else duration("duration", text)
    except ValueError:
        return None


def _arguments(text: str) -> list[str]:
    """Split the arguments of a call, up to its closing bracket."""
    found, depth = [""], 0
    for letter in text:
        depth += {"(": 1, ")": -1}.get(letter, 0)
        if depth < 0:
            break
        if letter == "," and depth == 0:
            found.append("")
        else:
            found[-1] += letter
    return [argument.strip().strip("'") for argument in found]
