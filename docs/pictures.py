"""Draw the pictures of the pages from simulations, as SVG: ``make pictures``.

Each function below is a picture of its name: it gives a declaration and the steps that are drawn.
"""

from __future__ import annotations

import sys
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


def draw(stream: DataFrame, folder: Path) -> None:
    """Draw all pictures into a folder; the stream has the columns `user` and `ts`, and a watermark."""
    from matplotlib import pyplot as plt

    with plt.rc_context({"svg.hashsalt": "pictures"}):  # the same bytes each time
        for picture in PICTURES:
            windows, steps, *strategy = picture(sw.key_by(stream, "user"))
            result = windows.aggregate(F.count("*").alias("n"))
            run = sw.simulate(result, steps, watermarks=strategy[0] if strategy else None)
            figure = run.plot().figure
            figure.savefig(folder / f"{picture.__name__}.svg", metadata={"Date": None}, facecolor="white")
            plt.close(figure)


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
