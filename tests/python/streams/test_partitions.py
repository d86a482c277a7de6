"""Watermarks by partition: a Kafka topic with a partition that lags by an hour, read in small micro-batches, and advice."""

import time

import pytest
from confluent_kafka import Producer
from pyspark.sql import functions as F

import spark_windowing as sw
from replay import create_topic
from servers import Broker
from shared import EXAMPLES, second

pytestmark = pytest.mark.spark

HOUR = 3600
START = int(time.time()) // 86400 * 86400 - 86400  # midnight: Kafka deletes what is older than a week
EACH = 360  # messages of a partition, one a minute
LAGGING = 3

# Without and with per_partition prints the number of late rows and the rows in each window that has fired; then the
# advice of the query, that of the topic as a table, whose time is that of the arrival, and a variant of the declaration.
JOB = """
import sys

folder, broker, checkpoints = sys.argv[1:]
sys.path.append(folder)
from job import session
from pyspark.sql import functions as F
import spark_windowing as sw

spark = session({"spark.sql.streaming.noDataMicroBatches.enabled": "false"})
messages = (
    spark.readStream.format("kafka").option("kafka.bootstrap.servers", broker).option("subscribe", "beats")
    .option("startingOffsets", "earliest").option("maxOffsetsPerTrigger", 120).load()
    .select("partition", F.timestamp_seconds(F.col("value").cast("string").cast("long")).alias("ts"))
)
topic = (
    spark.read.format("kafka").option("kafka.bootstrap.servers", broker).option("subscribe", "beats").load()
    .select("partition", F.timestamp_seconds(F.col("value").cast("string").cast("long")).alias("ts"), "timestamp")
)
hours = sw.keyed(time="ts").time_window("1 hour").aggregate(F.count("*").alias("n"))
strategy = sw.WatermarkStrategy.for_bounded_out_of_orderness("1 minute")
for name, by in {"one": {}, "each": {"per_partition": "partition"}}.items():
    timed = sw.assign_timestamps_and_watermarks(messages, strategy, time="ts", **by)
    windows = sw.key_by(timed, F.lit("all").alias("key")).time_window("1 hour")
    result = windows.side_output_late_data("late").aggregate(F.count("*").alias("n"))
    fired, late = [], []
    write = sw.for_each_output(
        main=lambda rows, _: fired.extend(row.n for row in rows.collect()),
        late=lambda rows, _: late.extend(rows.collect()),
    )
    writer = sw.all_outputs(result).writeStream.foreachBatch(write).trigger(availableNow=True)
    query = writer.option("checkpointLocation", f"{checkpoints}/{name}").start()
    query.awaitTermination()
    came = {"arrived": "timestamp", "every": "30 minutes", **by}
    variant = sw.what_if(hours, topic, delay=["1 minute"], **came).first()
    taken, table = sw.advise(query), sw.advise(topic, time="ts", **came)
    figures = [taken.rows, taken.behind, table.behind, max(of.delay for of in table.delays).seconds // 60, variant.lost]
    print("|".join(" ".join(map(str, of)) for of in ([len(late), *sorted(fired)], figures)))
"""


def test_a_partition_that_lags_loses_rows_without_and_none_with_per_partition(python, tmp_path):
    with Broker(tmp_path / "kafka") as broker:
        create_topic(broker.address, "beats", partitions=4)
        producer = Producer({"bootstrap.servers": broker.address})
        for i in range(EACH):
            for partition in range(4):
                lag = HOUR if partition == LAGGING else 0
                at = START + 60 * i
                producer.produce(
                    "beats", str(at - lag).encode(), partition=partition, timestamp=1000 * (at + 7)
                )
        producer.flush(30)
        printed = python(JOB, str(EXAMPLES / "vehicle_count"), broker.address, str(tmp_path))[-2:]
    (lost, one), (kept, each) = ([list(map(int, of.split())) for of in line.split("|")] for line in printed)
    assert lost[0] >= EACH / 2
    # The lagging partition alone has the first hour; it ends before the last hour of the others.
    assert kept == [0, 60, *[240] * (EACH // 60 - 2)]
    # Behind are all of its rows but those of the first half hour, by 59 minutes at most
    assert one == [4 * EACH, EACH - 30, EACH - 30, 59, lost[0]]
    assert each == [4 * EACH, 0, 0, 0, 0]


def test_a_partition_is_named_or_a_column(spark):
    rows = spark.createDataFrame([("a", 1, second(1))], "user string, shard int, ts timestamp")
    strategy = sw.WatermarkStrategy.for_monotonous_timestamps()
    for partition in ("shard", F.col("shard") % 2):
        timed = sw.assign_timestamps_and_watermarks(rows, strategy, time="ts", per_partition=partition)
        assert timed.columns == ["user", "shard", "ts"]
    with pytest.raises(TypeError, match="per_partition must be"):
        sw.assign_timestamps_and_watermarks(rows, strategy, time="ts", per_partition=1)
