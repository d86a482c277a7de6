"""Time from the row that completes a window to its result: `make bench-latency`.

    make bench-latency                                      # 1,000, 20,000 and 50,000 rows a second
    make bench-latency OPTIONS="--rates 1000 --seconds 120"
    make bench-latency OPTIONS="--steps"                    # what shortens micro-batches, a setting at a time

Rows of 100 keys come all the time, with the time at which they come as event time, and are counted in
windows of 500 ms, with a watermark without delay. So a window is complete when the first row behind its end
comes, and its latency is the time from its end until all its rows are in the sink, a `foreach` of Scala. The
table has the median, the 90th and the 99th percentile of the windows in the later half of a run, in
milliseconds. Micro-batches follow each other without a pause; the table has their median duration
(`triggerExecution`). Real-time mode is that of `sw.configure(real_time=True)`, with micro-batches of 60
seconds, and with Spark's own wait of 50 ms in the exchange. Flink has the same windows with its default
settings, a watermark each 200 ms and buffers that leave at the latest after 100 ms, and tuned, with 5 ms for
both. All of it runs on the Spark that has real-time mode.
"""

from __future__ import annotations

import argparse
import statistics
import tempfile
import time
from typing import TYPE_CHECKING

from pyspark.sql import functions as F

import spark_windowing as sw
from jvm import Jvm
from live import CLASSES, Feed, Results, RowLog
from local_session import local_session
from works import ROCKSDB

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from pyspark.sql import DataFrame, SparkSession

KEYS = 100
FEWEST = 2  # latencies that have quantiles
BATCH = "60 seconds"


def ours(rows: DataFrame) -> DataFrame:
    """Windows of this project."""
    return sw.key_by(rows, "key").time_window("500 ms").aggregate(F.count("*").alias("n"))


def sparks(rows: DataFrame) -> DataFrame:
    """Spark's own windows."""
    return rows.groupBy("key", F.window("ts", "500 milliseconds")).agg(F.count("*").alias("n"))


PARTITIONS = "spark.sql.shuffle.partitions"
FILES = "fs.AbstractFileSystem.file.impl"
CHANGELOG = "spark.sql.streaming.stateStore.rocksdb.changelogCheckpointing.enabled"
WAIT = "spark.shuffle.streaming.networkBufferMaxWaitTimeMs"
CLASS_PATH = {"spark.driver.extraClassPath": CLASSES, "spark.log.level": "OFF"}

# Those in micro-batches: the query and its settings.
CONTESTANTS: dict[str, tuple[Callable[[DataFrame], DataFrame], dict[str, str]]] = {
    "this project": (ours, {}),
    "this project, RocksDB": (ours, {**ROCKSDB, CHANGELOG: "true"}),
    "this project, watermarkInBatch false": (ours, {"spark.windowing.watermarkInBatch": "false"}),
    "Spark's own": (sparks, {}),
}

# Those in real-time mode: settings of the application.
LIVE: dict[str, dict[str, str]] = {
    "this project in real-time mode": {},
    "this project in real-time mode with Spark's wait": {WAIT: "50"},
}

# Milliseconds of Flink's waits.
FLINK: dict[str, int | None] = {"Flink tuned": 5, "Flink": None}

# Each with the settings of those before it.
STEPS: dict[str, dict[str, str]] = {
    "Spark's defaults": {PARTITIONS: "200", FILES: "org.apache.hadoop.fs.local.LocalFs"},
    "state partitions = cores": {PARTITIONS: "2"},
    "the checkpoint files of `sw.configure`": {
        FILES: "dev.sparkwindowing.spark.checkpoint.LocalCheckpointFs"
    },
    "RocksDB with a changelog": {**ROCKSDB, CHANGELOG: "true"},
    "one state partition": {PARTITIONS: "1"},
}


def measure(
    session: SparkSession,
    query: Callable[[DataFrame], DataFrame],
    rate: int,
    seconds: int,
    batch: str | None = None,
) -> tuple[list[float], float | None]:
    """Run a query; return the latencies of the windows in its later half, and the median micro-batch.

    With the length of a micro-batch it runs in real-time mode.
    """
    log, results = RowLog(session, 2), Results(session)
    rows = log.rows(session).withWatermark("ts", "0 seconds")
    shown = query(rows).select(F.unix_millis("window.end"), "key", "n")
    with tempfile.TemporaryDirectory() as checkpoint:
        started = results.start(shown, checkpoint, batch)
        with Feed(log, rate, KEYS):
            time.sleep(seconds)
            end = time.time() * 1000
        if not batch:
            started.processAllAvailable()
        progress = started.recentProgress
        results.stop(started)
    latencies = results.latencies(end - seconds * 500, end - 1000)
    if batch:
        return latencies, None
    batches = [p["durationMs"]["triggerExecution"] for p in progress if p["numInputRows"]]
    return latencies, statistics.median(batches[len(batches) // 2 :])


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--rates", default="1000,20000,50000", help="rows a second (default: %(default)s)")
    parser.add_argument("--seconds", type=int, default=120, help="of each run (default: %(default)s)")
    parser.add_argument("--only", action="append", help="a contestant, may come again (default: all)")
    parser.add_argument(
        "--steps", action="store_true", help="settings of this project in place of contestants"
    )
    options = parser.parse_args()
    rates = list(map(int, options.rates.split(",")))
    if options.steps:
        print_steps(rates, options.seconds)
        return
    wanted = set(options.only or [*FLINK, *LIVE, *CONTESTANTS])
    print("| rows a second | query | p50, ms | p90, ms | p99, ms | micro-batch, ms | p50 in micro-batches |")
    print("| --- | --- | --- | --- | --- | --- | --- |")
    with Jvm() as jvm:
        for rate in rates:
            for name, latencies, batch in measured(jvm, wanted, rate, options.seconds):
                print(f"| {rate:,} | {name} | {row(latencies, batch)} |", flush=True)


def measured(
    jvm: Jvm, wanted: set[str], rate: int, seconds: int
) -> Iterator[tuple[str, list[float], float | None]]:
    """Run the wanted contestants one by one; yield the name of each, its latencies, and its micro-batch."""
    for name in [name for name in FLINK if name in wanted]:
        yield name, jvm.ask("latency", rate=rate, seconds=seconds, waits=FLINK[name])["millis"], None
    for name in [name for name in LIVE if name in wanted]:
        spark = local_session("4g", {**CLASS_PATH, **LIVE[name]}, real_time=True)
        yield name, *measure(spark, ours, rate, seconds, BATCH)
        spark.stop()
    spark = local_session("4g", CLASS_PATH)
    for name in [name for name in CONTESTANTS if name in wanted]:
        query, settings = CONTESTANTS[name]
        session = spark.newSession()
        for setting, value in settings.items():
            session.conf.set(setting, value)
        yield name, *measure(session, query, rate, seconds)
    spark.stop()


def print_steps(rates: list[int], seconds: int) -> None:
    """Print the table of the settings, each with those before it."""
    print(
        "| rows a second | settings | p50, ms | p90, ms | p99, ms | micro-batch, ms | p50 in micro-batches |"
    )
    print("| --- | --- | --- | --- | --- | --- | --- |")
    spark = local_session("4g", CLASS_PATH)
    for rate in rates:
        session = spark.newSession()
        for name, settings in STEPS.items():
            for setting, value in settings.items():
                session.conf.set(setting, value)
            print(f"| {rate:,} | {name} | {row(*measure(session, ours, rate, seconds))} |", flush=True)
    spark.stop()


def row(latencies: list[float], batch: float | None = None) -> str:
    """Return the figures of a row of the table; none if the later half of the run completed no window."""
    if len(latencies) < FEWEST:
        return f"> all | > all | > all | {batch or 0:.0f} | "
    quantiles = statistics.quantiles(latencies, n=100)
    p50 = statistics.median(latencies)
    batches = f"{batch:.0f} | {p50 / batch:.2f}" if batch else " | "
    return f"{p50:.1f} | {quantiles[89]:.1f} | {quantiles[98]:.1f} | {batches}"


if __name__ == "__main__":
    main()
