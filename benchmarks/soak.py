"""`make soak`: sessions of a million keys for a long time in little memory, with the state in RocksDB.

It prints memory and state as they go, and fails if an event was lost, memory passed its limit, the state did
not level off, or anything of a closed window was left in the state store.
"""

from __future__ import annotations

import argparse
import contextlib
import shutil
import sys
import time
from pathlib import Path
from typing import TYPE_CHECKING, Any

from pyspark.sql import SparkSession
from pyspark.sql import functions as F

import spark_windowing as sw

if TYPE_CHECKING:
    from pyspark.sql import DataFrame
    from pyspark.sql.streaming import StreamingQuery

FOLDER = Path(__file__).resolve().parents[1] / "target" / "soak"
STORE = "spark.sql.streaming.stateStore"
SETTINGS = {
    "spark.driver.memory": "2500m",
    "spark.driver.host": "127.0.0.1",
    "spark.ui.enabled": "false",
    "spark.ui.showConsoleProgress": "false",
    "spark.sql.session.timeZone": "UTC",
    "spark.sql.shuffle.partitions": "4",
    "spark.sql.streaming.minBatchesToRetain": "5",
    f"{STORE}.providerClass": "org.apache.spark.sql.execution.streaming.state.RocksDBStateStoreProvider",
    f"{STORE}.rocksdb.changelogCheckpointing.enabled": "true",
    f"{STORE}.rocksdb.boundedMemoryUsage": "true",
    f"{STORE}.rocksdb.maxMemoryUsageMB": "400",
}
MINUTE = 60_000
COLUMNS = "{:>12} {:>10} {:>12} {:>11} {:>9} {:>9} {:>9}"


def arguments() -> argparse.Namespace:
    """Return what the command line says."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None)
    parser.add_argument("--events", type=int, default=20_000_000)
    parser.add_argument("--keys", type=int, default=1_000_000)
    parser.add_argument(
        "--rows", type=int, default=200_000, help="events a micro-batch, a minute of event time"
    )
    parser.add_argument("--memory", type=float, default=4.0, help="GiB that the JVM may take at most")
    return parser.parse_args()


def events(spark: SparkSession, options: argparse.Namespace) -> DataFrame:
    """Return `options.events` events, one in a thousand an hour late, then one row a micro-batch."""
    source = (
        spark.readStream.format("rate-micro-batch")
        .option("rowsPerBatch", options.rows)
        .option("advanceMillisPerBatch", MINUTE)
        .option("startTimestamp", 1_000 * MINUTE)
        .option("numPartitions", 2)
        .load()
    )
    value = F.col("value")
    is_event = value < options.events
    late = F.when(value % 1000 == 0, 60 * MINUTE).otherwise(0)
    moved = F.pmod(F.hash(value), F.lit(MINUTE)) - late
    millis = F.unix_millis("timestamp") + F.when(is_event, moved).otherwise(120 * MINUTE)
    key = F.when(is_event, F.pmod(F.xxhash64(value), F.lit(options.keys))).otherwise(-1)
    rows = source.where(is_event | (value % options.rows == 0))
    return rows.select(key.alias("key"), F.timestamp_millis(millis).alias("ts"), value).withWatermark(
        "ts", "10 seconds"
    )


class Counts:
    """What came out, of real keys."""

    def __init__(self) -> None:
        self.sessions = self.events = 0

    def take(self, batch: DataFrame, _: int) -> None:
        """Add a micro-batch; the function of `foreachBatch`."""
        row = batch.where("key >= 0").agg(F.count("*"), F.coalesce(F.sum("n"), F.lit(0))).first()
        assert row
        self.sessions += row[0]
        self.events += row[1]


def jvm(spark: SparkSession) -> Any:
    """Return the door to the classes of the JVM."""
    return spark.sparkContext._jvm  # type: ignore[attr-defined]


def resident(pid: int, what: str = "VmRSS") -> float:
    """Return the memory of a process in GiB, `VmHWM` for the most that it ever was."""
    lines = Path(f"/proc/{pid}/status").read_text().splitlines()
    return int(next(line.split()[1] for line in lines if line.startswith(what))) / 2**20


def size(folder: Path) -> float:
    """Return the size of the files below a folder in MiB; they may go while it looks."""
    total = 0
    for file in folder.rglob("*"):
        with contextlib.suppress(FileNotFoundError):
            total += file.stat().st_size
    return total / 2**20


class Watch:
    """Follows a query and prints a line now and then."""

    def __init__(self, pid: int, options: argparse.Namespace, every: int) -> None:
        self._pid, self._options, self._every = pid, options, every
        self.keys: list[int] = []
        self.late = 0
        self._seen = -1
        print(COLUMNS.format("events", "open", "state rows", "state MiB", "disk MiB", "JVM GiB", "rows/s"))

    def look(self, query: StreamingQuery) -> dict[str, Any] | None:
        """Take the progress of the micro-batches since the last look; return the last."""
        progress = None
        for progress in (p for p in query.recentProgress if p["batchId"] > self._seen):
            self._seen = progress["batchId"]
            if not progress["stateOperators"]:
                continue
            state = progress["stateOperators"][0]
            self.keys.append(state["numRowsTotal"])
            self.late += state["customMetrics"]["numLateRecordsDropped"]
            if self._seen % self._every == 0:
                self._print(progress, state)
        return progress

    def _print(self, progress: Any, state: Any) -> None:
        metrics = state["customMetrics"]
        print(
            COLUMNS.format(
                f"{min((self._seen + 1) * self._options.rows, self._options.events):,}",
                f"{metrics['openWindows']:,}",
                f"{state['numRowsTotal']:,}",
                f"{metrics['stateBytes'] / 2**20:,.0f}",
                f"{size(FOLDER):,.0f}",
                f"{resident(self._pid):.2f}",
                f"{progress['processedRowsPerSecond']:,.0f}",
            ),
            flush=True,
        )


def main() -> int:
    """Run the query until all events have gone through and all windows are closed; return 1 if it failed."""
    options = arguments()
    shutil.rmtree(FOLDER, ignore_errors=True)
    checkpoint = FOLDER / "checkpoint"
    builder = SparkSession.builder.master("local[2]").appName("soak")
    for name, value in SETTINGS.items():
        builder = builder.config(name, value)
    spark = sw.configure(builder).getOrCreate()
    spark.sparkContext.setLogLevel("ERROR")
    pid = int(jvm(spark).java.lang.ProcessHandle.current().pid())

    counts = Counts()
    gap = sw.EventTimeSessionWindows.with_gap("10 minutes")
    sessions = sw.key_by(events(spark, options), "key").window(gap)
    result = sessions.aggregate(F.count("*").alias("n"), F.sum("value").alias("total"))
    writer = result.writeStream.foreachBatch(counts.take).option("checkpointLocation", str(checkpoint))
    batches = -(-options.events // options.rows)
    watch = Watch(pid, options, every=max(1, batches // 10))
    start = time.perf_counter()
    query = writer.start()
    while query.isActive:
        progress = watch.look(query)
        if progress and progress["batchId"] > batches + 3:
            break
        time.sleep(0.5)
    took = time.perf_counter() - start
    query.stop()
    if failed := query.exception():
        raise failed

    left = spark.read.format("statestore").load(str(checkpoint)).where("key.key >= 0").count()
    peak = resident(pid, "VmHWM")
    spark.stop()
    shutil.rmtree(FOLDER, ignore_errors=True)
    steady = watch.keys[batches // 4 : batches]
    print(
        f"{options.events:,} events in {took:,.0f} s: {counts.sessions:,} sessions of {counts.events:,} "
        f"events, {watch.late:,} late events dropped and counted, {left:,} closed keys left in the state "
        f"store, {max(watch.keys):,} keys at most, JVM {peak:.2f} GiB at most"
    )
    failures = [
        text
        for failed, text in (
            (counts.events + watch.late != options.events, "events are missing"),
            (left, "closed windows are still in the state store"),
            (peak > options.memory, f"more than {options.memory} GiB"),
            (
                max(steady[len(steady) // 2 :]) > 1.05 * max(steady[: len(steady) // 2]),
                "the state still grows",
            ),
        )
        if failed
    ]
    print("\n".join(failures) or "nothing lost, nothing left, memory and state level")
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
