"""One key whose window of a day keeps all its rows, filled in many micro-batches: time and bytes of each.

Rows that are kept are stored once, in pieces, so a micro-batch costs what it adds. Beside it the same totals
as aggregates, which keep a few numbers.

With --days 12 --window "1 second" most rows have a window of their own, and all windows are open until the
last micro-batch, which fires them. With --touched 50 there are 50 micro-batches of one row in between, each
in another of the windows: what a change costs beside all others.
"""

from __future__ import annotations

import argparse
import contextlib
import statistics
import sys
import tempfile
from dataclasses import dataclass
from pathlib import Path

from pyspark.sql import Column, DataFrame, SparkSession
from pyspark.sql import functions as F

import spark_windowing as sw
from jvm import Jvm
from transform_with_state import SCALA

DAY = 24 * 60 * 60 * 1000
STORES = {
    "hdfs": {},
    "rocksdb": {
        "spark.sql.streaming.stateStore.providerClass": "org.apache.spark.sql.execution.streaming.state."
        "RocksDBStateStoreProvider",
        "spark.sql.streaming.stateStore.rocksdb.changelogCheckpointing.enabled": "true",
    },
}


@dataclass(frozen=True)
class Batch:
    """Micro-batch of a run: `written` are bytes of its changelogs, `updates` milliseconds of its tasks."""

    rows: int
    state: int
    seconds: float
    written: int
    updates: int


@dataclass(frozen=True)
class Run:
    """Run of a query: its micro-batches, the bytes of all other files of the state, and its results."""

    batches: list[Batch]
    snapshots: int
    result: list

    @property
    def written(self) -> int:
        """All bytes written as state."""
        return sum(batch.written for batch in self.batches) + self.snapshots


@dataclass(frozen=True)
class Shape:
    """How many rows there are, over how many days, in how many micro-batches, and in which windows.

    Rows that are shuffled come in any order, over all micro-batches. Those that touch come last, one by one.
    """

    rows: int = 1_000_000
    batches: int = 100
    days: int = 1
    window: str = "1 day"
    shuffled: bool = False
    touched: int = 0


def write_rows(spark: SparkSession, folder: Path, shape: Shape) -> None:
    """Write a file a micro-batch, all of one key, then one that ends all windows."""
    size = shape.rows // shape.batches
    for i in range(shape.batches):
        ids = spark.range(i * size, (i + 1) * size, 1, 1)
        at = F.pmod(F.col("id") * 15485863, F.lit(shape.rows)) if shape.shuffled else F.col("id")
        part = ids.select(
            F.lit("k").alias("key"),
            F.timestamp_millis((at * (shape.days * DAY // shape.rows)).cast("long")).alias("ts"),
            F.col("id").alias("value"),
            F.md5(F.col("id").cast("string")).alias("note"),
        )
        part.write.parquet(str(folder / f"{i:04}"))
    for i in range(shape.touched):
        at = (i + 1) * 15485863 % shape.rows * (shape.days * DAY // shape.rows)
        touch = spark.range(0, 1, 1, 1).select(
            F.lit("k").alias("key"),
            F.timestamp_millis(F.lit(at)).alias("ts"),
            F.lit(1).cast("long").alias("value"),
            F.lit("").alias("note"),
        )
        touch.write.parquet(str(folder / f"b{i:04}"))
    end = spark.range(0, 1, 1, 1).select(
        F.lit("end").alias("key"),
        F.timestamp_millis(F.lit(3 * (shape.days + 1) * DAY)).alias("ts"),
        F.lit(0).cast("long").alias("value"),
        F.lit("").alias("note"),
    )
    end.write.parquet(str(folder / "end"))


def source(spark: SparkSession, folder: Path, shape: Shape) -> DataFrame:
    """Read the files, one a micro-batch; no window is over before the last."""
    return (
        spark.readStream.schema("key string, ts timestamp, value long, note string")
        .option("maxFilesPerTrigger", 1)
        .parquet(f"{folder}/*")
        .withWatermark("ts", f"{shape.days + 1} days")
    )


def windows(spark: SparkSession, folder: Path, shape: Shape) -> sw.WindowedStream:
    """Give the windows of the rows."""
    return sw.key_by(source(spark, folder, shape), "key").time_window(shape.window)


def totals() -> tuple[Column, ...]:
    """Give what both plans compute."""
    return F.count("*").alias("n"), F.sum("value").alias("total"), F.max("note").alias("note")


PLANS = {
    "all rows kept (evictor)": lambda w: w.evictor(sw.CountEvictor.of(1 << 30)).aggregate(*totals()),
    "aggregates": lambda w: w.aggregate(*totals()),
}


def of_list_state(rows: DataFrame) -> DataFrame:
    """Give the same totals by the ListState of `transformWithState`, in Scala."""
    spark = rows.sparkSession
    made = spark._jvm.dev.sparkwindowing.bench.streams.ProcessorLists.apply(rows._jdf)  # type: ignore[union-attr]
    return DataFrame(made, spark)


def run(result: DataFrame, checkpoint: Path) -> Run:
    """Run a query over all files."""
    rows = []
    written = []

    def take(batch: DataFrame, _: int) -> None:
        rows.extend(map(tuple, batch.collect()))
        written.append(files(checkpoint))

    query = (
        result.writeStream.foreachBatch(take)
        .option("checkpointLocation", str(checkpoint))
        .trigger(availableNow=True)
        .start()
    )
    query.awaitTermination()
    batches = [
        Batch(
            progress["numInputRows"],
            int(progress["stateOperators"][0]["customMetrics"].get("stateBytes", 0)),
            progress["durationMs"]["triggerExecution"] / 1000,
            sum(size for path, size in after.items() if path not in before and is_change(path)),
            progress["stateOperators"][0]["allUpdatesTimeMs"],
        )
        for progress, before, after in zip(query.recentProgress, [{}, *written], written, strict=False)
    ]
    snapshots = {path: size for found in written for path, size in found.items() if not is_change(path)}
    return Run(batches, sum(snapshots.values()), rows)


def files(checkpoint: Path) -> dict[Path, int]:
    """Give the files of the state with their sizes, without checksums; some may go meanwhile."""
    found = {}
    for path in (checkpoint / "state").rglob("*"):
        with contextlib.suppress(FileNotFoundError):
            if path.is_file() and not path.name.startswith("."):
                found[path] = path.stat().st_size
    return found


def is_change(path: Path) -> bool:
    """Tell what a micro-batch writes from snapshots."""
    return path.suffix in (".delta", ".changelog")


def show(name: str, done: Run) -> None:
    """Print ten of the micro-batches and the whole."""
    kept = 0
    print(f"\n{name}\n{'micro-batch':>12}{'rows so far':>14}{'state, MB':>12}{'seconds':>10}")
    filling = [batch for batch in done.batches if batch.rows][:-1]
    for i, batch in enumerate(filling, start=1):
        kept += batch.rows
        if i == 1 or i % max(1, len(filling) // 10) == 0:
            print(f"{i:>12}{kept:>14,}{batch.state / 1e6:>12.2f}{batch.seconds:>10.2f}")
    seconds = sum(batch.seconds for batch in done.batches)
    print(
        f"in all {seconds:.1f} s; {done.batches[-1].seconds:.1f} s for the micro-batch that fires "
        f"{len(done.result):,} windows; {(done.written - done.snapshots) / 1e6:.1f} MB written as state, and "
        f"{done.snapshots / 1e6:.1f} MB of snapshots"
    )
    touched = [batch for batch in filling if batch.rows == 1]
    if touched:
        print(
            f"{len(touched)} micro-batches of one row, medians: "
            f"{statistics.median(batch.updates for batch in touched)} ms of updates, "
            f"{statistics.median(batch.written for batch in touched) / 1000:.1f} KB written"
        )


def main(arguments: list[str]) -> None:
    """Run all plans, compare their results, print what each cost."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--rows", type=int, default=1_000_000, help="rows of the key (default %(default)s)")
    parser.add_argument(
        "--batches", type=int, default=100, help="micro-batches they come in (default %(default)s)"
    )
    parser.add_argument("--days", type=int, default=1, help="days they are spread over (default %(default)s)")
    parser.add_argument("--window", default="1 day", help="size of a window (default %(default)s)")
    parser.add_argument(
        "--shuffled", action="store_true", help="rows in any order instead of that of their times"
    )
    parser.add_argument(
        "--store", choices=STORES, default="hdfs", help="the state store (default %(default)s)"
    )
    parser.add_argument(
        "--touched", type=int, default=0, help="micro-batches of one row at the end (default %(default)s)"
    )
    parser.add_argument(
        "--lists",
        action="store_true",
        help="also the ListState of Spark's transformWithState, in Scala, and Flink's list state on RocksDB "
        "with a checkpoint each 250 ms; for --store rocksdb and one day",
    )
    options = parser.parse_args(arguments)
    if options.rows % options.batches:
        parser.error(f"--rows: a multiple of --batches, got {options.rows} and {options.batches}")
    if options.lists and (options.store, options.days, options.window, options.touched) != (
        "rocksdb",
        1,
        "1 day",
        0,
    ):
        parser.error("--lists: only for --store rocksdb and one window of a day, and without --touched")
    shape = Shape(
        options.rows, options.batches, options.days, options.window, options.shuffled, options.touched
    )
    builder = SparkSession.builder.master("local[2]").config("spark.driver.memory", "6g")
    settings = {
        "spark.ui.enabled": "false",
        "spark.driver.host": "127.0.0.1",
        "spark.sql.shuffle.partitions": "1",
        "spark.sql.session.timeZone": "UTC",
        "spark.sql.streaming.numRecentProgressUpdates": "10000",
        **STORES[options.store],
        **SCALA,
    }
    for name, value in settings.items():
        builder = builder.config(name, value)
    spark = sw.configure(builder).getOrCreate()
    with tempfile.TemporaryDirectory() as temporary:
        folder = Path(temporary)
        write_rows(spark, folder / "in", shape)
        runs = {
            name: run(plan(windows(spark, folder / "in", shape)), folder / str(i))
            for i, (name, plan) in enumerate(PLANS.items())
        }
        if options.lists:
            result = of_list_state(source(spark, folder / "in", shape))
            runs["all rows kept (ListState of transformWithState)"] = run(result, folder / "lists")
    spark.stop()
    for name, done in runs.items():
        show(name, done)
    first, *others = [sorted(done.result) for done in runs.values()]
    if any(other != first for other in others):
        sys.exit("the plans gave different results")
    print(f"\nequal results: {len(first):,} windows")
    if options.lists:
        ((_, _, *result),) = first
        with Jvm() as jvm:
            jvm.ask("lists", rows=shape.rows // 10, interval=250)  # warm
            flink = jvm.ask("lists", rows=shape.rows, interval=250)
        if flink["result"] != [result]:
            sys.exit(f"Flink gave {flink['result']}, not {result}")
        print(
            f"\nFlink: {flink['seconds']:.1f} s, {flink['written'] / 1e6:.1f} MB written as "
            f"{flink['checkpoints']} checkpoints; equal result"
        )


if __name__ == "__main__":
    main(sys.argv[1:])
