"""Texts of results in the picture of a run."""

from __future__ import annotations

from typing import TYPE_CHECKING

from spark_windowing._pictures.texts import fields_text, short
from spark_windowing._simulation.times import millis_of

if TYPE_CHECKING:
    from pyspark.sql import Row

    from spark_windowing._simulation.run import Event, Run, StepResult


def window_name(event: Event) -> str:
    """Return a name of the key and window of a firing, the same in all its firings."""
    return repr((event.key, event.window))


def results_of(run: Run, step: StepResult) -> dict[str, list[str]]:
    """Return the results of each key and window, a text per firing."""
    count = len(run.keys)
    rows: dict[str, list[str]] = {}
    for row in step.main:
        name = repr((tuple(row[:count]), row[count]))
        rows.setdefault(name, []).append(_result_text(row, count + 1))
    fired: dict[str, int] = {}
    for event in step.events:
        if event.kind == "fired":
            fired[window_name(event)] = fired.get(window_name(event), 0) + 1
    texts = {}
    for name, firings in fired.items():
        given = rows.get(name, [])
        if len(given) == firings:
            texts[name] = given
        else:
            more = f" and {len(given) - 1} more" if len(given) > 1 else ""
            texts[name] = [""] * (firings - 1) + [f"{given[0]}{more}" if given else "no rows"]
    return texts


def timer_results(run: Run, step: StepResult, event: Event) -> list[str]:
    """Return the results of a timer that fires: those of its key with its time, null for the other clock."""
    count = len(run.keys)
    texts = []
    for row in step.main:
        has_time = row.__fields__[count : count + 1] == ["event_time"]
        at = None if not has_time or row[count] is None else millis_of(row[count])
        of_timer = not has_time or at == (event.time if event.detail == "event_time" else None)
        if of_timer and repr(tuple(row[:count])) == repr(event.key):
            texts.append(_result_text(row, count + has_time))
    return texts


def _result_text(row: Row, first: int) -> str:
    """Return the results of a row, from column `first` on, without the pane."""
    fields = list(zip(row.__fields__, row, strict=True))[first:]
    if fields and getattr(fields[0][1], "__fields__", [""])[0] == "timing":
        fields = fields[1:]
    return short(fields_text(fields), 48)
