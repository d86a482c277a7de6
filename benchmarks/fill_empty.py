"""Windows without rows, beside windows whose results a process function of keys fills.

    make bench-fill
    make bench-fill OPTIONS="--keys 1000000 --minutes 60 --rounds 1"

Each key has a row in the first minute, and a tenth of the keys one in each later minute. A micro-batch is a
minute. The windows are of a minute, and every key has a result for each. The process function sets a timer
for the next minute with each result, and emits a count of 0 when it fires. Both keep their state in RocksDB,
and must give the same rows. The table has the fastest round of each, and the ratio.
"""

from __future__ import annotations

import argparse
import math
import shutil
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING, Any

from pyspark.sql import functions as F

import spark_windowing as sw
from local_session import local_session
from over_windows import rows_of, run_stream, seconds_of
from works import ROCKSDB

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession

MINUTE = 60_000
WARM = (1_000, 5)  # keys and minutes of the rows that are compared


def write_rows(spark: SparkSession, folder: Path, keys: int, minutes: int) -> None:
    """Write a file a minute; the last one ends the minute before it, also for a second operator."""
    for i in range(minutes + 1):
        count = keys if i == 0 else max(keys // 10, 1) if i < minutes else 1
        start = F.lit(i * MINUTE + (10 if i == minutes else 0)) + F.col("id") % (MINUTE if i < minutes else 1)
        rows = spark.range(0, count, 1, 2).select(
            F.col("id").alias("key"), F.timestamp_millis(start).alias("ts")
        )
        rows.coalesce(1).write.parquet(str(folder / f"{i:05}"))


def stream(spark: SparkSession, folder: Path) -> DataFrame:
    """Read the files as a stream."""
    reader = spark.readStream.schema("key BIGINT, ts TIMESTAMP").option("maxFilesPerTrigger", 1)
    return reader.parquet(f"{folder}/*").withWatermark("ts", "0 seconds")


def counts(rows: DataFrame) -> sw.WindowedStream[DataFrame]:
    """Windows of a minute."""
    return sw.key_by(rows, "key").time_window("1 minute")


def filled(rows: DataFrame) -> DataFrame:
    """Fill the windows."""
    result = counts(rows).fill_empty(for_at_most="1 day").aggregate(F.count("*").alias("n"))
    return result.select("key", F.col("window.end").alias("end"), "n")


def by_process(rows: DataFrame) -> DataFrame:
    """Fill the results of windows by a timer of each key."""
    minute = F.expr("INTERVAL 1 MINUTE")
    last = F.expr("INTERVAL 1 MILLISECOND")

    def emit(end: Any, n: Any) -> sw.Do:
        row = F.struct(end.alias("end"), n.alias("n"))
        return sw.Do(emit=row, event_timer=end + minute - last)

    fill = sw.ColumnProcess.of(
        state="struct(true AS seen)",
        on_element=lambda row: emit(row.window.end, row.n),
        on_event_timer=lambda time: emit(time + last, F.lit(0).cast("long")),
    )
    result = counts(rows).aggregate(F.count("*").alias("n"))
    return sw.key_by(result, "key").process(fill).select("key", "end", "n")


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--keys", type=int, default=100_000)
    parser.add_argument("--minutes", type=int, default=10)
    parser.add_argument("--rounds", type=int, default=2)
    options = parser.parse_args()
    spark = local_session("8g", ROCKSDB)
    folder = Path(tempfile.mkdtemp())
    queries = {"fill_empty": filled, "ColumnProcess": by_process}
    try:
        warm, files = folder / "warm", folder / "rows"
        write_rows(spark, warm, *WARM)
        write_rows(spark, files, options.keys, options.minutes)
        found = {name: rows_of(query(stream(spark, warm))) for name, query in queries.items()}
        digests = {
            name: rows.agg(F.count("*"), F.bit_xor(F.xxhash64(*rows.columns))).head()
            for name, rows in found.items()
        }
        if len(set(digests.values())) > 1 or found["fill_empty"].count() != math.prod(WARM):
            raise SystemExit(f"other rows: {digests}")
        print("| keys | minutes | results | fill_empty, s | results a second | ColumnProcess, s | ratio |")
        print("| ---: | ---: | ---: | ---: | ---: | ---: | ---: |")
        ours, theirs = (
            seconds_of(lambda: run_stream(query(stream(spark, files))), options.rounds)  # noqa: B023
            for query in queries.values()
        )
        results = options.keys * options.minutes
        figures = f"{ours:.1f} | {results / ours:,.0f} | {theirs:.1f} | {theirs / ours:.1f}"
        print(f"| {options.keys:,} | {options.minutes} | {results:,} | {figures} |")
    finally:
        shutil.rmtree(folder)
        spark.stop()


if __name__ == "__main__":
    main()
