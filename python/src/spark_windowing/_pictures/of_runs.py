"""The picture of a simulation."""

from __future__ import annotations

from itertools import pairwise
from typing import TYPE_CHECKING, Any

from spark_windowing._pictures.drawing import (
    BLUE,
    GREEN,
    GREY,
    LEGEND_ROWS,
    PINK,
    RED,
    SKY,
    TIMINGS,
    draw_bar,
    draw_box,
    draw_text,
    faint,
    inches_of,
    left_margin,
    legend_below,
    paper,
    pyplot,
    text_width,
    time_axis,
    time_text,
    zone_of,
)
from spark_windowing._pictures.texts import MARGIN, short
from spark_windowing._pictures.timeline import (
    LINES,
    Timeline,
    axis_of,
    keys_of,
    span_of,
    timeline_of,
)
from spark_windowing._simulation.steps import Batch, Element, ProcessingTime, Watermark

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from spark_windowing._pictures.timeline import Mark, Span, StepRow
    from spark_windowing._simulation.run import Run

_MOST_PANELS = 6
_HIGHEST = 60.0  # all lanes, in inches
_LEAST = 2.0  # of the axes, in inches
_RIGHT, _ABOVE, _BELOW = 0.15, 0.35, 1.25  # margins of a panel, in inches; the left one follows the labels
_SIZE = 8.5  # of texts
# Colour, colour of the edge, marker and label of the legend; None is the colour of the paper.
_MARKS = {
    "element": (BLUE, None, "o", "row"),
    "late": (RED, None, "X", "row that came too late"),
    "untimed": (RED, None, "D", "row without event time"),
    "timer_set": (None, GREEN, "v", "timer set"),
    "timer_deleted": (GREY, GREY, "x", "timer deleted"),
    "timer_fired": (GREEN, GREEN, "v", "timer fires"),
}
# In the order of the legend: as time goes on.
_LEGEND = (
    "element",
    "window",
    "merge",
    "timer_set",
    "timer_deleted",
    "timer_fired",
    "processing time",
    "watermark",
    "lateness",
    "fired-early",
    "fired-on_time",
    "fired-late",
    "late",
    "missed",
    "untimed",
)


def draw_run(run: Run, key: object, ax: Axes | None, width: float) -> Axes | list[Axes]:
    """Draw the keys of a run; the arguments are those of `Run.plot`."""
    plt = pyplot()
    keys = _chosen(run, key, ax)
    if ax is not None:
        _legend(ax, _Panel(run, keys[0], ax).draw(), _SIZE)
        return ax
    span = span_of(run)
    left = _left(run, keys, span)
    inner = width - left - _right(width - left)
    if inner < _LEAST:
        raise ValueError(
            f"width: the picture needs {left + _right(_LEAST) + _LEAST:.1f} inches, not {width!r}"
        )
    size, lane = _sizes(run, keys, span, inner)
    heights = [max(1.0, lane * _lanes(run, k, span, size, inner)) for k in keys]
    total = sum(heights) + _ABOVE * len(keys) + 0.5 * (len(keys) - 1) + _BELOW
    figure = plt.figure(figsize=(width, total))
    axes: list[Axes] = []
    handles: dict[str, Any] = {}
    top = total
    for k, height in zip(keys, heights, strict=True):
        top -= _ABOVE + height
        made = figure.add_axes((left / width, top / total, inner / width, height / total))
        handles.update(_Panel(run, k, made, size=size).draw())
        axes.append(made)
        top -= 0.5
    rows = _legend(axes[-1], handles, size, left)
    _make_room_below(figure, axes, max(0, rows - LEGEND_ROWS) * size * 1.6 / 72)
    return axes[0] if len(axes) == 1 else axes


def _legend(ax: Axes, handles: dict[str, Any], size: float, left: float = 0) -> int:
    if not handles:
        return 0
    return legend_below(ax, [handles[gid] for gid in _LEGEND if gid in handles], size, left)


def _make_room_below(figure: Any, axes: list[Axes], inches: float) -> None:
    width, before = figure.get_size_inches()
    height = before + inches
    figure.set_size_inches(width, height)
    for ax in axes:
        x, y, wide, high = ax.get_position().bounds
        ax.set_position((x, (y * before + inches) / height, wide, high * before / height))


# The last label of the horizontal axis can stand at its end.
def _right(inches: float) -> float:
    return max(_RIGHT, text_width("00:00:00 ", _SIZE) / 2 - inches * MARGIN)


def _chosen(run: Run, key: object, ax: Axes | None) -> list[tuple[object, ...]]:
    keys = keys_of(run)
    names = ", ".join(repr(k[0]) if len(k) == 1 else repr(k) for k in keys)
    if key is not None:
        wanted = repr(key if isinstance(key, tuple) else (key,))
        found = [k for k in keys if repr(k) == wanted]
        if not found:
            raise ValueError(f"key: the run has no key {key!r}; its keys are {names or 'none'}")
        return found
    most = _MOST_PANELS if ax is None else 1
    if len(keys) > most:
        raise ValueError(
            f"key: the run has {len(keys)} keys, and there is room for {most}: choose one with "
            f"plot(key=..), {short(names, 200)}"
        )
    return keys or [()]


def _lanes(run: Run, key: tuple[object, ...], span: Span, size: float, inner: float) -> float:
    return timeline_of(run, key, span, lambda text: _units(text, size, span, inner)).lanes


def _units(text: str, size: float, span: Span, inches: float) -> float:
    return text_width(text, size) * 1.06 * (span[1] - span[0]) / inches


# Many steps are drawn smaller; with very many, texts overlap.
def _sizes(run: Run, keys: list[tuple[object, ...]], span: Span, inner: float) -> tuple[float, float]:
    lanes = sum(_lanes(run, k, span, _SIZE, inner) for k in keys)
    lane = min(0.34, max(0.19, 11 / lanes), _HIGHEST / lanes)
    return (_SIZE if lane > 0.26 else 7.0), lane  # noqa: PLR2004


def _left(run: Run, keys: list[tuple[object, ...]], span: Span) -> float:
    rows = [row for k in keys for row in timeline_of(run, k, span, len).rows]
    return left_margin([_row_text(run, row) for row in rows], _SIZE)


def _row_text(run: Run, row: StepRow) -> str:
    step = row.step
    if isinstance(step, Batch):
        text = f"batch of {len(step.steps)}"
    elif isinstance(step, (Watermark, ProcessingTime)):
        text = f"{step.name.replace('_', ' ')} {_moved(run, row, step.name)}"
    elif isinstance(step, Element):
        text = "row"
    else:
        text = type(step).__name__.replace("SnapshotRestore", "restart").lower()
    return f"{text}   {row.number}"


def _moved(run: Run, row: StepRow, kind: str) -> str:
    result = run.steps[row.number]
    moved = [e.time for e in result.events if e.kind == kind and e.time is not None]
    return time_text(moved[-1] if moved else (result.watermark or 0), zone_of(run.zone))


class _Panel:
    def __init__(self, run: Run, key: tuple[object, ...], ax: Axes, *, size: float = _SIZE) -> None:
        self.run, self.ax, self.size = run, ax, size
        self.axis = axis_of(run)
        self.zone = zone_of(run.zone)
        self.span = span_of(run)
        self.width = inches_of(ax)[0]
        self.made = timeline_of(run, key, self.span, self._units)
        self.handles: dict[str, Any] = {}

    def _units(self, text: str) -> float:
        return _units(text, self.size, self.span, self.width)

    def draw(self) -> dict[str, Any]:
        """Draw everything and return the legend handles."""
        made = self.made
        pad = (self.span[1] - self.span[0]) * MARGIN
        self.ax.set_xlim(self.span[0] - pad, self.span[1] + pad)
        self.ax.set_ylim(made.lanes, 0)
        self._rows(made)
        self._boxes(made)
        self._line(made)
        self._bars(made)
        self._marks([*made.dots, *made.marks])
        if made.key:
            names = zip(self.run.keys, made.key, strict=True)
            self.ax.set_title(
                short(", ".join(f"{n} = {v}" for n, v in names), 90), loc="left", fontsize=self.size + 1.5
            )
        if self.axis == "order":
            self.ax.set_xlabel("rows, in the order in which they came", fontsize=self.size)
            self.ax.set_xticks(range(int(self.span[0]), int(self.span[1]) + 1))
            self.ax.tick_params(axis="x", labelsize=self.size)
        else:
            time_axis(self.ax, self.span, self.axis, self.zone, self.size)
        return self.handles

    def _rows(self, made: Timeline) -> None:
        self.ax.set_yticks([(row.top + row.bottom) / 2 for row in made.rows])
        self.ax.set_yticklabels([_row_text(self.run, row) for row in made.rows], fontsize=self.size)
        self.ax.annotate(
            "step",
            (0, 1),
            (-6, 5),
            xycoords="axes fraction",
            textcoords="offset points",
            ha="right",
            fontsize=self.size,
            color=faint(0.67),
        )
        self.ax.set_yticks([row.top for row in made.rows], minor=True)
        self.ax.tick_params(axis="y", which="both", length=0)
        for row in made.rows[1:]:
            self.ax.axhline(row.top, color=faint(0.13), linewidth=0.6, zorder=0)
        for side in ("top", "right", "left"):
            self.ax.spines[side].set_visible(False)

    def _boxes(self, made: Timeline) -> None:
        look: dict[str, Any] = {"facecolor": SKY + "2e", "edgecolor": BLUE, "linewidth": 0.9, "zorder": 1}
        for box in made.boxes:
            drawn = draw_box(self.ax, (box.start, box.end), (box.top, box.bottom), **look)
            self._add("window", "window, as long as it lives", drawn)
            if len(box.parts) > 1:
                self._merged(box.parts, box.top)
        look = {"fill": False, "edgecolor": RED, "linestyle": ":", "linewidth": 1.1, "zorder": 2}
        for start, end, y in made.missed:
            drawn = draw_box(self.ax, (start, end), (y - 0.36, y + 0.36), **look)
            self._add("missed", "window that it missed", drawn)

    # An arrow from the middle of each part down to the merged session.
    def _merged(self, parts: list[Span], y: float) -> None:
        for start, end in parts:
            middle = (start + end) / 2
            arrow = self.ax.annotate(
                "",
                xy=(middle, y + 0.45),
                xytext=(middle, y - 0.45),
                arrowprops={"arrowstyle": "-|>", "color": BLUE, "linewidth": 1.4},
                zorder=4,
            )
            arrow.set_gid("merge")
        if "merge" not in self.handles:
            from matplotlib.lines import Line2D

            self.handles["merge"] = Line2D(
                [], [], color=BLUE, marker="v", linestyle="-", label="sessions merge"
            )

    def _line(self, made: Timeline) -> None:
        if not made.line:
            return
        name = LINES[self.axis]
        low, high = self.ax.get_xlim()
        past: list[float] = []
        xs: list[float] = []
        ys: list[float] = []
        for (x, y), (_, until) in pairwise([*made.line, (0, made.lanes)]):
            inside = min(max(x, low), high)
            past += [inside, inside]
            xs += [inside, x if x == inside else float("nan")]  # as far as the edge, and not along it
            ys += [y, until]
        style = "-" if name == "watermark" else "--"
        self.ax.fill_betweenx(ys, low, past, color=GREY, alpha=0.13, linewidth=0, zorder=0)
        (line,) = self.ax.plot(xs, ys, color=PINK, linewidth=2.2, linestyle=style, zorder=3)
        for edge in made.edges:
            draw_text(self.ax, edge.text, edge.y, self.size)
        self._add(name, name if name == "processing time" else "watermark (left of it: the past)", line)
        lateness = self.run.allowed_lateness
        if name == "watermark" and lateness > 0 and self.run.is_event_time:
            at = [x - lateness if low <= x - lateness <= high else float("nan") for x, _ in made.line]
            xs = [x for x in at for _ in range(2)]
            (line,) = self.ax.plot(xs, ys, color=PINK, linewidth=1.3, linestyle=":", zorder=3)
            self._add("lateness", "watermark - allowed lateness", line)

    def _bars(self, made: Timeline) -> None:
        for bar in made.bars:
            color, marker, label = TIMINGS[bar.timing]
            look = (color, marker, label if self.run.is_event_time else "fired")
            patch, handle = draw_bar(
                self.ax, (bar.start, bar.end), bar.y, look, (bar.start + self._units("i"), self.size)
            )
            patch.set_gid(f"fired-{bar.timing}")
            draw_text(self.ax, bar.text, bar.y, self.size)
            self.handles[f"fired-{bar.timing}"] = handle

    def _marks(self, marks: list[Mark]) -> None:
        for mark in marks:
            inner, edge, marker, label = _MARKS[mark.kind]
            (line,) = self.ax.plot(
                [mark.x],
                [mark.y],
                linestyle="",
                marker=marker,
                color=inner or paper(),
                markeredgecolor=edge or paper(),
                markeredgewidth=None if edge else 0.6,
                markersize=self.size,
                zorder=6,
            )
            self._add(mark.kind, label, line)
            draw_text(self.ax, mark.text, mark.y, self.size)

    def _add(self, gid: str, label: str, artist: Any) -> None:
        artist.set_gid(gid)
        if gid not in self.handles:
            artist.set_label(label)
            self.handles[gid] = artist
