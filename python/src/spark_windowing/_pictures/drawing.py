"""Elements of all pictures: colours, time axis, texts, legend."""

from __future__ import annotations

from datetime import datetime, timedelta, timezone, tzinfo
from itertools import pairwise
from typing import TYPE_CHECKING, Any

from spark_windowing._gateway.errors import SparkWindowingError

if TYPE_CHECKING:
    from collections.abc import Sequence

    from matplotlib.axes import Axes

    from spark_windowing._pictures.texts import Text

# Okabe and Ito's palette, for colour-blind people.
BLUE, SKY, GREEN, ORANGE, RED, PINK, GREY = (
    "#0072B2",
    "#56B4E9",
    "#009E73",
    "#E69F00",
    "#D55E00",
    "#CC79A7",
    "#999999",
)
# Colour, marker and label of each timing.
TIMINGS = {
    "early": (ORANGE, "<", "fired early"),
    "on_time": (GREEN, "o", "fired on time"),
    "late": (RED, "s", "fired late"),
}
LEGEND_ROWS = 3  # for which a picture has room
_STEPS = [
    *(m * u for u in (1, 10, 100) for m in (1, 2, 5)),
    *(m * u for u in (1000, 60_000) for m in (1, 2, 5, 10, 15, 30)),
    *(h * 3_600_000 for h in (1, 2, 3, 6, 12)),
    *(d * 86_400_000 for d in (1, 2, 7, 14, 30, 90, 365, 3650, 36500)),
]


def pyplot() -> Any:
    """Import matplotlib.

    Raises
    ------
    SparkWindowingError
        If it is not installed.
    """
    try:
        from matplotlib import pyplot as plt
    except ImportError:
        raise SparkWindowingError(
            "Pictures are drawn with matplotlib, which is not installed.",
            'pip install "spark-windowing[plot]"',
        ) from None
    return plt


def ink() -> str:
    """Return the colour of texts in matplotlib's current style."""
    from matplotlib import rcParams
    from matplotlib.colors import to_hex

    return to_hex(rcParams["text.color"])


def paper() -> str:
    """Return the colour behind the data in matplotlib's current style, white if there is none."""
    from matplotlib import rcParams
    from matplotlib.colors import to_hex, to_rgba

    colors = (rcParams[name] for name in ("axes.facecolor", "figure.facecolor"))
    return next((to_hex(color) for color in colors if to_rgba(color)[3]), "#ffffff")


def faint(share: float) -> str:
    """Return a share of the ink on paper, for lines and texts that stand back."""
    from matplotlib.colors import to_hex, to_rgb

    pairs = zip(to_rgb(ink()), to_rgb(paper()), strict=True)
    red, green, blue = (share * of_ink + (1 - share) * of_paper for of_ink, of_paper in pairs)
    return to_hex((red, green, blue))


# Zone of times without one: those of a wall clock, as if it were UTC's.
NO_ZONE = timezone(timedelta(0), "no time zone")


def zone_of(name: str) -> tzinfo:
    """Return a time zone by name; UTC for one that Python does not know."""
    from zoneinfo import ZoneInfo

    try:
        return ZoneInfo(name)
    except (ValueError, OSError, KeyError):
        return timezone.utc


def text_width(text: str, size: float) -> float:
    """Estimate the width of a text in inches."""
    return len(text) * size * 0.56 / 72


def left_margin(labels: Sequence[str], size: float) -> float:
    """Return the room in inches that the labels of the vertical axis need, and half a label of the other."""
    return max([0.5, *(text_width(label, size) for label in labels)]) + 0.2


def inches_of(ax: Axes) -> tuple[float, float]:
    """Return width and height of axes in inches."""
    box = ax.get_window_extent()
    dpi = ax.figure.dpi
    return box.width / dpi, box.height / dpi


def time_axis(ax: Axes, span: tuple[float, float], name: str, zone: tzinfo, size: float) -> None:
    """Label the horizontal axis at round times; `span` is in epoch milliseconds."""
    most = max(2, int(inches_of(ax)[0] / text_width("00:00:00  ", size)))
    step = next((s for s in _STEPS if (span[1] - span[0]) / s <= most), _STEPS[-1])
    first = _held(span[0], zone)
    offset = (first.utcoffset() or timedelta()) // timedelta(milliseconds=1)
    start = -(-int(span[0] + offset) // step) * step - offset
    ticks = list(range(start, int(span[1]) + 1, step)) or [int(span[0])]
    one_day = first.date() == _held(span[1], zone).date()
    ax.set_xticks(ticks)
    moments = [_held(tick, zone) for tick in ticks]
    texts = [_tick(moment, step) for moment in moments]
    if not one_day:
        for i, moment in enumerate(moments):
            # The first label has a date too, unless the second one has another date.
            before, after = (moments[j].date() if 0 <= j < len(moments) else None for j in (i - 1, i + 1))
            if before != moment.date() and (i or after == moment.date()):
                texts[i] += f"\n{moment:%Y-%m-%d}"
    if step >= 86_400_000:  # noqa: PLR2004
        texts = [f"{_held(tick, zone):%Y-%m-%d}" for tick in ticks]
    ax.set_xticklabels(texts, fontsize=size)
    ax.set_xlabel(f"{name}{f' on {first:%Y-%m-%d}' if one_day else ''} ({zone})", fontsize=size)


def time_text(millis: float, zone: tzinfo) -> str:
    """Return the time of day."""
    try:
        moment = _local(millis, zone)
    except (OverflowError, ValueError):
        return "the end of time" if millis > 0 else "the first time there is"
    return _tick(moment, 1 if moment.microsecond else 1000)


def legend_below(ax: Axes, handles: Sequence[Any], size: float, left: float = 0) -> int:
    """Put the legend under the time axis, in as few rows as its width allows; it reads down its columns.

    A legend of many rows begins further left, by the inches that are free there. Returns the number of rows.
    """
    width, height = inches_of(ax)
    widths = [text_width(str(h.get_label()), size) + size * 0.063 for h in handles]
    columns = _columns(widths, width)
    begin = 0.0
    if left and len(widths) > LEGEND_ROWS * columns:
        begin, columns = -left / width, _columns(widths, ax.figure.bbox.width / ax.figure.dpi)
    ax.legend(
        handles=list(handles),
        loc="upper left",
        bbox_to_anchor=(begin, -0.62 / height),
        ncols=columns,
        fontsize=size,
        frameon=False,
        borderaxespad=0,
        handletextpad=0.5,
    )
    return -(-len(widths) // columns)


def draw_box(ax: Axes, span: tuple[float, float], lanes: tuple[float, float], **look: Any) -> Any:
    """Draw a rectangle between two times and two places in lanes."""
    from matplotlib.patches import Rectangle

    start, top = span[0], lanes[0]
    return ax.add_patch(Rectangle((start, top), span[1] - start, lanes[1] - top, **look))


def draw_bar(
    ax: Axes,
    span: tuple[float, float],
    y: float,
    look: tuple[str, str, str],
    mark: tuple[float, float],
) -> tuple[Any, Any]:
    """Draw a fired window, as a bar with a mark.

    Parameters
    ----------
    ax
        Axes to draw on.
    span
        Start and end of the bar.
    y
        Middle of its lane, which has a height of one.
    look
        Colour, marker and label of the legend.
    mark
        Place of the mark, and the size of the texts.

    Returns
    -------
    tuple
        The bar and its legend handle.
    """
    from matplotlib.lines import Line2D

    color, marker, label = look
    x, size = mark
    edge = ink()
    lanes = y - 0.34, y + 0.34
    bar = draw_box(ax, span, lanes, facecolor=color + "55", edgecolor=color, linewidth=1.4, zorder=4)
    if marker:
        ax.plot([x], [y], marker=marker, color=color, markeredgecolor=edge, markersize=size - 2.5, zorder=6)
    return bar, Line2D([], [], color=color, marker=marker, linewidth=5, markeredgecolor=edge, label=label)


def draw_text(ax: Axes, text: Text, y: float, size: float) -> None:
    """Draw a placed text."""
    ax.text(
        text.x,
        y,
        text.text,
        ha="left" if text.is_right else "right",
        va="center_baseline",
        fontsize=size,
        zorder=7,
        parse_math=False,
    )


# matplotlib fills the columns evenly, the first ones with one more; widths are in inches.
def _columns(widths: list[float], width: float) -> int:
    for rows in range(1, len(widths) + 1):
        columns = -(-len(widths) // rows)
        least, more = divmod(len(widths), columns)
        starts = [i * least + min(i, more) for i in range(columns + 1)]
        if sum(max(widths[a:b]) for a, b in pairwise(starts)) <= width:
            return columns
    return 1


def _local(millis: float, zone: tzinfo) -> datetime:
    return (datetime(1970, 1, 1, tzinfo=timezone.utc) + timedelta(milliseconds=millis)).astimezone(zone)


def _held(millis: float, zone: tzinfo) -> datetime:
    """Return the time, clamped to the range of Python's datetime."""
    try:
        return _local(millis, zone)
    except (OverflowError, ValueError):
        return (datetime.max if millis > 0 else datetime.min).replace(tzinfo=timezone.utc)  # noqa: DTZ901


def _tick(moment: datetime, step: float) -> str:
    if step < 1000:  # noqa: PLR2004
        return f"{moment:%H:%M:%S}.{moment.microsecond // 1000:03d}"
    return f"{moment:%H:%M:%S}" if step < 60_000 or moment.second else f"{moment:%H:%M}"  # noqa: PLR2004
