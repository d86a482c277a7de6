"""The examples of all docstrings. What they call `clicks`, `keyed`, `windows`, .. is made here."""

import doctest
import importlib
import pkgutil

import pandas as pd
import pytest
from pyspark.sql import functions as F

import spark_windowing as sw
from shared import second

pytestmark = pytest.mark.spark

FOUND = [module.name.partition(".")[2] for module in pkgutil.walk_packages(sw.__path__, "spark_windowing.")]
MODULES = [name for name in FOUND if name != "__main__"]
SCHEMA = "user string, price int, ts timestamp"


@pytest.fixture(scope="module")
def checkpoint(spark, tmp_path_factory):
    """What a query remembers that fires at each third click, when user a has clicked twice."""
    folder = tmp_path_factory.mktemp("examples")
    (folder / "in").mkdir()
    (folder / "in" / "0.json").write_text(
        '{"user": "a", "ts": "1970-01-01T00:00:01Z"}\n{"user": "a", "ts": "1970-01-01T00:00:04Z"}'
    )
    stream = spark.readStream.schema(SCHEMA).json(str(folder / "in")).withWatermark("ts", "1 minute")
    windows = sw.key_by(stream, "user").time_window("10 seconds").trigger(sw.CountTrigger.of(3))
    writer = windows.aggregate(F.count("*").alias("clicks")).writeStream.format("noop")
    writer = writer.option("checkpointLocation", str(folder / "checkpoint")).trigger(availableNow=True)
    writer.start().awaitTermination()
    return str(folder / "checkpoint")


@pytest.fixture
def names(spark, clicks, checkpoint):
    rate = spark.readStream.format("rate").load().withWatermark("timestamp", "1 minute")
    keyed = sw.key_by(clicks, "user", time="ts")
    orders = spark.createDataFrame(
        [("a", 9, second(6)), ("c", 5, second(2))], "user string, amount int, at timestamp"
    )
    return {
        "sw": sw,
        "F": F,
        "pd": pd,
        "spark": spark,
        "checkpoint": checkpoint,
        "rescaled": f"{checkpoint}-rescaled",
        "clicks": clicks,
        "stream": rate.selectExpr("'a' AS user", "3 AS price", "timestamp AS ts"),
        "orders": orders,
        "keyed": keyed,
        "joined": sw.join(keyed, sw.key_by(orders, "user", time="at")),
        "windows": keyed.time_window("10 seconds"),
    }


def test_the_modules_are_found():
    assert {"_streams.keyed", "_streams.windowed", "_upserts.delta", "_upserts.postgres", "sim"} <= set(
        MODULES
    )


def module(name):
    classic = pytest.mark.classic("its example starts a classic session")
    return pytest.param(name, marks=[classic] if name == "_gateway.setup" else [])


@pytest.mark.parametrize("name", [module(name) for name in MODULES])
def test_examples_run(names, name):
    results = doctest.testmod(importlib.import_module(f"spark_windowing.{name}"), extraglobs=names)
    assert results.failed == 0
