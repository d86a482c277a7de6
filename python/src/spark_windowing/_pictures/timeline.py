"""Layout of the picture of a run: time from left to right, lanes by step. Draws nothing."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from spark_windowing._builders.durations import rough
from spark_windowing._pictures.drawing import time_text, zone_of
from spark_windowing._pictures.results import results_of, timer_results, window_name
from spark_windowing._pictures.texts import MARGIN, Text, fields_text, plain_text, room, short
from spark_windowing._simulation.steps import Batch, Element
from spark_windowing._simulation.times import bounds_of

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from pyspark.sql import Row

    from spark_windowing._simulation.run import Event, Run, StepResult

Span = tuple[float, float]
LINES = {"event time": "watermark", "processing time": "processing time"}
TIMERS = ("timer_set", "timer_deleted", "timer_fired")


@dataclass
class Bar:
    """Firing of a window."""

    start: float
    end: float
    y: float
    text: Text
    timing: str


@dataclass
class Mark:
    """Row of the input, or timer of a function without windows that is set, deleted or fires."""

    x: float
    y: float
    text: Text
    kind: str  # "element", "late" or "untimed" for a row in no window, or one of TIMERS


@dataclass
class Edge:
    """Watermark or processing time beyond the picture: its text at the edge."""

    y: float
    text: Text


@dataclass
class Box:
    """Window, from the step that opens it to the step that ends it."""

    start: float
    end: float
    top: float
    bottom: float
    parts: list[Span] = field(default_factory=list)


@dataclass
class StepRow:
    """Step, with lanes from `top` to `bottom`."""

    number: int
    step: object
    top: float
    bottom: float


@dataclass
class Timeline:
    """Layout of one key, in lanes of height one counted from the top.

    Attributes
    ----------
    line
        Watermark or processing time: pairs of time and first lane.
    edges
        Texts of those that lie beyond the picture.
    missed
        Windows that a late row missed, at the lane of the row.
    """

    key: tuple[object, ...]
    rows: list[StepRow] = field(default_factory=list)
    dots: list[Mark] = field(default_factory=list)
    bars: list[Bar] = field(default_factory=list)
    marks: list[Mark] = field(default_factory=list)
    boxes: list[Box] = field(default_factory=list)
    line: list[Span] = field(default_factory=list)
    edges: list[Edge] = field(default_factory=list)
    missed: list[tuple[float, float, float]] = field(default_factory=list)

    @property
    def lanes(self) -> float:
        """Number of lanes."""
        return self.rows[-1].bottom if self.rows else 1


def keys_of(run: Run) -> list[tuple[object, ...]]:
    """Return the keys of a run in order of arrival."""
    found = {repr(e.key): e.key for step in run.steps for e in step.events if e.key is not None}
    return list(found.values())


def axis_of(run: Run) -> str:
    """Return the horizontal axis: "event time", "processing time" or "order"."""
    events = [event for step in run.steps for event in step.events]
    times = [event for event in events if event.kind == "element" and event.time is not None]
    windows = any(event.window is not None for event in events)
    if run.is_event_time or (times and not windows):
        return "event time"
    return "processing time" if any(event.kind == "processing_time" for event in events) else "order"


def span_of(run: Run) -> Span:
    """Return the first and the last time of the picture."""
    axis = axis_of(run)
    windows = [e.window for s in run.steps for e in s.events if e.window is not None]
    windows += [window for s in run.steps for _, window in s.open if window is not None]
    inner = [float(x) for window in windows for x in bounds_of(window)]
    inner += [x for x, event in _placed(run, axis) if event.kind == "element" and x is not None]
    timers = [e for s in run.steps for e in s.events if e.kind in TIMERS and _is_of(e, axis)]
    inner += [float(e.time) for e in timers if e.time is not None]
    moves = [x for x, event in _placed(run, axis) if event.kind == _moving(axis) and x is not None]
    low, high = (min(inner), max(inner)) if inner else (min(moves, default=0), max(moves, default=1))
    room = (high - low) / 2
    near = [x for x in moves if low - room <= x <= high + room]
    low, high = min([low, *near]), max([high, *near])
    return (low, high) if high > low else (low, low + 1)


def timeline_of(run: Run, key: tuple[object, ...], span: Span, width: Callable[[str], float]) -> Timeline:
    """Place all items of a key.

    Parameters
    ----------
    run
        The run.
    key
        The key.
    span
        Start and end of the picture, and of the global window.
    width
        Function that measures a text, in units of time.

    Returns
    -------
    Timeline
        The layout, in lanes.
    """
    return _Builder(run, key, span, width).build()


def element_text(run: Run, element: Element, key: tuple[object, ...]) -> str:
    """Return the text of a row, without key and time; in a join with the name of its input."""
    keys = dict(zip(run.keys, map(repr, key), strict=True))
    if isinstance(element.input, str):  # the names of its columns are not those of the keys
        shown = [(n, v) for n, v in element.columns if repr(v) not in keys.values()]
        return short(f"{element.input} {fields_text(shown)}", 24)
    shown = [(n, v) for n, v in element.columns if keys.get(n) != repr(v) and n != run.time]
    return short(plain_text(shown[0][1]) if len(shown) == 1 else fields_text(shown), 24)


def _is_of(event: Event, axis: str) -> bool:
    return event.detail == axis.replace(" ", "_")


def _moving(axis: str) -> str:
    return "processing_time" if axis == "processing time" else "watermark"


def _placed(run: Run, axis: str) -> Iterator[tuple[float | None, Event]]:
    """Yield each event with its horizontal place, None if it has none."""
    processing_time: float | None = None
    count = 0
    for step in run.steps:
        for event in step.events:
            if event.kind == "processing_time":
                processing_time = event.time
            if event.kind == "element":
                count += 1
            yield {"processing time": processing_time, "order": count}.get(axis, event.time), event


class _Builder:
    def __init__(self, run: Run, key: tuple[object, ...], span: Span, width: Callable[[str], float]) -> None:
        self.run, self.key, self.span, self.width = run, key, span, width
        self.axis = axis_of(run)
        self.made = Timeline(key)
        self.alive: dict[Span, Box] = {}
        self.top = 0.0  # the first lane of the step
        self.base = 0.0  # the first lane of the current items
        self.lanes: list[list[Span]] = []  # the taken spans of each lane from `base` on
        self.last = ""  # the kind of the previous event of the step
        self.watermark: int | None = None

    def build(self) -> Timeline:
        places = iter(list(_placed(self.run, self.axis)))
        for number, step in enumerate(self.run.steps):
            events = [next(places) for _ in step.events]
            mine = [e for _, e in events if e.key is None or repr(e.key) == repr(self.key)]
            if not mine and events:
                continue  # of other keys only
            self._step(number, step, events)
        for box in self.alive.values():
            box.bottom = self.made.lanes
        return self.made

    def _step(self, number: int, step: StepResult, events: list[tuple[float | None, Event]]) -> None:
        self.top = top = self.base
        self.lanes, self.last = [], ""
        elements = iter(step.step.steps if isinstance(step.step, Batch) else [step.step])
        results = results_of(self.run, step)
        for x, event in events:
            element = None
            if event.kind == "element":
                element = next(e for e in elements if isinstance(e, Element))
            if event.key is None:
                self._move(event, x)
            elif repr(event.key) == repr(self.key):
                if element is not None:
                    self._element(event, x, element)
                elif event.kind == "fired":
                    self._fired(event, results)
                elif event.kind in TIMERS:
                    self._timer(event, step)
                else:
                    self._cleared(event)
        self._settle(step)
        self.base = max(self.base + len(self.lanes), top + 1)
        self.made.rows.append(StepRow(number, step.step, top, self.base))

    def _element(self, event: Event, x: float | None, element: Element) -> None:
        text = element_text(self.run, element, self.key)
        if event.detail == "late" and self.watermark is not None and event.time is not None:
            text = f"{text}  late by {rough((self.watermark - event.time) / 1000)}".strip()
        elif event.detail is not None:
            text = f"{text}  {event.detail}".strip()
        x = self.span[0] if x is None else x
        beside = room(text, (x, x), self.span, self.width)
        y = self._lane("element", *self._taken(beside, x, x))
        kind = {None: "element", "late": "late"}.get(event.detail, "untimed")
        self.made.dots.append(Mark(x, y, beside, kind))
        if event.window is not None:
            self.made.missed.append((*_bounds(event.window, self.span), y))

    def _fired(self, event: Event, results: dict[str, list[str]]) -> None:
        start, end = _bounds(event.window, self.span)
        texts = results.get(window_name(event), [])
        text = texts.pop(0) if texts else ""
        timing = event.detail or "on_time"
        if timing != "on_time":
            text = f"{timing}: {text}"
        beside = room(text, (start + self.width("i"), start), self.span, self.width)
        y = self._lane("fired", *self._taken(beside, start, end))
        self.made.bars.append(Bar(start, end, y, beside, timing))
        self._opened((start, end))

    # A timer of another clock than that of the axis stands at the left edge.
    def _timer(self, event: Event, step: StepResult) -> None:
        is_here = _is_of(event, self.axis) and event.time is not None
        x = float(event.time or 0) if is_here else self.span[0]
        texts = timer_results(self.run, step, event) if event.kind == "timer_fired" else []
        clock = "" if is_here else f"{(event.detail or '').replace('_', ' ')}: "
        words = event.kind.replace("_", " ")
        text = f"{clock}{words}{': ' if texts else ''}{texts[0] if texts else ''}"
        if len(texts) > 1:
            text += f" and {len(texts) - 1} more"
        beside = room(text, (x, x), self.span, self.width)
        self.made.marks.append(
            Mark(x, self._lane(event.kind, *self._taken(beside, x, x)), beside, event.kind)
        )

    def _cleared(self, event: Event) -> None:
        bounds = _bounds(event.window, self.span)
        self._opened(bounds)
        self.alive.pop(bounds).bottom = self.base + max(len(self.lanes), 0.5)

    def _move(self, event: Event, x: float | None) -> None:
        if event.kind == "watermark":
            self.watermark = event.time
        self.last = "moved"
        if event.kind == _moving(self.axis) and self.axis != "order" and x is not None:
            self._next_lanes()
            self.made.line.append((x, self.base))
            self._beyond(x)

    # What comes next may stand in the lane of a text at the edge.
    def _beyond(self, x: float) -> None:
        pad = (self.span[1] - self.span[0]) * MARGIN
        low, high = self.span[0] - pad, self.span[1] + pad
        if low <= x <= high:
            return
        time = f"{LINES[self.axis]} {time_text(x, zone_of(self.run.zone))}"
        text = Text(f"\N{LEFTWARDS ARROW} {time}", low, is_right=True)
        if x > high:
            text = Text(f"{time} \N{RIGHTWARDS ARROW}", high, is_right=False)
        self.lanes, self.last = [[self._taken(text, text.x, text.x)]], ""
        self.made.edges.append(Edge(self.base + 0.5, text))

    # After the step: a window that is gone and was not cleaned up has been merged into a larger one.
    def _settle(self, step: StepResult) -> None:
        key = repr(self.key)
        left = [_bounds(window, self.span) for of, window in step.open if repr(of) == key]
        gone = [bounds for bounds in self.alive if bounds not in left]
        for bounds in left:
            self._opened(bounds)
        for bounds in gone:
            box = self.alive.pop(bounds)
            whole = next((b for b in left if b[0] <= bounds[0] and bounds[1] <= b[1]), None)
            if whole is None:
                box.bottom = self.base + max(len(self.lanes), 0.5)
            else:
                box.bottom = self.alive[whole].top
                self.alive[whole].parts.append(bounds)

    def _opened(self, bounds: Span) -> None:
        if bounds not in self.alive:
            here = [d.y for d in self.made.dots if d.y >= self.top and bounds[0] <= d.x < bounds[1]]
            top = min(here) - 0.5 if here else self.top
            self.alive[bounds] = box = Box(*bounds, top, top)
            self.made.boxes.append(box)

    def _taken(self, text: Text, start: float, end: float) -> Span:
        width, gap = self.width(text.text), self.width("i")
        if text.is_right:
            return start - gap, max(end, text.x + width) + gap
        return text.x - width - gap, end + gap

    # Items of one kind share a lane if they do not overlap; another kind starts below.
    def _lane(self, kind: str, start: float, end: float) -> float:
        if self.last not in (kind, ""):
            self._next_lanes()
        self.last = kind
        free = (i for i, taken in enumerate(self.lanes) if all(end < s or e < start for s, e in taken))
        i = next(free, len(self.lanes))
        if i == len(self.lanes):
            self.lanes.append([])
        self.lanes[i].append((start, end))
        return self.base + i + 0.5

    def _next_lanes(self) -> None:
        self.base += len(self.lanes)
        self.lanes = []


def _bounds(window: Row | None, span: Span) -> Span:
    return span if window is None else bounds_of(window)
