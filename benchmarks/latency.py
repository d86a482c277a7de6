"""Time from the row that completes a window to its result: `make bench-latency`.

    make bench-latency                                      # 1,000 and 50,000 rows a second, a minute each
    make bench-latency OPTIONS="--rates 1000 --seconds 120"
    make bench-latency OPTIONS="--steps"                    # what shortens micro-batches, a setting at a time

Rows of 100 keys come every ten milliseconds, with the time at which they come as event time, and are counted
in windows of 500 ms, with a watermark without delay. So a window is complete when the first row behind its
end comes, and its latency is the time from then until all its rows are in the sink. Micro-batches follow each
other without a pause. The table has the median and the 99th percentile in milliseconds, the median duration
of a micro-batch (`triggerExecution`), and the median latency in such durations. Flink has the same windows
with its default settings: a watermark each 200 ms, and buffers that leave at the latest after 100 ms.
"""

from __future__ import annotations

import argparse
import statistics
import tempfile
import threading
import time
from typing import TYPE_CHECKING

from pyspark.sql import functions as F

import spark_windowing as sw
from jvm import Jvm
from local_session import local_session
from works import ROCKSDB, STORES

if TYPE_CHECKING:
    from collections.abc import Callable

    from pyspark.sql import DataFrame, SparkSession
    from typing_extensions import Self

WINDOW = 500
PAUSE = 0.01
FEWEST = 2  # latencies that have quantiles
NEXT = {"spark.windowing.watermarkInBatch": "false"}


def ours(rows: DataFrame) -> DataFrame:
    """Windows of this project."""
    return sw.key_by(rows, "key").time_window("500 ms").aggregate(F.count("*").alias("n"))


def sparks(rows: DataFrame) -> DataFrame:
    """Spark's own windows."""
    return rows.groupBy("key", F.window("ts", "500 milliseconds")).agg(F.count("*").alias("n"))


CONTESTANTS: dict[str, tuple[Callable[[DataFrame], DataFrame], dict[str, str]]] = {
    "this project": (ours, {}),
    "this project, watermarkInBatch false": (ours, NEXT),
    "Spark's own": (sparks, {}),
}

PARTITIONS = "spark.sql.shuffle.partitions"
FILES = "fs.AbstractFileSystem.file.impl"
CHANGELOG = "spark.sql.streaming.stateStore.rocksdb.changelogCheckpointing.enabled"
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


class Source:
    """A stream of row numbers, fed by a thread at a rate."""

    def __init__(self, session: SparkSession, rate: int) -> None:
        jvm = session.sparkContext._jvm
        self._jvm = jvm
        self._rate = rate
        self._start = time.time() * 1000
        self._stream = jvm.org.apache.spark.sql.execution.streaming.runtime.MemoryStream.apply(
            session._jsparkSession, 2, jvm.org.apache.spark.sql.Encoders.LONG()
        )
        self._ended = threading.Event()
        self._thread = threading.Thread(target=self._feed)

    def rows(self, session: SparkSession) -> DataFrame:
        """Return the rows: key, and the time at which the row comes."""
        from pyspark.sql import DataFrame

        numbers = DataFrame(self._stream.toDF(), session)
        millis = F.lit(int(self._start)) + F.floor(F.col("value") * 1000 / self._rate)
        return numbers.select(
            (F.col("value") % 100).alias("key"), F.timestamp_millis(millis).alias("ts")
        ).withWatermark("ts", "0 seconds")

    def _feed(self) -> None:
        sent = 0
        convert = self._jvm.scala.jdk.javaapi.CollectionConverters
        while not self._ended.wait(PAUSE):
            # Row n has the event time start + n * 1000 / rate, and comes when that has passed.
            due = int((time.time() * 1000 - self._start) * self._rate / 1000)
            numbers = self._jvm.java.util.stream.LongStream.range(sent, due).boxed().toList()
            self._stream.addData(convert.asScala(numbers).toSeq())
            sent = due

    def __enter__(self) -> Self:
        """Start to feed."""
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        """Stop."""
        self._ended.set()
        self._thread.join()


def measure(
    session: SparkSession, query: Callable[[DataFrame], DataFrame], rate: int, seconds: int
) -> tuple[list[float], float]:
    """Run a query; return the latencies of the windows in its later half, and the median micro-batch."""
    last: dict[float, float] = {}

    def sink(batch: DataFrame, _: int) -> None:
        ends = {row[0] for row in batch.select(F.unix_millis("window.end")).collect()}
        now = time.time() * 1000
        for end in ends:
            last[end] = now

    source = Source(session, rate)
    with tempfile.TemporaryDirectory() as checkpoint:
        started = (
            query(source.rows(session))
            .writeStream.foreachBatch(sink)
            .outputMode("append")
            .option("checkpointLocation", checkpoint)
            .start()
        )
        with source:
            time.sleep(seconds)
        started.processAllAvailable()
        started.stop()
        batches = [p["durationMs"]["triggerExecution"] for p in started.recentProgress if p["numInputRows"]]
    half = time.time() * 1000 - seconds * 500
    latencies = [at - end for end, at in last.items() if end > half]
    return latencies, statistics.median(batches[len(batches) // 2 :])


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--rates", default="1000,50000", help="rows a second (default: %(default)s)")
    parser.add_argument("--seconds", type=int, default=60, help="of each run (default: 60)")
    parser.add_argument("--stores", default="memory,rocksdb", help="state stores (default: %(default)s)")
    parser.add_argument(
        "--steps", action="store_true", help="settings of this project in place of contestants"
    )
    options = parser.parse_args()
    spark = local_session("4g")
    if options.steps:
        print_steps(spark, list(map(int, options.rates.split(","))), options.seconds)
        spark.stop()
        return
    print(
        "| rows a second | state store | query | p50, ms | p99, ms | micro-batch, ms | p50 in micro-batches |"
    )
    print("| --- | --- | --- | --- | --- | --- | --- |")
    with Jvm() as jvm:
        for rate in map(int, options.rates.split(",")):
            for store in options.stores.split(","):
                for name, (query, settings) in CONTESTANTS.items():
                    session = spark.newSession()
                    for setting, value in {**STORES[store], **settings}.items():
                        session.conf.set(setting, value)
                    latencies, batch = measure(session, query, rate, options.seconds)
                    print(f"| {rate:,} | {store} | {name} | {row(latencies, batch)} |", flush=True)
            latencies = jvm.ask("latency", rate=rate, seconds=options.seconds)["millis"]
            print(f"| {rate:,} | hash maps | Flink | {row(latencies)} |", flush=True)
    spark.stop()


def print_steps(spark: SparkSession, rates: list[int], seconds: int) -> None:
    """Print the table of the settings, each with those before it."""
    print("| rows a second | settings | p50, ms | p99, ms | micro-batch, ms | p50 in micro-batches |")
    print("| --- | --- | --- | --- | --- | --- |")
    for rate in rates:
        session = spark.newSession()
        for name, settings in STEPS.items():
            for setting, value in settings.items():
                session.conf.set(setting, value)
            print(f"| {rate:,} | {name} | {row(*measure(session, ours, rate, seconds))} |", flush=True)


def row(latencies: list[float], batch: float | None = None) -> str:
    """Return the figures of a row of the table; none if the later half of the run completed no window."""
    if len(latencies) < FEWEST:
        return f"> all | > all | {batch or 0:.0f} | "
    p50, p99 = statistics.median(latencies), statistics.quantiles(latencies, n=100)[98]
    batches = f"{batch:.0f} | {p50 / batch:.2f}" if batch else " | "
    return f"{p50:.0f} | {p99:.0f} | {batches}"


if __name__ == "__main__":
    main()
