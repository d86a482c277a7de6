"""Draw the pictures of the pages from simulations, as SVG: ``make pictures``.

Each function below is a picture of its name: it gives a declaration and the steps that are drawn. A picture
has colours for light and for dark pages. One of them is also drawn as it grows, step by step.
"""

from __future__ import annotations

import re
import sys
from io import StringIO
from itertools import pairwise
from pathlib import Path

import spark_windowing as sw
from pyspark.sql import DataFrame, SparkSession
from pyspark.sql import functions as F
from spark_windowing import sim

FOLDER = Path(__file__).parent / "pictures"
TEN = sw.TumblingEventTimeWindows.of("10 seconds")
SCATTERED = (1, 7, 13, 33)


def at(second, user="ann"):
    return sim.element(user=user, ts=second * 1000)


def watermark(second):
    return sim.watermark(second * 1000)


def clock(second):
    return sim.processing_time(second * 1000)


def rows(*seconds):
    return [at(second) for second in seconds]


def watermark_behind_rows(keyed):
    """A watermark 5 s behind the highest event time so far."""
    strategy = sw.WatermarkStrategy.for_bounded_out_of_orderness("5 seconds")
    steps = [step for n, row in enumerate(rows(13, 21, 17, 25, 31)) for step in (row, sim.probe(n))]
    return keyed.window(TEN), steps, strategy


def tumbling(keyed):
    return keyed.window(TEN), [*rows(*SCATTERED), watermark(60)]


def sliding(keyed):
    windows = sw.SlidingEventTimeWindows.of("10 seconds", "5 seconds")
    return keyed.window(windows), [*rows(*SCATTERED), watermark(60)]


def cumulative(keyed):
    windows = sw.CumulativeEventTimeWindows.of("30 seconds", "10 seconds")
    return keyed.window(windows), [*rows(*SCATTERED), watermark(60)]


def sessions(keyed):
    """Two sessions that a third row makes one, and one more."""
    windows = sw.EventTimeSessionWindows.with_gap("8 seconds")
    return keyed.window(windows), [*rows(1, 13, 7, 33), watermark(60)]


def count(keyed):
    """The global window, fired and emptied at every second row."""
    return keyed.count_window(2), rows(*SCATTERED)


def early_and_late(keyed):
    """Two firings by the clock, one on time, one for a late row."""
    windows = keyed.window(TEN).trigger(sw.AfterWatermark.of(early="2 seconds"))
    steps = [clock(0), at(1), clock(2), at(4), clock(4), watermark(10), at(3), watermark(15)]
    return windows.allowed_lateness("5 seconds"), steps


def late(keyed):
    """A correction within the allowed lateness, and a row that comes too late for it."""
    windows = keyed.window(TEN).allowed_lateness("5 seconds").side_output_late_data("late")
    return windows, [at(1), watermark(10), at(5), watermark(15), at(8)]


def micro_batches(keyed):
    """Three micro-batches: the watermark rises behind the rows of each, and windows fire then."""
    batches = [sim.batch(rows(2, 6)), sim.batch(rows(14, 4, 18)), sim.batch(rows(22))]
    return keyed.window(TEN), batches, sw.WatermarkStrategy.for_monotonous_timestamps()


PICTURES = (
    watermark_behind_rows,
    tumbling,
    sliding,
    cumulative,
    sessions,
    count,
    early_and_late,
    late,
    micro_batches,
)


MOVING = (early_and_late,)
# Ink and paper.
LIGHT, DARK = ("#1f2328", "#ffffff"), ("#e6edf3", "#0d1117")
COLOR = re.compile(r"(?:fill|stroke): (#[0-9a-f]{6})")
# Seconds of a moving picture: for a step, for its appearance at the start of them, for the whole picture at the end.
STEP, APPEARANCE, WHOLE = 0.9, 0.3, 2.0
WIDTH = 4.8  # in inches: a phone shrinks the texts by a quarter
AXIS = 0.5  # half of the line under the steps, which stays


def svg_of(run: sim.Run, ink: str, paper: str) -> tuple[str, list[float]]:
    """Draw a run in two colours; returns the SVG, and where in it each step begins and the last one ends."""
    from matplotlib import pyplot as plt

    texts = ("text.color", "axes.labelcolor", "axes.edgecolor", "xtick.color", "ytick.color")
    style = dict.fromkeys(texts, ink) | dict.fromkeys(("figure.facecolor", "axes.facecolor"), paper)
    with plt.rc_context({**style, "svg.hashsalt": "pictures"}):  # the same bytes each time
        ax = run.plot(width=WIDTH)
        file = StringIO()
        ax.figure.savefig(file, format="svg", metadata={"Date": None})
        plt.close(ax.figure)
    inches = ax.figure.get_size_inches()[1]
    ends = [*ax.get_yticks(minor=True), ax.get_ylim()[0]]
    shares = ax.transData.transform([(0, end) for end in ends])[:, 1] / ax.figure.bbox.height
    return file.getvalue(), [round(float(1 - share) * inches * 72, 2) for share in shares]


def with_style(svg: str, rules: list[str]) -> str:
    """Add rules of CSS to those of the picture."""
    return svg.replace("</style>", "\n" + "\n".join(rules) + "</style>", 1)


def in_both_colors(light: str, dark: str) -> str:
    """Return the light picture with the colours of the dark one for pages that are dark."""
    pairs = zip(COLOR.findall(light), COLOR.findall(dark), strict=True)
    changes = sorted({(a, b) for a, b in pairs if a != b})
    rules = [
        f'[style*="{what}: {a}"] {{ {what}: {b} !important }}'
        for a, b in changes
        for what in ("fill", "stroke")
    ]
    return with_style(light, ["@media (prefers-color-scheme: dark) {", *rules, "}"])


def moving(svg: str, ends: list[float]) -> str:
    """Cover the steps that are still to come. It begins with the whole picture, which is there without motion."""
    seconds = STEP * (len(ends) - 1) + WHOLE
    ends = [*ends[:-1], round(ends[-1] - AXIS, 2)]
    times, tops = [0.0], [ends[0]]
    for step, (top, end) in enumerate(pairwise(ends)):
        times += [STEP * step, STEP * step + APPEARANCE]
        tops += [top, end]
    times, tops = [*times, seconds], [*tops, ends[-1]]
    values = {"y": tops, "height": [round(ends[-1] - top, 2) for top in tops]}
    shares = ";".join(f"{time / seconds:.4f}" for time in times)
    animations = "".join(
        f'\n  <animate attributeName="{name}" begin="{WHOLE - seconds:.1f}s" dur="{seconds:.1f}s" '
        'repeatCount="indefinite" '
        f'keyTimes="{shares}" values="{";".join(map(str, of_name))}"/>'
        for name, of_name in values.items()
    )
    cover = (
        f' <rect class="cover" x="0" y="{ends[-1]}" width="100%" height="0" style="fill: {LIGHT[1]}">'
        f"{animations}\n </rect>\n"
    )
    drawing, end, _ = svg.rpartition("</svg>")
    rules = ["@media (prefers-reduced-motion: reduce) { .cover { display: none } }"]
    return with_style(f"{drawing}{cover}{end}\n", rules)


def draw(stream: DataFrame, folder: Path) -> None:
    """Draw all pictures into a folder; the stream has the columns `user` and `ts`, and a watermark."""
    for picture in PICTURES:
        windows, steps, *strategy = picture(sw.key_by(stream, "user"))
        result = windows.aggregate(F.count("*").alias("n"))
        run = sw.simulate(result, steps, watermarks=strategy[0] if strategy else None)
        light, ends = svg_of(run, *LIGHT)
        svg = in_both_colors(light, svg_of(run, *DARK)[0])
        (folder / f"{picture.__name__}.svg").write_text(svg, encoding="utf-8")
        if picture in MOVING:
            (folder / f"{picture.__name__}_moving.svg").write_text(moving(svg, ends), encoding="utf-8")


def main() -> None:
    """Draw them where the pages look for them, or into the folder that is named."""
    folder = Path(sys.argv[1]) if len(sys.argv) > 1 else FOLDER
    folder.mkdir(exist_ok=True)
    spark = (
        SparkSession.builder.master("local[2]")
        .config("spark.ui.enabled", "false")
        .config("spark.sql.session.timeZone", "UTC")
        .getOrCreate()
    )
    rate = spark.readStream.format("rate").load().withWatermark("timestamp", "5 seconds")
    draw(rate.selectExpr("string(NULL) AS user", "timestamp AS ts"), folder)


if __name__ == "__main__":
    main()
