"""Two queries over a topic of Kafka into Delta tables: queries.py OPTIONS, which is a JSON object.

It runs until the file `stop` of the folder is there, or with `"once": true` until what the topic has is taken. It is started with
several lines of Spark and releases of the package, so it uses nothing that only one of them has.
"""

import json
import sys
import time
from pathlib import Path

import pyspark
from pyspark.sql import SparkSession
from pyspark.sql import functions as F

import spark_windowing as sw

TOPIC = "readings"
SERVICES = Path(__file__).parents[2] / "target" / "services"
STORE = "spark.sql.streaming.stateStore"
WINDOW, GAP = 10, 5  # seconds
QUERIES = ("sums", "sessions")


def jars():
    """Jars of Delta Lake and of the source for Kafka that are for this Spark."""
    line = "-4-1" if pyspark.__version__.startswith("4.1.") else ""
    return ",".join(
        jar
        for name in ("delta", "spark-kafka")
        for jar in (SERVICES / f"{name}{line}.jars").read_text().split()
    )


def session(options):
    """Start a session whose figures Prometheus can scrape."""
    folder = options["folder"]
    prometheus = "spark.metrics.conf.*.sink.prometheusServlet"
    settings = {
        "spark.jars": jars(),
        "spark.sql.extensions": "io.delta.sql.DeltaSparkSessionExtension",
        "spark.sql.catalog.spark_catalog": "org.apache.spark.sql.delta.catalog.DeltaCatalog",
        "spark.databricks.delta.snapshotPartitions": "1",
        "spark.driver.host": "127.0.0.1",
        "spark.driver.memory": "1500m",
        "spark.local.dir": f"{folder}/local",
        "spark.log.level": "ERROR",
        "spark.metrics.namespace": "day",
        f"{prometheus}.class": "org.apache.spark.metrics.sink.PrometheusServlet",
        f"{prometheus}.path": "/metrics/prometheus/",
        "spark.sql.adaptive.enabled": "false",
        "spark.sql.session.timeZone": "UTC",
        "spark.sql.shuffle.partitions": str(options["partitions"]),
        "spark.sql.streaming.metricsEnabled": "true",
        "spark.sql.streaming.minBatchesToRetain": "5",
        f"{STORE}.maintenanceInterval": "5s",
        f"{STORE}.providerClass": "org.apache.spark.sql.execution.streaming.state.RocksDBStateStoreProvider",
        f"{STORE}.rocksdb.changelogCheckpointing.enabled": "true",
        "spark.sql.warehouse.dir": f"{folder}/warehouse",
        "spark.ui.port": str(options["port"]),
        "spark.ui.showConsoleProgress": "false",
    }
    builder = SparkSession.builder.master("local[2]").appName("day")
    for name, value in settings.items():
        builder = builder.config(name, value)
    return sw.configure(builder).getOrCreate()


def readings(spark, broker):
    """Return the messages, with a watermark for each partition of the topic."""
    reader = spark.readStream.format("kafka").option("kafka.bootstrap.servers", broker)
    messages = reader.option("subscribe", TOPIC).option("startingOffsets", "earliest").load()
    value = F.split(F.col("value").cast("string"), ",")
    rows = messages.select(
        F.col("key").cast("string").alias("sensor"),
        F.timestamp_millis(value[0].cast("long")).alias("ts"),
        value[1].cast("long").alias("value"),
        "partition",
    )
    strategy = sw.WatermarkStrategy.for_bounded_out_of_orderness("10 seconds").with_idleness("20 seconds")
    return sw.assign_timestamps_and_watermarks(rows, strategy, time="ts", per_partition="partition")


def start(spark, options):
    """Start both queries: sums are appended, sessions upserted with each row more."""
    table = {name: f"{options['folder']}/tables/{name}" for name in QUERIES}
    keyed = sw.key_by(readings(spark, options["broker"]), "sensor")
    aggregates = F.count("*").alias("n"), F.sum("value").alias("sum")
    sums = keyed.time_window(f"{WINDOW} seconds").aggregate(*aggregates)
    sessions = (
        keyed.window(sw.EventTimeSessionWindows.with_gap(f"{GAP} seconds"))
        .trigger(sw.AfterWatermark.of(early="4 seconds"))
        .with_pane()
        .aggregate(*aggregates)
    )
    upsert = sw.upsert_to_delta(sessions, f"delta.`{table['sessions']}`")
    writers = {
        "sums": sums.writeStream.format("delta").option("path", table["sums"]),
        "sessions": sessions.writeStream.foreachBatch(upsert),
    }
    trigger = {"availableNow": True} if options["once"] else {"processingTime": "3 seconds"}
    return [
        writer.queryName(name)
        .option("checkpointLocation", f"{options['checkpoints']}/{name}")
        .trigger(**trigger)
        .start()
        for name, writer in writers.items()
    ]


def main(options):
    """Run the queries; leave at once if one fails, as a job does whose scheduler starts it again."""
    spark = session(options)
    running = start(spark, options)
    stop = Path(options["folder"]) / "stop"
    while not stop.exists() and any(query.isActive for query in running):
        for query in running:
            if query.exception():
                raise query.exception()
        time.sleep(0.2)
    for query in running:
        query.stop()
        if query.exception():
            raise query.exception()
    spark.stop()


if __name__ == "__main__":
    main(json.loads(sys.argv[1]))
