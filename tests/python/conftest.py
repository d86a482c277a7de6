"""One shared SparkSession for the tests that need a JVM, and the data that their examples use."""

from __future__ import annotations

import os
import subprocess
import sys
from datetime import datetime, timezone
from importlib.metadata import version
from pathlib import Path

import pytest

os.environ.setdefault("SPARK_LOCAL_IP", "127.0.0.1")
os.environ.setdefault("PYSPARK_PYTHON", sys.executable)
# Tests run most code a few times only: the optimizing compiler and parallel collectors cost more than they give.
os.environ.setdefault("SPARK_SUBMIT_OPTS", "-XX:TieredStopAtLevel=1 -XX:+UseSerialGC")
EXAMPLES = Path(__file__).parents[2] / "examples"
sys.path += [str(EXAMPLES / "flights"), str(EXAMPLES / "large_windows")]  # real data, and plans for it
sys.path.append(str(EXAMPLES.parent / "benchmarks"))
sys.path.append(str(Path(__file__).parents[1] / "chaos"))
sys.path.append(str(EXAMPLES / "vehicle_count"))
STREAMING = "org.apache.spark.sql.execution.streaming"
MOVED = "" if version("pyspark").startswith(("3.5.", "4.0.")) else "checkpointing."
CHECKPOINTS = f"{STREAMING}.{MOVED}FileSystemBasedCheckpointFileManager"


@pytest.fixture(scope="session")
def spark():
    from pyspark.sql import SparkSession

    builder = SparkSession.builder.master("local[2]").appName("spark-windowing tests")
    for name, value in {
        "spark.ui.enabled": "false",
        "spark.sql.shuffle.partitions": "2",
        "spark.sql.session.timeZone": "UTC",
        "spark.driver.host": "127.0.0.1",
        "spark.sql.streaming.metricsEnabled": "false",
        # Spark's usual one starts a process for each chmod of a checkpoint on a local disk.
        "spark.sql.streaming.checkpointFileManagerClass": CHECKPOINTS,
    }.items():
        builder = builder.config(name, value)
    session = builder.getOrCreate()
    yield session
    session.stop()


def second(seconds):
    """A moment counted from the epoch, as a timestamp column takes it."""
    return datetime.fromtimestamp(seconds, tz=timezone.utc)


@pytest.fixture
def clicks(spark):
    """Clicks of two users, a at 1, 4 and 12 seconds, b at 3 seconds."""
    rows = [("a", 3, second(1)), ("b", 7, second(3)), ("a", 4, second(4)), ("a", 5, second(12))]
    return spark.createDataFrame(rows, "user string, price int, ts timestamp")


@pytest.fixture
def python():
    """Run a program in a Python of its own, for sessions that differ from the shared one."""

    def run(code, *arguments):
        done = subprocess.run(
            [sys.executable, "-c", code, *arguments], capture_output=True, text=True, check=False
        )
        assert done.returncode == 0, done.stderr
        return done.stdout.splitlines()

    return run
