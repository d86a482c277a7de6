"""Reads tests/scenarios/*.yaml: scenarios as plain dicts, their parts as values of the package."""

from __future__ import annotations

from pathlib import Path

import yaml

import spark_windowing as sw
from spark_windowing._durations import duration, millis

FOLDER = Path(__file__).parents[1] / "scenarios"
FACTORIES = {
    "TumblingEventTimeWindows": lambda size, offset=0: sw.TumblingEventTimeWindows.of(
        text(size), text(offset)
    ),
    "TumblingProcessingTimeWindows": lambda size, offset=0: sw.TumblingProcessingTimeWindows.of(
        text(size), text(offset)
    ),
    "SlidingEventTimeWindows": lambda size, slide, offset=0: sw.SlidingEventTimeWindows.of(
        text(size), text(slide), text(offset)
    ),
    "EventTimeSessionWindows": lambda gap: sw.EventTimeSessionWindows.with_gap(text(gap)),
    "GlobalWindows": sw.GlobalWindows.create,
    "EventTimeTrigger": sw.EventTimeTrigger.create,
    "ProcessingTimeTrigger": sw.ProcessingTimeTrigger.create,
    "NeverTrigger": sw.NeverTrigger.create,
    "CountTrigger": sw.CountTrigger.of,
    "PurgingTrigger": lambda nested: sw.PurgingTrigger.of(make_part(nested)),
    "CountEvictor": lambda n, after=False: sw.CountEvictor.of(n, do_evict_after=after),
}


def scenarios():
    """Every scenario of every file but arguments.yaml."""
    files = sorted(path for path in FOLDER.glob("*.yaml") if path.name != "arguments.yaml")
    return [{"file": path.stem, **case} for path in files for case in read(path)]


def arguments():
    """The factory calls of arguments.yaml."""
    return read(FOLDER / "arguments.yaml")


def read(path):
    return yaml.safe_load(path.read_text(encoding="utf-8"))


def make_part(written):
    """Make the value written as ``{class: arguments}``."""
    ((name, values),) = written.items()
    return FACTORIES[name](*values)


def text(value):
    """Write a time of a scenario as a duration of the package: a number counts milliseconds."""
    return f"{value} ms" if isinstance(value, int) else value


def moment(value):
    """Read a time of a scenario as epoch milliseconds."""
    return millis(duration("time", text(value)))
