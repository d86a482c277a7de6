"""Time to write a checkpoint anew with another number of partitions: `make bench-rescale`.

    make bench-rescale
    make bench-rescale OPTIONS="--keys 5000000 --stores rocksdb --before 8 --after 32"

A query with windows of a day gets rows of all keys, and stops. `sw.rescale` moves its state, twice in turn
with Spark's own repartition of a copy, where this Spark has one for the store. A small state is moved before,
so that code is compiled. Each moved checkpoint must go on: the query fires all windows on it, and they are
counted. The table has the median seconds, and the ratio of Spark's to ours in each round.
"""

from __future__ import annotations

import argparse
import shutil
import tempfile
import time
from pathlib import Path
from statistics import median
from typing import TYPE_CHECKING

from pyspark.sql import functions as F

import spark_windowing as sw
from local_session import local_session
from works import ROCKSDB

if TYPE_CHECKING:
    from collections.abc import Callable

    from pyspark.sql import SparkSession
    from pyspark.sql.streaming import StreamingQuery

STORE = "spark.sql.streaming.stateStore"
STORES = {
    "memory": {},
    "rocksdb": ROCKSDB,
    "changelog": {**ROCKSDB, f"{STORE}.rocksdb.changelogCheckpointing.enabled": "true"},
}
FEW = 1_000  # keys of the state that is moved first


class Moved:
    """A query over files in a folder of its own, whose checkpoint is moved."""

    def __init__(self, spark: SparkSession, folder: Path, keys: int, partitions: int) -> None:
        """Run it over a row of each key."""
        self.spark, self.folder, self.keys = spark, folder, keys
        spark.conf.set("spark.sql.shuffle.partitions", partitions)
        self._rows(spark.range(keys).selectExpr("id AS key", "1000 AS second"))
        self.run(self.folder / "old").awaitTermination()

    def _rows(self, rows: object) -> None:
        rows.coalesce(2).write.mode("append").parquet(str(self.folder / "in"))  # type: ignore[attr-defined]

    def run(self, checkpoint: Path) -> StreamingQuery:
        """Take what is new to a checkpoint."""
        rows = self.spark.readStream.schema("key long, second long").parquet(str(self.folder / "in"))
        timed = rows.withColumn("ts", F.timestamp_seconds("second")).withWatermark("ts", "0 seconds")
        result = sw.key_by(timed, "key").time_window("1 day").aggregate(F.count("*").alias("n"))
        writer = result.writeStream.format("noop").option("checkpointLocation", str(checkpoint))
        return writer.trigger(availableNow=True).start()

    def time(self, move: Callable[[Path], None], name: str) -> float:
        """Move the checkpoint to one of that name; return the seconds."""
        to = self.folder / name
        begin = time.perf_counter()
        move(to)
        return time.perf_counter() - begin

    def ours(self, partitions: int) -> Callable[[Path], None]:
        """Return the way of this package."""

        def move(to: Path) -> None:
            sw.rescale(self.spark, self.folder / "old", to, partitions)

        return move

    def by_spark(self, partitions: int) -> Callable[[Path], None]:
        """Return Spark's way, which changes a checkpoint: a copy, whose time counts."""

        def move(to: Path) -> None:
            shutil.copytree(self.folder / "old", to)
            self.spark._streamingCheckpointManager.repartition(str(to), partitions)  # type: ignore[attr-defined]

        return move

    def check(self, names: list[str]) -> None:
        """Fire all windows on each checkpoint of these names, and count them."""
        self._rows(self.spark.sql("SELECT -1L AS key, 1000000L AS second"))
        for name in names:
            query = self.run(self.folder / name)
            query.awaitTermination()
            counts = [p["stateOperators"][0]["customMetrics"]["firedPanes"] for p in query.recentProgress]
            if sum(counts) != self.keys:
                raise SystemExit(f"{name} has fired {sum(counts)} windows of {self.keys}")


def measure(
    spark: SparkSession, folder: Path, keys: int, options: argparse.Namespace
) -> dict[str, list[float]]:
    """Return the seconds of each round by the way."""
    moved = Moved(spark, folder, keys, options.before)
    ways = {"ours": moved.ours(options.after)}
    is_rocksdb = "RocksDB" in spark.conf.get(f"{STORE}.providerClass", "")
    if is_rocksdb and hasattr(spark, "_streamingCheckpointManager"):
        ways["spark"] = moved.by_spark(options.after)
    seconds: dict[str, list[float]] = {way: [] for way in ways}
    names = []
    for number in range(options.rounds):
        for way, move in ways.items():
            names.append(f"{way}-{number}")  # Spark's way does not find a folder with a space in its name
            seconds[way].append(moved.time(move, names[-1]))
    moved.check(names)
    return seconds


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--keys", type=int, default=1_000_000)
    parser.add_argument("--stores", type=lambda text: text.split(","), default=list(STORES))
    parser.add_argument("--before", type=int, default=8, help="partitions of the old checkpoint")
    parser.add_argument("--after", type=int, default=20, help="partitions of the new one")
    parser.add_argument("--rounds", type=int, default=3)
    options = parser.parse_args()
    print(f"{options.keys:,} keys, {options.before} partitions to {options.after}, {options.rounds} rounds\n")
    print("| state store | sw.rescale, s | Spark's repartition of a copy, s | ratio (range) |")
    print("| --- | --- | --- | --- |")
    for name in options.stores:
        spark = local_session("6g", STORES[name])
        with tempfile.TemporaryDirectory() as folder:
            for part, keys in (("few", FEW), ("all", options.keys)):
                (Path(folder) / part).mkdir()
                seconds = measure(spark, Path(folder) / part, keys, options)
        spark.stop()
        ours, theirs = seconds["ours"], seconds.get("spark", [])
        ratios = sorted(b / a for a, b in zip(ours, theirs, strict=bool(theirs)))
        line = [name, f"{median(ours):.1f}", f"{median(theirs):.1f}" if theirs else "no such store"]
        print(f"| {' | '.join(line)} | {_shown(ratios)} |", flush=True)


def _shown(ratios: list[float]) -> str:
    return f"{median(ratios):.2f} ({ratios[0]:.2f} to {ratios[-1]:.2f})" if ratios else ""


if __name__ == "__main__":
    main()
