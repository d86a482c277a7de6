"""A join by window of two inputs that have one key, beside Spark's own join of two streams.

    make bench-join
    make bench-join OPTIONS="--rows 20000 --heap 1g"

Both have all rows in one micro-batch. Spark's join puts out all pairs there, and this project's when the next
one ends the window. A sink counts them. The table has the seconds of both micro-batches, each contestant in a
process of its own, in turn, and the ratio of the fastest runs.
"""

from __future__ import annotations

import argparse
import json
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING

from pyspark.sql import functions as F

import spark_windowing as sw
from local_session import local_session
from works import STORES

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession

DAY = 24 * 60 * 60 * 1000
COLUMNS = "key string, ts timestamp, value long, note string"


def write_rows(spark: SparkSession, folder: Path, rows: int) -> None:
    """Write a file of rows of one key and day, and one that ends the day."""
    ids = spark.range(0, rows, 1, 1)
    for name, frame, key, at in (
        ("0", ids, "k", F.col("id") * (DAY // rows)),
        ("1", spark.range(0, 1, 1, 1), "end", F.lit(3 * DAY)),
    ):
        note = F.md5(F.col("id").cast("string")).alias("note")
        columns = (
            F.lit(key).alias("key"),
            F.timestamp_millis(at).alias("ts"),
            F.col("id").alias("value"),
            note,
        )
        frame.select(*columns).write.parquet(str(folder / name))


def source(spark: SparkSession, folder: Path) -> DataFrame:
    """Read the files, one a micro-batch."""
    reader = spark.readStream.schema(COLUMNS).option("maxFilesPerTrigger", 1)
    return reader.parquet(f"{folder}/*").withWatermark("ts", "0 seconds")


def ours(left: DataFrame, right: DataFrame) -> DataFrame:
    """Join by window with this project."""
    keyed = (sw.key_by(rows, "key", time="ts") for rows in (left, right))
    pairs = sw.join(*keyed).window(sw.TumblingEventTimeWindows.of("1 day")).inner()
    return pairs.select(F.col("left.value").alias("a"), F.col("right.value").alias("b"))


def spark(left: DataFrame, right: DataFrame) -> DataFrame:
    """Join on key and window with Spark."""
    left, right = (rows.withColumn("window", F.window("ts", "1 day")) for rows in (left, right))
    pairs = left.alias("left").join(right.alias("right"), ["key", "window"])
    return pairs.select(F.col("left.value").alias("a"), F.col("right.value").alias("b"))


CONTESTANTS = {"ours": ours, "spark": spark}


def run(pairs: DataFrame, checkpoint: Path) -> tuple[float, int, int]:
    """Run a query over both files; its seconds, and number and total of the pairs of the key."""
    found = []

    def take(batch: DataFrame, _: int) -> None:
        found.append(batch.agg(F.count("*"), F.sum(F.col("a") + F.col("b"))).first())

    writer = pairs.writeStream.foreachBatch(take).option("checkpointLocation", str(checkpoint))
    query = writer.trigger(availableNow=True).start()
    query.awaitTermination()
    seconds = sum(p["durationMs"]["triggerExecution"] for p in query.recentProgress) / 1000
    return seconds, sum(n for n, _ in found), sum(total or 0 for _, total in found)


def measure(name: str, rows: int, heap: str, store: str) -> None:
    """Run a contestant twice, first with few rows, and print the second run as JSON."""
    settings = {**STORES[store], "spark.sql.shuffle.partitions": "1"}
    session = local_session(heap, settings)
    with tempfile.TemporaryDirectory() as temporary:
        for count in (200, rows):
            folder = Path(temporary) / str(count)
            write_rows(session, folder / "in", count)
            left, right = source(session, folder / "in"), source(session, folder / "in")
            seconds, n, total = run(CONTESTANTS[name](left, right), folder / "checkpoint")
            # Spark does not wait for the window of the row that ends the day, which is a pair with itself.
            assert n in (count**2, count**2 + 1), n
            assert total == count**2 * (count - 1), total
    session.stop()
    print(json.dumps(seconds))


def main(arguments: list[str]) -> None:
    """Run both in turn and print the table."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--rows", type=int, default=6000, help="rows of each input (default %(default)s)")
    parser.add_argument("--heap", default="2g", help="heap of the JVM (default %(default)s)")
    parser.add_argument("--store", choices=STORES, default="memory", help="state store (default %(default)s)")
    parser.add_argument("--rounds", type=int, default=3, help="runs of each (default %(default)s)")
    parser.add_argument("--only", choices=CONTESTANTS, help="run this one alone")
    parser.add_argument("--once", choices=CONTESTANTS, help=argparse.SUPPRESS)
    options = parser.parse_args(arguments)
    if options.once:
        measure(options.once, options.rows, options.heap, options.store)
        return
    names = [options.only] if options.only else list(CONTESTANTS)
    seconds: dict[str, list[float]] = {name: [] for name in names}
    for _ in range(options.rounds):
        for name in names:
            command = [sys.executable, __file__, *arguments, "--once", name]
            done = subprocess.run(command, stdout=subprocess.PIPE, text=True, check=True)
            seconds[name].append(json.loads(done.stdout.splitlines()[-1]))
    print(f"{options.rows:,} x {options.rows:,} pairs, {options.store}, heap {options.heap}, seconds")
    for name in names:
        print(f"{name:>6}: {', '.join(f'{one:.1f}' for one in seconds[name])}")
    if len(names) > 1:
        print(f"Spark / ours: {min(seconds['spark']) / min(seconds['ours']):.2f}")


if __name__ == "__main__":
    main(sys.argv[1:])
