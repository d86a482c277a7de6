"""Windows in Spark's real-time mode: `make bench-real-time`. Needs Spark 4.3.

    make bench-real-time OPTIONS="--rates 1000,20000 --seconds 60 --batch '60 seconds'"
    make bench-real-time OPTIONS="--parts ends,silence,many,kept"

`kafka`: latency from Kafka to Kafka. Rows of 100 keys come every ten milliseconds to two partitions, with the
time at which they come as event time, and are counted in windows of a second, with a watermark without delay.
The latency of a window is the time from its end to the time that the broker gives to its record; the first
half of a run is warming up. The table has it in milliseconds, and the number of windows, of those that came
twice, and of those with another count than the rows that were sent. `clock` is windows of processing time.

The other parts have a source and a sink in memory. `ends`: how long the sink is silent at the end of a
micro-batch in which so many keys have changed, where each row has a result, in the later half of a run.
`silence`: one of two source tasks has no more rows; milliseconds that windows wait then, with an idle timeout
of two seconds. `many`: rows of a million keys, of which a task has 32 MiB in memory; the heap after a
collection, and the number of results with another count than the rows that were sent. `kept`: processors that
windows with a count take, those that keep all rows for an evictor, and those with the values in an aggregate,
by the number of rows in a window; and the longest time that a window waited, in milliseconds.
"""

from __future__ import annotations

import argparse
import json
import statistics
import sys
import tempfile
import threading
import time
from collections import Counter
from pathlib import Path
from typing import TYPE_CHECKING

from confluent_kafka import Consumer, Producer
from pyspark.sql import SparkSession
from pyspark.sql import functions as F

import live
import spark_windowing as sw
from live import CLASSES, Results, RowLog

sys.path.append(str(Path(__file__).resolve().parents[1] / "examples" / "vehicle_count"))
from replay import create_topic
from servers import Broker, jars

if TYPE_CHECKING:
    from pyspark.sql import DataFrame

PAUSE = 0.01
KEYS = 100
TIMES = 3  # rows of a key, of a million
WINDOWS = {
    "event time": sw.TumblingEventTimeWindows.of("1 second"),
    "clock": sw.TumblingProcessingTimeWindows.of("1 second"),
}


class Feed:
    """Rows of a topic, sent by a thread at a rate, and what has been sent of each key and second."""

    def __init__(self, broker: str, rate: int) -> None:
        self.sent: Counter[tuple[str, int]] = Counter()
        self._producer = Producer({"bootstrap.servers": broker, "linger.ms": 1})
        self._rate = rate
        self._ended = threading.Event()
        self._thread = threading.Thread(target=self._run)
        self._thread.start()

    def _run(self) -> None:
        start, number = time.time(), 0
        while not self._ended.wait(PAUSE):
            at = int(time.time() * 1000)
            for row in range(number, number := int((time.time() - start) * self._rate)):
                key = f"k{row % KEYS}"
                self._producer.produce("in", f"{key} {at}".encode(), partition=row % 2)
                self.sent[key, at // 1000] += 1
            self._producer.poll(0)
        self._producer.flush(10)

    def end(self) -> None:
        """Stop."""
        self._ended.set()
        self._thread.join()


def rows(spark: SparkSession, broker: str) -> DataFrame:
    """Return the rows of the topic: key and event time."""
    value = F.split(F.col("value").cast("string"), " ")
    source = spark.readStream.format("kafka").option("kafka.bootstrap.servers", broker)
    read = source.option("subscribe", "in").option("startingOffsets", "earliest").load()
    return read.select(
        value[0].alias("key"), F.timestamp_millis(value[1].cast("long")).alias("ts")
    ).withWatermark("ts", "0 seconds")


def measure(spark: SparkSession, kind: str, rate: int, seconds: int, batch: str) -> str:
    """Run a query; return its row of the table."""
    with tempfile.TemporaryDirectory() as folder, Broker(Path(folder) / "kafka") as broker:
        for topic, partitions in {"in": 2, "out": 1}.items():
            create_topic(broker.address, topic, partitions=partitions)
        windows = sw.key_by(rows(spark, broker.address), "key").window(WINDOWS[kind])
        counts = windows.aggregate(F.count("*").alias("n"))
        shown = F.struct("key", F.unix_millis("window.end").alias("end"), "n")
        writer = counts.select(F.to_json(shown).alias("value")).writeStream.format("kafka")
        writer = writer.option("kafka.bootstrap.servers", broker.address).option("topic", "out")
        writer = writer.option("checkpointLocation", f"{folder}/checkpoint").outputMode("update")
        query = writer.trigger(realTime=batch).start()
        feed = Feed(broker.address, rate)
        consumer = Consumer(
            {"bootstrap.servers": broker.address, "group.id": "bench", "auto.offset.reset": "earliest"}
        )
        consumer.subscribe(["out"])
        latencies, counted = [], Counter()
        wrong, end = 0, time.time() + seconds
        while time.time() < end:
            message = consumer.poll(0.1)
            if message is None or message.error():
                continue
            result = json.loads(message.value())
            window = (result["key"], result["end"] // 1000 - 1)
            counted[window] += 1
            wrong += kind == "event time" and result["n"] != feed.sent[window]
            if time.time() > end - seconds / 2:
                latencies.append(message.timestamp()[1] - result["end"])
        feed.end()
        consumer.close()
        if not query.isActive:
            raise query.exception()  # type: ignore[misc]
        query.stop()
    twice = sum(times > 1 for times in counted.values())
    figures = statistics.median(latencies), *(statistics.quantiles(latencies, n=100)[at] for at in (89, 98))
    return f"| {' | '.join(f'{ms:.0f}' for ms in figures)} | {len(counted):,} | {twice} | {wrong} |"


def ends(spark: SparkSession, keys: int, rate: int, batch: int, batches: int) -> str:
    """Measure how long no result comes at the ends of micro-batches; return a row of the table."""
    log, results = RowLog(spark, 2), Results(spark)
    windows = sw.key_by(log.rows(spark).withWatermark("ts", "0 seconds"), "key").time_window("1 day")
    each = windows.trigger(sw.CountTrigger.of(1)).aggregate(F.count("*").alias("n"))
    with tempfile.TemporaryDirectory() as checkpoint:
        query = results.start(each.select("n"), checkpoint, f"{batch} seconds")
        seconds = batch * batches / 2  # the first half is warming up
        with live.Feed(log, rate, keys):
            time.sleep(2 * seconds)
            end = time.time() * 1000
        changed = max(p["stateOperators"][0]["numRowsUpdated"] for p in query.recentProgress)
        silences = results.silences(end - seconds * 1000, end)[: batches // 2]
        results.stop(query)
    return f"| {keys:,} | {rate:,} | {changed:,} | {statistics.median(silences):.0f} | {silences[0]:.0f} |"


def silence(spark: SparkSession, seconds: int) -> str:
    """Measure how long windows wait for a source task without rows; return a row of the table."""
    timeout, rate = 2, 1000
    session = spark.newSession()
    session.conf.set("spark.windowing.realTime.idleTimeout", f"{timeout} seconds")
    log, results = RowLog(session, 2), Results(session)
    windows = sw.key_by(log.rows(session).withWatermark("ts", "0 seconds"), "key").time_window("100 ms")
    counts = windows.aggregate(F.count("*").alias("n")).select(F.unix_millis("window.end"), "n")
    with tempfile.TemporaryDirectory() as checkpoint:
        query = results.start(counts, checkpoint, "60 seconds")
        with live.Feed(log, rate, KEYS, silent_from=rate * seconds // 2):
            time.sleep(seconds / 2)
            at = time.time() * 1000
            time.sleep(seconds / 2)
            end = time.time() * 1000
        before = results.latencies(at - seconds * 250, at - 1000)
        waiting = results.latencies(at, at + 1000)
        after = results.latencies(at + (timeout + 1) * 1000, end - 1000)
        results.stop(query)
    return f"| {statistics.median(before):.0f} | {max(waiting):.0f} | {statistics.median(after):.0f} |"


def many(spark: SparkSession, keys: int, rate: int) -> str:
    """Count rows of more keys than are to be in memory; return a row of the table."""
    session = spark.newSession()
    session.conf.set("spark.windowing.realTime.keyBytes", "32m")
    log, results = RowLog(session, 2), Results(session)
    windows = sw.key_by(log.rows(session).withWatermark("ts", "0 seconds"), "key").time_window("1 day")
    third = windows.trigger(sw.CountTrigger.of(TIMES)).aggregate(
        F.count("*").alias("n"), F.sum("value").alias("sum")
    )
    right = F.col("sum") == 3 * F.col("key") + F.lit(
        3 * keys
    )  # a key's rows are key, key + keys, key + 2 * keys
    jvm = session.sparkContext._jvm
    with tempfile.TemporaryDirectory() as checkpoint:
        query = results.start(
            third.select((right & (F.col("n") == TIMES)).cast("long")), checkpoint, "10 seconds"
        )
        began = time.time()
        with live.Feed(log, rate, keys) as feeding:
            while feeding.rows() < TIMES * keys:
                time.sleep(0.2)
        while results.count() < keys and query.isActive and time.time() < began + 600:
            time.sleep(0.2)
        seconds = time.time() - began
        jvm.java.lang.System.gc()
        runtime = jvm.java.lang.Runtime.getRuntime()
        heap = (runtime.totalMemory() - runtime.freeMemory()) >> 20
        right_ones = results.sum()
        timers = max(p["stateOperators"][0]["customMetrics"]["timerIndexBytes"] for p in query.recentProgress)
        results.stop(query)
    return f"| {keys:,} | {rate:,} | {seconds:.0f} | {heap} | {timers >> 20} | {keys - right_ones} |"


def kept(spark: SparkSession, kind: str, rate: int, seconds: int) -> str:
    """Measure what windows of five seconds over ten keys take; return a row of the table."""
    keys, session = 10, spark.newSession()
    log, results = RowLog(session, 2), Results(session)
    windows = sw.key_by(log.rows(session).withWatermark("ts", "0 seconds"), "key").time_window("5 seconds")
    counts = {
        "a count": lambda: windows.aggregate(F.count("*").alias("n")),
        "kept rows": lambda: windows.evictor(sw.CountEvictor.of(10**9)).aggregate(F.count("*").alias("n")),
        "collect_list": lambda: windows.aggregate(F.size(F.collect_list("value")).alias("n")),
    }[kind]()
    jvm = session.sparkContext._jvm
    assert jvm is not None
    used = jvm.java.lang.ProcessHandle.current().info
    with tempfile.TemporaryDirectory() as checkpoint:
        query = results.start(counts.select(F.unix_millis("window.end"), "n"), checkpoint, "60 seconds")
        with live.Feed(log, rate, keys):
            time.sleep(seconds / 2)
            before, began = used().totalCpuDuration().get().toMillis(), time.time()
            time.sleep(seconds / 2)
            end = time.time()
            processors = (used().totalCpuDuration().get().toMillis() - before) / 1000 / (end - began)
        time.sleep(5)
        latencies = results.latencies(began * 1000, end * 1000 - 1000)
        results.stop(query)
    late = f"{max(latencies):,.0f}" if latencies else "none came"
    return f"| {rate * 5 // keys:,} | {kind} | {processors:.2f} | {late} |"


def kafka(spark: SparkSession, rates: list[int], seconds: int, batch: str) -> None:
    """Print the table of Kafka to Kafka."""
    print("| rows a second | windows of | p50, ms | p90, ms | p99, ms | windows | twice | wrong |")
    print("| --- | --- | --- | --- | --- | --- | --- | --- |")
    for rate in rates:
        for kind in WINDOWS:
            print(f"| {rate:,} | {kind} {measure(spark, kind, rate, seconds, batch)}", flush=True)


def main() -> None:
    """Print the tables."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--rates", default="1000,20000", help="rows a second (default: %(default)s)")
    parser.add_argument("--seconds", type=int, default=60, help="of each run (default: 60)")
    parser.add_argument("--batch", default="60 seconds", help="long micro-batch (default: %(default)s)")
    parser.add_argument("--parts", default="kafka,ends,silence,many,kept", help="(default: %(default)s)")
    options = parser.parse_args()
    builder = SparkSession.builder.master("local[8]").config("spark.jars", ",".join(jars("spark-kafka")))
    for name, value in {
        "spark.driver.host": "127.0.0.1",
        "spark.driver.extraClassPath": CLASSES,
        "spark.driver.memory": "3g",
        "spark.log.level": "OFF",
        "spark.sql.session.timeZone": "UTC",
        "spark.sql.shuffle.partitions": "2",
        "spark.sql.streaming.numRecentProgressUpdates": "10000",
        "spark.ui.enabled": "false",
        "spark.ui.showConsoleProgress": "false",
    }.items():
        builder = builder.config(name, value)
    spark = sw.configure(builder, real_time=True).getOrCreate()
    parts = options.parts.split(",")
    if "kafka" in parts:
        kafka(spark, list(map(int, options.rates.split(","))), options.seconds, options.batch)
    if "ends" in parts:
        print(
            "| keys | rows a second | keys changed | silence at the end of a micro-batch, p50, ms | max, ms |"
        )
        print("| --- | --- | --- | --- | --- |")
        print(ends(spark, 1000, 1000, batch=5, batches=40), flush=True)
        print(ends(spark, 200000, 20000, batch=10, batches=12), flush=True)
    if "silence" in parts:
        print("| p50 before, ms | longest wait, ms | p50 after, ms |")
        print("| --- | --- | --- |")
        print(silence(spark, options.seconds), flush=True)
    if "many" in parts:
        print("| keys | rows a second | seconds | heap, MiB | of it timers, MiB | wrong |")
        print("| --- | --- | --- | --- | --- | --- |")
        print(many(spark, 1000000, 50000), flush=True)
    if "kept" in parts:
        print("| rows of a window | in the state | processors | longest wait for a window, ms |")
        print("| --- | --- | --- | --- |")
        for rate in (2000, 20000):
            for kind in ("a count", "kept rows", "collect_list"):
                print(kept(spark, kind, rate, options.seconds // 2), flush=True)
    spark.stop()


if __name__ == "__main__":
    main()
