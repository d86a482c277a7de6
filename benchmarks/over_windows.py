"""Over windows on a stream and on a static DataFrame, beside Spark's `Window.rangeBetween`.

    make venv && .venv/bin/python benchmarks/over_windows.py
    .venv/bin/python benchmarks/over_windows.py --events 200000 --lengths 10,600

Each event gets count, sum and maximum over the events of its key in the seconds before it. Spark's own window
functions take static DataFrames only, so the stream is compared with this project on a static DataFrame. On
fewer events, in order, it is also compared with a query without over windows: a global window that fires at
each event and evicts what is too old. All results must be equal: number, sums and a hash of all rows.
"""

from __future__ import annotations

import argparse
import functools
import shutil
import tempfile
import time
from pathlib import Path
from typing import TYPE_CHECKING

from pyspark.sql import Window
from pyspark.sql import functions as F

import spark_windowing as sw
from local_session import local_session

if TYPE_CHECKING:
    from collections.abc import Callable

    from pyspark.sql import Column, DataFrame, SparkSession

FILES = 8
DISORDER = 2  # seconds that an event may be behind


def write_events(spark: SparkSession, count: int, keys: int, folder: Path, disorder: int = DISORDER) -> None:
    """Write events, ten a second of each key, in files that a stream reads one in a micro-batch."""
    for i in range(FILES):
        ids = spark.range(i * count // FILES, (i + 1) * count // FILES, 1, 1)
        behind = F.pmod(F.xxhash64("id"), F.lit(max(1, disorder * 1000)))
        at = (F.col("id") * 100 / keys).cast("long") - behind
        events = ids.select(
            (F.col("id") % keys).alias("key"),
            F.timestamp_millis(at + 1_000_000).alias("ts"),
            F.pmod(F.xxhash64("id", F.lit(1)), F.lit(1000)).alias("value"),
        )
        events.write.parquet(str(folder / f"{i}"))


def aggregates(over: Callable[[Column], Column] = lambda column: column) -> list[Column]:
    """Return what is computed, each through `over`."""
    columns = {"n": F.count("*"), "total": F.sum("value"), "most": F.max("value")}
    return [over(column).alias(name) for name, column in columns.items()]


def ours(events: DataFrame, seconds: int) -> DataFrame:
    """Compute them with this project."""
    windows = sw.key_by(events, "key", time="ts").window(
        sw.OverEventTimeWindows.preceding(f"{seconds} seconds")
    )
    return (
        windows.with_row().aggregate(*aggregates()).select("key", "row.ts", "row.value", "n", "total", "most")
    )


def by_hand(events: DataFrame, seconds: int) -> DataFrame:
    """Compute them, for events in order, with a global window that fires at each event."""
    windows = (
        sw.key_by(events, "key", time="ts")
        .window(sw.GlobalWindows.create())
        .trigger(sw.CountTrigger.of(1))
        .evictor(sw.TimeEvictor.of(f"{1000 * seconds + 1} milliseconds"))
    )
    return windows.aggregate(F.max("ts").alias("ts"), *aggregates()).select("key", "ts", "n", "total", "most")


def spark_own(events: DataFrame, seconds: int) -> DataFrame:
    """Compute them with Spark's window functions."""
    bounds = Window.partitionBy("key").orderBy(F.unix_millis("ts")).rangeBetween(-1000 * seconds, 0)
    return events.select("key", "ts", "value", *aggregates(lambda column: column.over(bounds)))


def digest(rows: DataFrame) -> tuple[int, ...]:
    """Return figures that are equal if the rows are, in any order."""
    figures = [F.count("*"), F.sum("n"), F.sum("total"), F.sum("most"), F.bit_xor(F.xxhash64(*rows.columns))]
    return tuple(rows.agg(*figures).head())  # type: ignore[arg-type]


def seconds_of(run: Callable[[], object], rounds: int) -> float:
    """Return the time of the fastest round."""
    times = []
    for _ in range(rounds):
        start = time.perf_counter()
        run()
        times.append(time.perf_counter() - start)
    return min(times)


def stream(spark: SparkSession, folder: Path) -> DataFrame:
    """Read the files as a stream whose watermark waits for every event."""
    reader = spark.readStream.schema("key BIGINT, ts TIMESTAMP, value BIGINT").option("maxFilesPerTrigger", 1)
    return reader.parquet(f"{folder}/*").withWatermark("ts", f"{2 * DISORDER} seconds")


def run_stream(result: DataFrame, found: list[DataFrame] | None = None) -> None:
    """Run a query over all files, into nothing or into a list."""
    checkpoint = tempfile.mkdtemp()
    try:
        writer = result.writeStream.option("checkpointLocation", checkpoint).trigger(availableNow=True)
        if found is None:
            writer.format("noop").start().awaitTermination()
        else:
            collect = lambda rows, _: found.append(rows.localCheckpoint())  # noqa: E731
            writer.foreachBatch(collect).start().awaitTermination()
    finally:
        shutil.rmtree(checkpoint)


def rows_of(result: DataFrame) -> DataFrame:
    """Run a query over all files and return its rows."""
    found: list[DataFrame] = []
    run_stream(result, found)
    return functools.reduce(lambda rows, more: rows.union(more), found)


def check_by_hand(spark: SparkSession, folder: Path, length: int) -> None:
    """Stop if the global window gives other rows than the over window; it also has the last seconds.

    Raises
    ------
    SystemExit
        With the figures.
    """
    expected = rows_of(ours(stream(spark, folder), length)).drop("value")
    last = expected.agg(F.max("ts")).head()[0]  # type: ignore[index]
    rows = rows_of(by_hand(stream(spark, folder), length)).where(F.col("ts") <= last)
    if digest(rows) != digest(expected):
        raise SystemExit(f"{length} s: {digest(rows)} by hand, {digest(expected)} by over windows")


def check_equal(spark: SparkSession, folder: Path, length: int) -> int:
    """Stop if results differ; the number of the stream's rows, which lacks the last seconds.

    Raises
    ------
    SystemExit
        With the figures.
    """
    events = spark.read.parquet(f"{folder}/*")
    expected = digest(spark_own(events, length))
    if digest(ours(events, length)) != expected:
        raise SystemExit(f"{length} s: {digest(ours(events, length))}, Spark has {expected}")
    rows = rows_of(ours(stream(spark, folder), length))
    last = rows.agg(F.max("ts")).head()[0]  # type: ignore[index]
    if digest(rows) != digest(spark_own(events, length).where(F.col("ts") <= last)):
        raise SystemExit(f"{length} s: the stream gives other results up to {last}")
    return rows.count()


def times_of(spark: SparkSession, folder: Path, length: int, rounds: int) -> list[float]:
    """Return the seconds on a stream, on a static DataFrame, and with Spark's window functions."""
    events = spark.read.parquet(f"{folder}/*")

    def write(result: DataFrame) -> None:
        result.write.format("noop").mode("append").save()

    return [
        seconds_of(lambda: run_stream(ours(stream(spark, folder), length)), rounds),
        seconds_of(lambda: write(ours(events, length)), rounds),
        seconds_of(lambda: write(spark_own(events, length)), rounds),
    ]


def compare_by_hand(spark: SparkSession, folder: Path, lengths: list[int], events: int, rounds: int) -> None:
    """Print a line for each length: seconds on a stream with over windows and by hand."""
    print("| window | events in order | over windows, stream, s | by hand, stream, s |")
    print("| --- | ---: | ---: | ---: |")
    for length in lengths:
        check_by_hand(spark, folder, length)
        times = [
            seconds_of(lambda: run_stream(windows(stream(spark, folder), length)), rounds)  # noqa: B023
            for windows in (ours, by_hand)
        ]
        print(f"| {length} s | {events} |", " | ".join(f"{t:.1f}" for t in times), "|")


def main() -> None:
    """Print a line for each length."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--events", type=int, default=2_000_000)
    parser.add_argument("--by-hand", type=int, default=1_000_000, help="events of the comparison by hand")
    parser.add_argument("--keys", type=int, default=1_000)
    parser.add_argument("--lengths", default="10,60", help="seconds of the windows, with commas")
    parser.add_argument("--rounds", type=int, default=3)
    options = parser.parse_args()
    spark = local_session("4g", {})
    folder = Path(tempfile.mkdtemp())
    lengths = [int(length) for length in options.lengths.split(",")]
    try:
        write_events(spark, options.events, options.keys, folder / "disorder")
        write_events(spark, options.by_hand, options.keys, folder / "order", disorder=0)
        print("| window | events | stream, s | static, s | Spark's rangeBetween, static, s |")
        print("| --- | ---: | ---: | ---: | ---: |")
        for length in lengths:
            check_equal(spark, folder / "disorder", length)
            times = times_of(spark, folder / "disorder", length, options.rounds)
            print(f"| {length} s | {options.events} |", " | ".join(f"{t:.1f}" for t in times), "|")
        compare_by_hand(spark, folder / "order", lengths, options.by_hand, options.rounds)
    finally:
        shutil.rmtree(folder)
        spark.stop()


if __name__ == "__main__":
    main()
