"""Picture of the windows in result rows."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from spark_windowing._pictures.drawing import (
    BLUE,
    NO_ZONE,
    TIMINGS,
    draw_bar,
    draw_text,
    faint,
    inches_of,
    left_margin,
    legend_below,
    pyplot,
    text_width,
    time_axis,
    zone_of,
)
from spark_windowing._pictures.texts import MARGIN, plain_text, room, short

if TYPE_CHECKING:
    from collections.abc import Sequence

    from matplotlib.axes import Axes
    from pyspark.sql import Column, DataFrame, Row

    from spark_windowing._pictures.texts import Text

_MOST_ROWS = 300
_SIZE = 8.5
_WIDTH, _RIGHT, _ABOVE, _BELOW = 10.0, 0.15, 0.2, 0.95  # inches


def plot_windows(
    df: DataFrame, *, key: str | Sequence[str] | None = None, value: str | None = None, ax: Axes | None = None
) -> Axes:
    """Draw the windows of result rows with matplotlib: a bar per row over time, by key.

    A window that fired several times has several bars, below each other; with a column ``pane``
    (`with_pane`) they are in order and marked as early, on time or late. The global window fills the width.

    Parameters
    ----------
    df
        A static DataFrame with a column ``window``, a struct of start and end: the output of a query, or a
        result on a static DataFrame. At most 300 rows are drawn.
    key
        Key column or columns; by default all before ``window``.
    value
        Column to write on the bars.
    ax
        The axes to draw on; by default those of a new figure.

    Returns
    -------
    Axes
        The axes drawn on; ``.figure.savefig(..)`` saves the picture.

    Raises
    ------
    SparkWindowingError
        If matplotlib is not installed.
    ValueError
        If the DataFrame is a stream, has no such columns, no rows, or more than 300.

    Examples
    --------
    >>> result = (
    ...     sw.key_by(clicks, "user", time="ts")
    ...     .time_window("10 seconds")
    ...     .aggregate(F.sum("price").alias("spent"))
    ... )
    >>> ax = sw.plot_windows(result, value="spent")
    >>> [label.get_text() for label in ax.get_yticklabels()]
    ['a', 'b']
    """
    keys = _columns(df, key, value)
    plt = pyplot()
    rows = _collected(df, keys, value)
    bounds = [(row.start, row.end) for row in rows if row.start is not None]
    span = (float(min(s for s, _ in bounds)), float(max(e for _, e in bounds))) if bounds else (0.0, 1.0)
    left = left_margin([_name(row) for row in rows], _SIZE)
    inches = _WIDTH - left - _RIGHT if ax is None else inches_of(ax)[0]
    bands = _bands(rows, span, inches)
    if ax is None:
        lanes = bands[-1].bottom
        height = max(0.6, lanes * min(0.34, max(0.19, 11 / lanes)))
        total = height + _ABOVE + _BELOW
        figure = plt.figure(figsize=(_WIDTH, total))
        ax = figure.add_axes((left / _WIDTH, _BELOW / total, inches / _WIDTH, height / total))
    zone = (
        zone_of(df.sparkSession.conf.get("spark.sql.session.timeZone") or "UTC") if _is_zoned(df) else NO_ZONE
    )
    _draw(ax, bands, span, inches)
    if bounds:
        time_axis(ax, span, "time", zone, _SIZE)
    else:
        ax.set_xticks([])
    return ax


@dataclass
class _Bar:
    row: Row
    text: Text
    lane: int


@dataclass
class _Band:
    """Windows of a key."""

    name: str
    top: int
    bars: list[_Bar] = field(default_factory=list)
    lanes: list[list[tuple[float, float]]] = field(default_factory=list)

    @property
    def bottom(self) -> int:
        return self.top + len(self.lanes)


def _columns(df: DataFrame, key: str | Sequence[str] | None, value: str | None) -> list[str]:
    if df.isStreaming:
        raise ValueError(
            "plot_windows draws rows that are there, and this DataFrame is a stream. Let a query write them, "
            'df.writeStream.format("memory").queryName("results").start(), and draw what it wrote, '
            'plot_windows(spark.table("results"))'
        )
    names = df.columns
    window = next((f.dataType.simpleString() for f in df.schema if f.name == "window"), None)
    if window not in {f"struct<start:{time},end:{time}>" for time in ("timestamp", "timestamp_ntz")}:
        what = f"its column window is {window}" if window else f"it has {', '.join(names)}"
        raise ValueError(f"plot_windows takes rows with a column window of start and end; {what}")
    keys = names[: names.index("window")] if key is None else [key] if isinstance(key, str) else list(key)
    for argument, name in [*(("key", k) for k in keys), ("value", value)]:
        if name is not None and name not in names:
            raise ValueError(f"{argument}: there is no column {name!r}; the columns are {', '.join(names)}")
    return keys


def _is_zoned(df: DataFrame) -> bool:
    return "timestamp_ntz" not in df.schema["window"].dataType.simpleString()


def _millis(bound: str, *, is_zoned: bool) -> Column:
    """Return the epoch milliseconds of a bound. One without a time zone is taken as UTC."""
    from pyspark.sql import functions as F

    time = F.col(bound)
    if is_zoned:
        return F.unix_millis(time)
    minutes = F.unix_date(time.cast("date")).cast("long") * 1440 + F.hour(time) * 60 + F.minute(time)
    return minutes * 60_000 + (F.date_part(F.lit("SECOND"), time) * 1000).cast("long")


def _collected(df: DataFrame, keys: list[str], value: str | None) -> list[Row]:
    from pyspark.sql import functions as F

    def column(name: str) -> Any:
        return F.col("`" + name.replace("`", "``") + "`")

    panes = [f for f in df.schema if f.name == "pane" and "timing" in getattr(f.dataType, "names", [])]
    rows = df.select(
        F.array(*(column(k).cast("string") for k in keys)).cast("array<string>").alias("key"),
        _millis("window.start", is_zoned=_is_zoned(df)).alias("start"),
        _millis("window.end", is_zoned=_is_zoned(df)).alias("end"),
        (column(value) if value is not None else F.lit(None)).alias("value"),
        (F.col("pane.timing") if panes else F.lit(None)).alias("timing"),
        (F.col("pane.number") if panes else F.lit(0)).alias("index"),
    ).head(_MOST_ROWS + 1)
    if len(rows) > _MOST_ROWS:
        raise ValueError(
            f"plot_windows draws at most {_MOST_ROWS} rows, and there are more: choose some, df.where(..)"
        )
    if not rows:
        raise ValueError("plot_windows: there are no rows to draw")
    by_key = [tuple(k or "null" for k in row.key) for row in rows]
    first = float("-inf")
    order = sorted(
        range(len(rows)),
        key=lambda i: (by_key[i], first if rows[i].start is None else rows[i].start, rows[i]["index"]),
    )
    return [rows[i] for i in order]


def _name(row: Row) -> str:
    return short(", ".join(k or "null" for k in row.key), 24)


def _bands(rows: list[Row], span: tuple[float, float], inches: float) -> list[_Band]:
    unit = (span[1] - span[0]) / inches
    bands: list[_Band] = []
    for row in rows:
        name = _name(row)
        if not bands or bands[-1].name != name:
            bands.append(_Band(name, bands[-1].bottom if bands else 0))
        start, end = _span_of(row, span)
        text = "" if row.value is None else plain_text(row.value)
        text = short(f"{row.timing}: {text}" if row.timing in ("early", "late") else text, 48)
        mark = start + text_width("i", _SIZE) * unit if row.timing is not None else start
        placed = room(text, (mark, start), span, lambda t: text_width(t, _SIZE) * 1.06 * unit)
        width = text_width(placed.text, _SIZE) * unit
        low = start if placed.is_right else placed.x - width
        high = max(end, placed.x + width) if placed.is_right else end
        _put(bands[-1], _Bar(row, placed, 0), low, high)
    return bands


def _put(band: _Band, bar: _Bar, low: float, high: float) -> None:
    free = (i for i, taken in enumerate(band.lanes) if all(high <= s or e <= low for s, e in taken))
    bar.lane = next(free, len(band.lanes))
    if bar.lane == len(band.lanes):
        band.lanes.append([])
    band.lanes[bar.lane].append((low, high))
    band.bars.append(bar)


def _span_of(row: Row, span: tuple[float, float]) -> tuple[float, float]:
    return span if row.start is None else (row.start, row.end)


def _draw(ax: Axes, bands: list[_Band], span: tuple[float, float], inches: float) -> None:
    pad = (span[1] - span[0]) * MARGIN
    ax.set_xlim(span[0] - pad, span[1] + pad)
    ax.set_ylim(bands[-1].bottom, 0)
    ax.set_yticks([(band.top + band.bottom) / 2 for band in bands])
    ax.set_yticklabels([band.name for band in bands], fontsize=_SIZE)
    ax.tick_params(axis="y", length=0)
    for side in ("top", "right", "left"):
        ax.spines[side].set_visible(False)
    for band in bands[1:]:
        ax.axhline(band.top, color=faint(0.13), linewidth=0.8, zorder=0)
    handles: dict[str, Any] = {}
    mark = text_width("i", _SIZE) * (span[1] - span[0]) / inches
    for band in bands:
        for bar in band.bars:
            color, marker, label = TIMINGS.get(bar.row.timing, (BLUE, "", ""))
            start, end = _span_of(bar.row, span)
            y = band.top + bar.lane + 0.5
            handle = draw_bar(ax, (start, end), y, (color, marker, label), (start + mark, _SIZE))
            handle[0].set_gid(f"window-{bar.row.timing}" if label else "window")
            draw_text(ax, bar.text, y, _SIZE)
            if label:
                handles[bar.row.timing] = handle[1]
    shown = [handles[timing] for timing in TIMINGS if timing in handles]
    if shown:
        legend_below(ax, shown, _SIZE)
