"""Figures of a query that a client of Spark Connect has started, in the server's UI and metrics system."""

import time
import urllib.request

import pytest
from pyspark.sql import SparkSession
from pyspark.sql import functions as F

import connect_server
import spark_windowing as sw
from servers import free_ports

pytestmark = [pytest.mark.spark, pytest.mark.remote]

PATIENCE = 120  # seconds
SINK = "spark.metrics.conf.*.sink.prometheusServlet"


def with_plugin(folder, settings):
    return connect_server.start(folder, {**connect_server.PLUGIN, **settings})


def until(what):
    end = time.monotonic() + PATIENCE
    while time.monotonic() < end:
        if what():
            return
        time.sleep(0.2)
    pytest.fail(f"not within {PATIENCE} s")


@pytest.mark.parametrize(("start", "has_tab"), [(with_plugin, True), (connect_server.start_plain, False)])
def test_they_are_there_while_the_query_runs(tmp_path, settings, start, has_tab):
    (port,) = free_ports(1)
    own = {
        **settings,
        "spark.ui.enabled": "true",
        "spark.ui.port": str(port),
        "spark.metrics.namespace": "shop",
        f"{SINK}.class": "org.apache.spark.metrics.sink.PrometheusServlet",
        f"{SINK}.path": "/metrics/prometheus",
    }

    def page(path):
        with urllib.request.urlopen(f"http://127.0.0.1:{port}/{path}/", timeout=30) as answer:
            return answer.read().decode()

    figure = "metrics_shop_driver_spark_windowing_clicks_windows_0_openWindows_Value"
    with connect_server.ending(start(tmp_path, own)) as server:
        client = SparkSession.builder.remote(server.url).create()
        client.conf.set("spark.sql.streaming.metricsEnabled", "true")
        clicks = client.readStream.format("rate").load().withWatermark("timestamp", "1 second")
        counted = sw.window_all(clicks, sw.TumblingEventTimeWindows.of("1 second")).aggregate(
            F.count("*").alias("n")
        )
        writer = counted.writeStream.format("noop").queryName("clicks")
        query = writer.option("checkpointLocation", str(tmp_path / "checkpoint")).start()
        until(lambda: figure in page("metrics/prometheus"))
        assert ("<td>clicks</td>" in page("windows")) == has_tab
        query.stop()
        until(lambda: "windowing" not in page("metrics/prometheus"))
        client.stop()
