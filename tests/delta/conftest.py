"""The tests beside this file run in a process of their own, whose session has Delta Lake: see tests/python/delta/test_delta.py."""

import json
import os
import sys
from pathlib import Path

import pytest
from pyspark.sql import functions as F

from delta_session import session

sys.path.append(str(Path(__file__).parents[1] / "python"))


@pytest.fixture(scope="session")
def spark(tmp_path_factory):
    spark = session(tmp_path_factory.mktemp("delta"))
    yield spark
    spark.stop()


@pytest.fixture
def table(spark, request):
    """The name of a table that is not there yet."""
    name = request.node.originalname
    yield name
    spark.sql(f"DROP TABLE IF EXISTS {name}")


@pytest.fixture
def visits(spark, tmp_path):
    """Make a stream of visits, user and second, of which each list is a micro-batch; its watermark has no delay."""

    def stream(*batches):
        folder = tmp_path / "visits"
        folder.mkdir()
        for number, batch in enumerate(batches):
            path = folder / f"{number:04}.json"
            rows = [json.dumps({"user": user, "second": second}) for user, second in batch]
            path.write_text("\n".join(rows), encoding="utf-8")
            os.utime(path, (number, number))
        reader = spark.readStream.schema("user string, second int").option("maxFilesPerTrigger", 1)
        rows = reader.json(str(folder)).withColumn("ts", F.timestamp_seconds("second"))
        return rows.withWatermark("ts", "0 seconds")

    return stream


@pytest.fixture
def run(tmp_path):
    """Take what there is, a list a micro-batch."""

    def start(frame, write, checkpoint="checkpoint"):
        writer = frame.writeStream.foreachBatch(write).trigger(availableNow=True)
        query = writer.option("checkpointLocation", str(tmp_path / checkpoint)).start()
        query.awaitTermination()
        return query

    return start
