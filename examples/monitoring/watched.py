"""A query whose figures Prometheus can scrape and Spark's UI shows: `make example-monitoring`."""

from __future__ import annotations

import argparse
import tempfile
from typing import TYPE_CHECKING

from pyspark.sql import SparkSession
from pyspark.sql import functions as F

import spark_windowing as sw

if TYPE_CHECKING:
    from pyspark.sql.streaming import StreamingQuery

PROMETHEUS = "spark.metrics.conf.*.sink.prometheusServlet"


def main() -> None:
    """Run the query for some seconds."""
    options = arguments()
    spark = session(options.port)
    print(f"Spark's UI: {spark.sparkContext.uiWebUrl}/windows/", flush=True)
    print(f"for Prometheus: {spark.sparkContext.uiWebUrl}/metrics/prometheus/", flush=True)
    with tempfile.TemporaryDirectory() as checkpoint:
        query = start(spark, checkpoint, options.rows)
        query.awaitTermination(options.seconds)
        query.stop()
    spark.stop()


def session(port: int) -> SparkSession:
    """Return a session with Spark's UI, which serves all figures in the format of Prometheus."""
    return (
        SparkSession.builder.master("local[2]")
        .appName("clicks")
        .config("spark.ui.port", port)
        .config(
            "spark.metrics.namespace", "shop"
        )  # else the id of the application, which is another one in each run
        .config(f"{PROMETHEUS}.class", "org.apache.spark.metrics.sink.PrometheusServlet")
        .config(f"{PROMETHEUS}.path", "/metrics/prometheus")
        .config("spark.sql.streaming.metricsEnabled", "true")
        .config("spark.sql.shuffle.partitions", 2)
        .getOrCreate()
    )


def start(spark: SparkSession, checkpoint: str, rows: int) -> StreamingQuery:
    """Count clicks by user in windows of two seconds. Each twentieth comes a minute late."""
    clicks = (
        spark.readStream.format("rate")
        .option("rowsPerSecond", rows)
        .load()
        .selectExpr(
            "concat('user-', value % 50) AS user",
            "concat('shop-', value % 3) AS shop",
            "timestamp - if(value % 20 = 0, interval 1 minute, interval 0 minutes) AS ts",
        )
    )
    strategy = sw.WatermarkStrategy.for_bounded_out_of_orderness("1 second").with_idleness("5 seconds")
    counted = (
        sw.key_by(
            sw.assign_timestamps_and_watermarks(clicks, strategy, time="ts", per_partition="shop"), "user"
        )
        .window(sw.TumblingEventTimeWindows.of("2 seconds"))
        .aggregate(F.count("*").alias("clicks"))
    )
    writer = counted.writeStream.format("noop").queryName("clicks").option("checkpointLocation", checkpoint)
    return writer.trigger(processingTime="1 second").start()


def arguments() -> argparse.Namespace:
    """Return the options of the command line."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--port", type=int, default=4040, help="of Spark's UI")
    parser.add_argument("--seconds", type=float, default=600, help="for which the query runs")
    parser.add_argument("--rows", type=int, default=200, help="a second")
    return parser.parse_args()


if __name__ == "__main__":
    main()
