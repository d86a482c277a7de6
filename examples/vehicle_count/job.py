"""The job: from Kafka through the pipeline to Redis. It may be killed at any time, and started again.

    job.py --kafka 127.0.0.1:9092 --redis redis://127.0.0.1:6379 --checkpoint FOLDER

What it has read, and its open windows, are in the checkpoint. It runs until SIGTERM.
"""

from __future__ import annotations

import argparse
import signal
import threading
from typing import TYPE_CHECKING

import pyspark
from pyspark.sql import SparkSession

import spark_windowing as sw
from pipeline import vehicle_counts
from redis_sink import RedisSink, connect
from servers import jars

if TYPE_CHECKING:
    from pyspark.sql import DataFrame
    from pyspark.sql.streaming import StreamingQuery, StreamingQueryProgress

SECONDS_BETWEEN_LINES = 5


def main() -> None:
    """Run the query until it fails or somebody ends it."""
    options = arguments()
    ended = threading.Event()
    signal.signal(signal.SIGTERM, lambda *_: ended.set())
    spark = session(dict(setting.split("=", 1) for setting in options.conf))
    try:
        query = start(spark, options)
        last = -1
        while query.isActive and not ended.wait(SECONDS_BETWEEN_LINES):
            through = [progress for progress in query.recentProgress if "addBatch" in progress["durationMs"]]
            if through and through[-1]["batchId"] > last:
                last = through[-1]["batchId"]
                print(line(through[-1]), flush=True)
        if not ended.is_set():
            query.awaitTermination()  # raises what has stopped it
    finally:
        spark.stop()


def start(spark: SparkSession, options: argparse.Namespace) -> StreamingQuery:
    """Start the query. Its trigger is the time between two writes to Redis: the sink holds nothing back."""
    sink = RedisSink(connect(options.redis), commands=options.commands, patience=options.patience)
    write = sw.for_each_output(main=sink.write_counts, late=sink.write_not_counted)
    results = vehicle_counts(messages(spark, options), options.early)
    writer = sw.all_outputs(results).writeStream.foreachBatch(write).queryName("vehicle_count")
    writer = writer.option("checkpointLocation", options.checkpoint)
    return writer.trigger(processingTime=options.trigger).start()


def messages(spark: SparkSession, options: argparse.Namespace) -> DataFrame:
    """Return the topic as a stream, from its beginning if there is no checkpoint yet."""
    reader = spark.readStream.format("kafka").option("kafka.bootstrap.servers", options.kafka)
    reader = reader.option("subscribe", options.topic).option("startingOffsets", "earliest")
    return reader.option("maxOffsetsPerTrigger", options.max_offsets).load()


def line(progress: StreamingQueryProgress) -> str:
    """Return what a micro-batch did."""
    own = progress["stateOperators"][0]["customMetrics"]
    batch, rows = progress["batchId"], progress["numInputRows"]
    watermark = progress["eventTime"].get("watermark", "none")[:19]
    return (
        f"job: micro-batch {batch:>3}, {rows:>4} rows, watermark {watermark}, "
        f"{own['openWindows']:>4} open windows, {own['firedPanes']:>4} fired"
    )


def session(settings: dict[str, str]) -> SparkSession:
    """Start Spark on this machine with its Kafka source."""
    line = "-".join(pyspark.__version__.split(".")[:2])
    source = f"spark-kafka-{line}" if line in {"3-5", "4-0", "4-1"} else "spark-kafka"
    builder = SparkSession.builder.master("local[2]").appName("vehicle count")
    for name, value in {
        "spark.driver.host": "127.0.0.1",
        "spark.jars": ",".join(jars(source)),
        "spark.log.level": "ERROR",
        "spark.sql.session.timeZone": "UTC",
        "spark.sql.shuffle.partitions": "2",
        "spark.ui.enabled": "false",
        "spark.ui.showConsoleProgress": "false",
        **settings,
    }.items():
        builder = builder.config(name, value)
    return sw.configure(builder).getOrCreate()


def arguments() -> argparse.Namespace:
    """Read the command line."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--kafka", required=True, help="host:port of a broker")
    parser.add_argument("--topic", default="passages", help="default: %(default)s")
    parser.add_argument("--redis", required=True, help="redis://host:port")
    parser.add_argument("--checkpoint", required=True, help="a folder that outlives the job")
    parser.add_argument(
        "--trigger", default="1 second", help="time between micro-batches; default: %(default)s"
    )
    parser.add_argument(
        "--early", default="30 seconds", help="time between early results; default: %(default)s"
    )
    parser.add_argument(
        "--max-offsets", type=int, default=20_000, help="messages a micro-batch; default: %(default)s"
    )
    parser.add_argument(
        "--commands", type=int, default=1000, help="commands a pipeline; default: %(default)s"
    )
    parser.add_argument(
        "--patience", type=float, default=30, help="seconds to wait for Redis; default: %(default)s"
    )
    parser.add_argument(
        "--conf", action="append", default=[], metavar="NAME=VALUE", help="a setting of Spark"
    )
    return parser.parse_args()


if __name__ == "__main__":
    main()
