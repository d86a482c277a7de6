"""A driver in real-time mode: counts of Kafka's rows by windows, into Kafka, until it is killed.

    live_driver.py BROKER CHECKPOINT [NAME=VALUE ..]

A query that has failed, as one does of which an executor was lost, starts again where it was. NAME=VALUE are settings of Spark.
"""

import sys
import time
from pathlib import Path

from pyspark.errors import StreamingQueryException
from pyspark.sql import SparkSession
from pyspark.sql import functions as F

import spark_windowing as sw

sys.path.append(str(Path(__file__).resolve().parents[2] / "examples" / "vehicle_count"))
from servers import jars

SETTINGS = {
    "spark.master": "local[4]",
    "spark.driver.host": "127.0.0.1",
    "spark.driver.bindAddress": "127.0.0.1",
    "spark.driver.memory": "1g",
    "spark.jars": ",".join(jars("spark-kafka")),
    "spark.log.level": "OFF",
    "spark.sql.session.timeZone": "UTC",
    "spark.sql.shuffle.partitions": "2",
    "spark.sql.streaming.minBatchesToRetain": "5",
    "spark.ui.enabled": "false",
    "spark.ui.showConsoleProgress": "false",
    # So that kept rows are in pieces, and keys leave the memory.
    "spark.windowing.state.tailBytes": "100",
    "spark.windowing.state.chunkBytes": "150",
    "spark.windowing.realTime.keyBytes": "4k",
}


def started(spark, broker, checkpoint):
    """Start the query: of each window its rows, one by one, of which many are in pieces."""
    kafka = {"kafka.bootstrap.servers": broker}
    value = F.split(F.col("value").cast("string"), " ")
    rows = (
        spark.readStream.format("kafka")
        .options(**kafka, subscribe="in", startingOffsets="earliest")
        .load()
        .select(
            value[0].alias("key"),
            F.timestamp_millis(value[1].cast("long")).alias("ts"),
            value[2].cast("long").alias("n"),
        )
        .withWatermark("ts", "0 seconds")
    )
    windows = sw.key_by(rows, "key").time_window("1 minute").side_output_late_data("late")
    result = windows.aggregate(
        F.count("*").alias("rows"), F.sum("n").alias("sum"), F.collect_list("n").alias("all")
    )
    both = sw.all_outputs(result)
    main = F.struct(
        "main.key", F.unix_millis("main.window.start").alias("start"), "main.rows", "main.sum", "main.all"
    )
    written = both.select(
        F.when(F.col("output") == "main", F.to_json(main)).otherwise(F.to_json("late")).alias("value")
    )
    writer = written.writeStream.format("kafka").options(**kafka, topic="out", checkpointLocation=checkpoint)
    return writer.outputMode("update").trigger(realTime="5 seconds").start()


def main(broker, checkpoint, settings):
    builder = SparkSession.builder.appName("chaos")
    for name, value in {**SETTINGS, **settings}.items():
        builder = builder.config(name, value)
    spark = sw.configure(builder, real_time=True).getOrCreate()
    while True:
        query = started(spark, broker, checkpoint)
        print("started", flush=True)
        try:
            query.awaitTermination()
        except StreamingQueryException as failed:
            print("failed", str(failed).partition("\n")[0][:300], flush=True)
            time.sleep(1)


if __name__ == "__main__":
    main(sys.argv[1], sys.argv[2], dict(setting.split("=", 1) for setting in sys.argv[3:]))
