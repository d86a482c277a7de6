"""Small micro-batches beside many silent keys: `make bench-silent`.

    make bench-silent                                       # up to a million silent keys
    make bench-silent OPTIONS="--keys 1000,5000000 --stores rocksdb --queries ours,spark"

A first micro-batch opens a session of a day for each silent key. Then each micro-batch has 1,000 rows of
1,000 other keys and moves the watermark by ten seconds, far from the end of any session. The table has the
median time of these micro-batches (`triggerExecution`), and its ratio to that with the fewest silent keys,
which run once before, so that code is compiled.

`dropDuplicates` shows what Spark's state store itself takes for as many keys: it looks at no key without rows
as long as none is over. `transformWithState` needs RocksDB.
"""

from __future__ import annotations

import argparse
import shutil
import statistics
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING

from pyspark.sql import functions as F

import spark_windowing as sw
import transform_with_state
from local_session import local_session
from works import STORES

if TYPE_CHECKING:
    from collections.abc import Callable

    from pyspark.sql import DataFrame, SparkSession

ROWS = 1_000
DAY = 86_400_000
STEP = 10_000  # milliseconds from one micro-batch to the next


def ours(rows: DataFrame) -> DataFrame:
    """Sessions of this project."""
    windows = sw.key_by(rows, "key").window(sw.EventTimeSessionWindows.with_gap("1 day"))
    return windows.aggregate(F.count("*").alias("n"), F.sum("value").alias("total"))


def spark_sessions(rows: DataFrame) -> DataFrame:
    """Spark's own sessions."""
    windows = rows.groupBy("key", F.session_window("ts", "1 day"))
    return windows.agg(F.count("*").alias("n"), F.sum("value").alias("total"))


def processor(rows: DataFrame) -> DataFrame:
    """Sessions by a stateful processor in Python."""
    return transform_with_state.sessions(rows.withColumn("value", F.col("value").cast("double")), DAY)


def scala_processor(rows: DataFrame) -> DataFrame:
    """Sessions by a stateful processor in Scala."""
    return transform_with_state.sessions_in_scala(
        rows.withColumn("value", F.col("value").cast("double")), DAY
    )


def duplicates(rows: DataFrame) -> DataFrame:
    """One small state row a key, and no timers."""
    return rows.dropDuplicates(["key"])


CONTESTANTS: dict[str, tuple[str, Callable[[DataFrame], DataFrame]]] = {
    "ours": ("this project, sessions", ours),
    "spark": ("Spark's own, sessions", spark_sessions),
    "duplicates": ("Spark's own, dropDuplicates", duplicates),
    "scala": ("transformWithState in Scala, sessions", scala_processor),
    "python": ("transformWithState in Python, sessions", processor),
}


def write_rows(spark: SparkSession, folder: Path, keys: int, batches: int) -> None:
    """Write a file with the silent keys, then one a micro-batch."""

    def write(name: str, first_key: int, count: int, start: int) -> None:
        rows = spark.range(first_key, first_key + count, 1, 2 if count > ROWS else 1).select(
            F.col("id").alias("key"),
            F.timestamp_millis(F.lit(start) + F.col("id") % STEP).alias("ts"),
            F.col("id").alias("value"),
        )
        rows.coalesce(1).write.parquet(str(folder / name))

    write("00000", ROWS, keys, 0)
    for i in range(1, batches + 1):
        write(f"{i:05}", 0, ROWS, i * STEP)


def seconds(
    spark: SparkSession, folder: Path, query: Callable[[DataFrame], DataFrame], batches: int
) -> float:
    """Run a query over all files; return the median time of the later half of its micro-batches."""
    rows = (
        spark.readStream.schema("key long, ts timestamp, value long")
        .option("maxFilesPerTrigger", 1)
        .parquet(f"{folder}/*")
        .withWatermark("ts", "10 seconds")
    )
    with tempfile.TemporaryDirectory() as checkpoint:
        started = (
            query(rows)
            .writeStream.format("noop")
            .outputMode("append")
            .option("checkpointLocation", checkpoint)
            .trigger(availableNow=True)
            .start()
        )
        started.awaitTermination()
        times = [
            p["durationMs"]["triggerExecution"] for p in started.recentProgress if p["numInputRows"] == ROWS
        ]
    return statistics.median(times[batches // 2 :]) / 1000


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument(
        "--keys", default="1000,100000,1000000", help="numbers of silent keys (default: %(default)s)"
    )
    parser.add_argument("--batches", type=int, default=30, help="micro-batches of 1,000 rows (default: 30)")
    parser.add_argument("--stores", default="memory,rocksdb", help="state stores (default: %(default)s)")
    parser.add_argument("--queries", default=",".join(CONTESTANTS), help="queries (default: %(default)s)")
    options = parser.parse_args()
    counts = [int(n) for n in options.keys.split(",")]
    spark = local_session("8g", transform_with_state.SCALA)
    print("| state store | query | silent keys | seconds a micro-batch | ratio |")
    print("| --- | --- | --- | --- | --- |")
    with tempfile.TemporaryDirectory() as folder:
        for store in options.stores.split(","):
            for name, query in (CONTESTANTS[query] for query in options.queries.split(",")):
                if query in (processor, scala_processor) and store != "rocksdb":
                    continue  # it is refused there
                least = 0.0
                for keys in counts:
                    files = Path(folder) / str(keys)
                    if not files.exists():
                        write_rows(spark, files, keys, options.batches)
                    session = spark.newSession()
                    for setting, value in STORES[store].items():
                        session.conf.set(setting, value)
                    if keys == counts[0]:
                        seconds(session, files, query, options.batches)
                    took = seconds(session, files, query, options.batches)
                    least = least or took
                    print(f"| {store} | {name} | {keys:,} | {took:.3f} | {took / least:.2f} |", flush=True)
    spark.stop()
    shutil.rmtree("spark-warehouse", ignore_errors=True)


if __name__ == "__main__":
    main()
