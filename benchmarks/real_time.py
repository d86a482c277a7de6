"""Latency of windows in Spark's real-time mode, from Kafka to Kafka: `make bench-real-time`.

    make bench-real-time OPTIONS="--rates 1000,20000 --seconds 60 --batch '60 seconds'"

Rows of 100 keys come every ten milliseconds to two partitions, with the time at which they come as event
time, and are counted in windows of a second, with a watermark without delay. The latency of a window is the
time from its end to the time that the broker gives to its record; the first half of a run is warming up.
The table has it in milliseconds, and the number of windows, of those that came twice, and of those with
another count than the rows that were sent. `clock` is windows of processing time. Needs Spark 4.3.
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

import spark_windowing as sw

sys.path.append(str(Path(__file__).resolve().parents[1] / "examples" / "vehicle_count"))
from replay import create_topic
from servers import Broker, jars

if TYPE_CHECKING:
    from pyspark.sql import DataFrame

PAUSE = 0.01
KEYS = 100
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


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--rates", default="1000,20000", help="rows a second (default: %(default)s)")
    parser.add_argument("--seconds", type=int, default=60, help="of each run (default: 60)")
    parser.add_argument("--batch", default="60 seconds", help="long micro-batch (default: %(default)s)")
    options = parser.parse_args()
    builder = SparkSession.builder.master("local[8]").config("spark.jars", ",".join(jars("spark-kafka")))
    for name, value in {
        "spark.driver.host": "127.0.0.1",
        "spark.driver.memory": "3g",
        "spark.log.level": "OFF",
        "spark.sql.session.timeZone": "UTC",
        "spark.sql.shuffle.partitions": "2",
        "spark.ui.enabled": "false",
    }.items():
        builder = builder.config(name, value)
    spark = sw.configure(builder, real_time=True).getOrCreate()
    print("| rows a second | windows of | p50, ms | p90, ms | p99, ms | windows | twice | wrong |")
    print("| --- | --- | --- | --- | --- | --- | --- | --- |")
    for rate in map(int, options.rates.split(",")):
        for kind in WINDOWS:
            row = measure(spark, kind, rate, options.seconds, options.batch)
            print(f"| {rate:,} | {kind} {row}", flush=True)
    spark.stop()


if __name__ == "__main__":
    main()
