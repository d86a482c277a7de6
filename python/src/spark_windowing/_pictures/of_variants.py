"""Picture of variants of a declaration."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from spark_windowing._pictures.drawing import BLUE, GREEN, GREY, ORANGE, PINK, RED, SKY, pyplot

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from pyspark.sql import DataFrame, Row

_COLOURS = (BLUE, ORANGE, GREEN, RED, PINK, SKY, GREY)


def plot_what_if(variants: DataFrame, *, ax: Axes | None = None) -> Axes:
    """Draw the variants of `what_if` with matplotlib: the share of lost rows over the wait for results.

    A point is a delay of the watermark, a line those of one lateness and trigger. The wait is that of 99 of
    100 windows, ``last_p99``; without times of arrival it is the place of the delay in its line.

    Parameters
    ----------
    variants
        What `what_if` gave, or rows of it.
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
        If the DataFrame has other columns, or no rows.

    Examples
    --------
    >>> rows = spark.sql("SELECT id AS batch, timestamp_seconds(id - id % 3 * 4) AS ts FROM range(60)")
    >>> counts = sw.keyed(time="ts").time_window("5 seconds").aggregate(F.count("*").alias("n"))
    >>> ax = sw.plot_what_if(sw.what_if(counts, rows, arrived="batch", delay=["0 seconds", "8 seconds"]))
    >>> [text.get_text() for text in ax.texts]
    ['0 ms', '8 s']
    """
    missing = {"delay", "lateness", "trigger", "rows", "lost", "last_p99"} - set(variants.columns)
    if missing:
        raise ValueError(f"plot_what_if draws what what_if gave, and there is no column {min(missing)}")
    lines: dict[tuple[str, str], list[Row]] = {}
    for row in variants.collect():
        lines.setdefault((row.lateness, row.trigger), []).append(row)
    if not lines:
        raise ValueError("there is no variant to draw")
    axes: Any = pyplot().subplots(figsize=(7, 4.5), layout="constrained")[1] if ax is None else ax
    timed = all(row.last_p99 is not None for rows in lines.values() for row in rows)
    for number, ((lateness, trigger), rows) in enumerate(lines.items()):
        waits = [row.last_p99 if timed else place for place, row in enumerate(rows)]
        shares = [100 * row.lost / max(row.rows, 1) for row in rows]
        colour = _COLOURS[number % len(_COLOURS)]
        axes.plot(waits, shares, "o-", color=colour, label=f"lateness {lateness}, trigger {trigger}")
        for wait, share, row in zip(waits, shares, rows, strict=True):
            axes.annotate(row.delay, (wait, share), xytext=(4, 4), textcoords="offset points", fontsize=8.5)
    axes.set_xlabel("seconds from the end of a window to its last result, 99 of 100" if timed else "delay")
    axes.set_ylabel("rows lost, %")
    if not timed:
        axes.set_xticks([])
    if len(lines) > 1:
        axes.legend(fontsize=8.5)
    drawn: Axes = axes
    return drawn
