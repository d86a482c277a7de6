"""Watermarks by partition: a partition that lags by an hour keeps its rows."""

import json

import pytest
from pyspark.sql import functions as F

import spark_windowing as sw
from shared import append, second

pytestmark = pytest.mark.spark

LAGGING = 3


def test_a_partition_that_lags_holds_the_watermark_with_per_partition_alone(spark, tmp_path):
    folder = tmp_path / "in"
    folder.mkdir()
    rows = [{"shard": shard, "at": 3600 if shard == LAGGING else 7200} for shard in range(4)]
    (folder / "0.json").write_text("\n".join(map(json.dumps, rows)))
    source = spark.readStream.schema("shard int, at long").json(str(folder))
    strategy = sw.WatermarkStrategy.for_monotonous_timestamps().with_timestamp_assigner(
        "timestamp_seconds(at)"
    )
    for by, fired in (({}, 1), ({"per_partition": "shard"}, 0)):
        timed = sw.assign_timestamps_and_watermarks(source, strategy, **by)
        windows = sw.key_by(timed, F.lit("all").alias("key")).time_window("1 hour")
        checkpoint = tmp_path / str(fired)
        append(windows.aggregate(F.count("*").alias("n")), checkpoint)
        assert spark.read.schema("n long").parquet(str(checkpoint / "out")).count() == fired


def test_a_partition_is_named_or_a_column(spark):
    rows = spark.createDataFrame([("a", 1, second(1))], "user string, shard int, ts timestamp")
    strategy = sw.WatermarkStrategy.for_monotonous_timestamps()
    for partition in ("shard", F.col("shard") % 2):
        timed = sw.assign_timestamps_and_watermarks(rows, strategy, time="ts", per_partition=partition)
        assert timed.columns == ["user", "shard", "ts"]
    with pytest.raises(TypeError, match="per_partition must be"):
        sw.assign_timestamps_and_watermarks(rows, strategy, time="ts", per_partition=1)
