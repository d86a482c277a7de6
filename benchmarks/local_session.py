"""The session of the benchmarks: Spark on two cores of this machine."""

from __future__ import annotations

import os
import sys

from pyspark.sql import SparkSession

import spark_windowing as sw


def local_session(
    memory: str, settings: dict[str, str] | None = None, *, real_time: bool = False
) -> SparkSession:
    """Start it with the jar of the installed package. In real-time mode all tasks of a query run at once."""
    os.environ.setdefault("PYSPARK_PYTHON", sys.executable)
    builder = SparkSession.builder.master("local[4]" if real_time else "local[2]").appName("benchmark")
    for name, value in {
        "spark.driver.host": "127.0.0.1",
        "spark.driver.memory": memory,
        "spark.log.level": "ERROR",
        "spark.sql.session.timeZone": "UTC",
        "spark.sql.shuffle.partitions": "2",
        "spark.sql.streaming.numRecentProgressUpdates": "10000",
        "spark.ui.enabled": "false",
        "spark.ui.showConsoleProgress": "false",
        **(settings or {}),
    }.items():
        builder = builder.config(name, value)
    return sw.configure(builder, real_time=real_time).getOrCreate()
